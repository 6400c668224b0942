// What a lock's algorithm is given to do at one member, step by step. Algorithms are deterministic:
// with the state that it began from, that is all it takes to repeat a run elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/record.h"

namespace hapax {

struct LockStep {
  enum class Kind : std::uint8_t {
    request,
    release,
    receive,
    raise,  // Its counter, to `value` at least.
    mark,   // What `peer` has sent from here on, it sent after it began to record.
  };
  friend constexpr bool is_valid(Kind k) { return k <= Kind::mark; }

  Kind kind{};
  NodeId peer{};                      // Who sent it.
  std::vector<std::uint8_t> message;  // Received.
  std::uint64_t value = 0;
  std::optional<Turn> entered;  // The step led in, with that turn.
  std::uint64_t time_us = 0;    // Of the member's clock. For people: nothing is decided by it.
  HAPAX_RECORD(LockStep, kind, peer, message, value, entered, time_us)
};

// How the lock was when the first of the steps was taken.
struct LockStart {
  std::string algorithm;
  std::string voting_sets;          // As the rules name them; empty: the algorithm's own.
  NodeId home{};                    // The view's holder for this lock.
  std::vector<std::uint8_t> state;  // As the codec writes it.
  HAPAX_RECORD(LockStart, algorithm, voting_sets, home, state)
};

// Is told the steps of one lock. Its time is not set yet.
class LockObserver {
 public:
  virtual ~LockObserver() = default;
  virtual void on_step(LockStep&& step) = 0;
};

}  // namespace hapax
