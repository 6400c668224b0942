// A process group of this machine, as /proc shows it: the job of a client, to be ended as a whole.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace hapax {

class ProcessGroup {
 public:
  // Nothing if that process leads no group, or is not the owner's.
  static std::optional<ProcessGroup> led_by(pid_t leader, uid_t owner);

  // Whether any process of it is left. A zombie does not count: it does nothing any more, and its
  // parent may never wait for it.
  bool is_running() const;
  void kill() const;
  // Kills it until none is left; false if one still is when the time is up.
  bool end(std::chrono::milliseconds patience) const;

 private:
  ProcessGroup(pid_t id, std::uint64_t leader_began) : id_(id), leader_began_(leader_began) {}
  bool is_somebody_elses() const;

  pid_t id_;
  std::uint64_t leader_began_;  // Tells it from a later one of the same number.
};

}  // namespace hapax
