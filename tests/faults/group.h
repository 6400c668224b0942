// A group under test: its engine, members as daemons on hosts of their own, and the workers, some
// at each daemon's socket.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "faults/engine.h"
#include "faults/network.h"
#include "faults/notes.h"
#include "faults/plan.h"
#include "faults/restartable.h"
#include "faults/tail.h"

namespace hapax::faults {

class Group {
 public:
  explicit Group(const Plan& plan);
  ~Group();

  struct Member {
    std::string host;
    Restartable daemon;
    std::string clock_file;  // How much its wall clock is off.
    std::string state_file;  // What it remembers itself.
  };
  struct Worker {
    std::string stem;  // w3: its client is w3, and after restarts w3.1, w3.2, …
    std::size_t member = 0;
    unsigned restarts = 0;
    std::string client{};
    std::unique_ptr<Restartable> process{};
    Tail tail{""};
  };

  Network& network() { return network_; }
  EngineUnderTest& engine() { return *engine_; }
  std::vector<Member>& members() { return members_; }
  std::deque<Worker>& workers() { return workers_; }
  const std::vector<std::string>& locks() const { return locks_; }

  // Whether every worker has been inside within that time.
  bool wait_until_all_entered(std::chrono::milliseconds patience);
  void jump_clock(std::size_t member, long seconds);
  // Kills it, notes its end, and starts another one in its place.
  void replace_worker(std::size_t which);
  // Mends whatever is broken; what was killed is started again.
  void heal();
  // Asks the workers to end. Returns how many did not within that time: they wait for ever.
  std::size_t end_workers(std::chrono::milliseconds patience);
  // What each daemon says of itself, beside its log: for people who look for the reason.
  void note_status();
  // Notes what the counters hold. REQUIRES: the workers have ended.
  void note_totals();
  void end_members();

  std::vector<std::string> histories() const;
  // At which member each client was, those that were killed included.
  const std::map<std::string, std::size_t>& member_of_client() const { return member_of_client_; }

 private:
  void add_member(const Plan& plan);
  void start_worker(Worker& worker);

  const Plan plan_;
  Network network_;
  std::unique_ptr<EngineUnderTest> engine_;
  std::string addresses_;  // Of all members, as a list.
  std::vector<Member> members_;
  std::vector<std::string> locks_;
  std::deque<Worker> workers_;
  std::map<std::string, std::size_t> member_of_client_;
  std::string own_history_;
};

}  // namespace hapax::faults
