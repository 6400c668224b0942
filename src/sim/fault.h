// What goes wrong in a run, and when. The algorithms assume that none of it happens inside a view;
// the simulator shows what breaks when it does.
//
//   loss:0.01               each message is lost with this probability
//   dup:0.01                each message arrives twice with this probability
//   crash:3@50ms            process 3 stops for ever
//   pause:3@50ms+20ms       process 3 does nothing for 20 ms, then goes on where it was
//   partition:0-4@50ms+1s   messages between processes 0-4 and the others are lost for a second
//
// A process may be `any`, drawn from the seed; a time may be a range, 10ms..90ms, drawn from it
// too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id_set.h"
#include "base/prng.h"
#include "base/result.h"
#include "base/duration.h"

namespace hapax {

struct Fault {
  enum class Kind : std::uint8_t { loss, dup, crash, pause, partition };

  Kind kind{};
  double probability = 0;  // loss, dup
  NodeSet processes;       // crash, pause: the one; partition: one side
  bool any_process = false;
  Nanos from_earliest = 0;
  Nanos from_latest = 0;
  Nanos length = kNever;  // pause, partition
  std::string text;
};

Result<Fault> parse_fault(std::string_view text);

// The faults of one run of n processes, with everything drawn.
class FaultPlan {
 public:
  struct Scheduled {
    Fault::Kind kind;
    NodeSet processes;
    Nanos from;
    Nanos until;
  };

  FaultPlan() = default;
  static Result<FaultPlan> draw(const std::vector<Fault>& faults, std::uint32_t n, Prng& prng);

  bool any() const { return loss_ > 0 || dup_ > 0 || !scheduled_.empty(); }
  double loss() const { return loss_; }
  double dup() const { return dup_; }
  const std::vector<Scheduled>& scheduled() const { return scheduled_; }

 private:
  double loss_ = 0;
  double dup_ = 0;
  std::vector<Scheduled> scheduled_;
};

}  // namespace hapax
