// The faults of a run, drawn from a seed: what strikes whom, and for how long.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/prng.h"
#include "faults/group.h"
#include "faults/plan.h"

namespace hapax::faults {

// When the daemon of a member was killed.
struct Kill {
  std::size_t member;
  Nanos at;
  // Until then nothing else had struck, nor had the engine just come back; 0: something had. What
  // takes over from it meanwhile has nothing else to wait for.
  Nanos alone_until = 0;
};

class Strikes {
 public:
  Strikes(const Plan& plan, Group& group);

  // One or two faults at a time, and then none, until the time is up.
  void run();

  const std::map<std::string, unsigned>& by_kind() const { return by_kind_; }
  const std::vector<Kill>& kills() const { return kills_; }

 private:
  using Milliseconds = std::chrono::milliseconds;
  struct Fault {
    const char* name;
    void (Strikes::*strike)();
    // An engine, servers of it, its memory, or a disk of it; a fixed list instead.
    enum Needs { nothing, engine, servers, memory, disk, list, clocks } needs;
  };
  static const std::vector<Fault>& all();
  bool is_possible(const Fault& fault) const;

  // Whether it struck what all depend on.
  bool strike();
  // That much of the run passes, or less if it is interrupted.
  void pass(Milliseconds time);
  Milliseconds between(Milliseconds least, Milliseconds most);
  std::size_t some_member();
  std::size_t another_than(std::size_t member);

  void kill_member();
  void pause_member();
  void pause_in_commit();
  void pause_host();
  void cut_off();
  void one_way();
  void partial();
  void deaf_to_engine();
  void slow_link();
  void lose_packets();
  void jump_clock();
  void kill_worker();
  void stop_engine();
  void wipe_engine();
  void restore_engine();
  void restart_all();
  void lose_state();
  void fill_disk();
  void cut_power();
  void kill_server();
  void kill_leader();

  const Plan plan_;
  Group& group_;
  Prng random_;
  std::map<std::string, unsigned> by_kind_;
  std::vector<Kill> kills_;
};

}  // namespace hapax::faults
