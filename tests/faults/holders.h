// Strikes at the worker that is inside, time after time: the two experiments in docs/operations.md.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "faults/group.h"
#include "faults/plan.h"
#include "faults/strikes.h"

namespace hapax::faults {

class Holders {
 public:
  Holders(const Plan& plan, Group& group) : plan_(plan), group_(group) {}

  struct Outcome {
    unsigned rounds = 0;
    unsigned refused = 0, accepted = 0;  // Writes by holders that had been paused.
    std::vector<Kill> kills;
  };
  // Pauses the host of a worker that has read and not yet written, until another one has been at
  // the gate; then lets it go on, and write.
  Outcome pause_each();
  // Kills the daemon of a worker that is inside, and starts it again once another one has entered.
  Outcome kill_each();

 private:
  using Line = boost::json::object;

  bool is_over(unsigned rounds, unsigned wanted) const;
  // Who is inside, has read, and not written yet.
  Group::Worker* wait_for_holder();
  // Waits for a line that `wanted` accepts, of a worker that `whose` accepts; nothing, or an
  // exception, if none came.
  template <class Whose, class Wanted>
  std::optional<Line> line_within(std::chrono::milliseconds patience, const Whose& whose,
                                  const Wanted& wanted);
  template <class Whose, class Wanted>
  Line wait_for_line(const char* what, const Whose& whose, const Wanted& wanted);
  void wait_for_entry(const Group::Worker& worker);

  const Plan plan_;
  Group& group_;
};

}  // namespace hapax::faults
