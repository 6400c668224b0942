// The contract of a mutual-exclusion algorithm: a plain value, message in, effects out. No sockets,
// no threads, no clocks, no randomness; so that simulator, checker, replay and node drive the same
// object.
//
//   copyable, comparable, encodable  through its HAPAX_RECORD
//   deterministic                    same inputs, same effects, same order
//   no size limit                    the class checked at N=3 is the class simulated at N=1,000,000
//   lazy                             a node that never heard of a lock is in the state A{view}
//
// An algorithm also tells its counter, and lets it be raised while it is idle: clock() and
// raise_clock(), or turn() and raise_turn(). A node that forgets an instance which is otherwise
// like new lets the next one begin at the highest counter forgotten.
//
// Giving up a wait is the driver's business: an abandoned request is released once it is granted.
#pragma once

#include <concepts>
#include <string_view>
#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/make.h"
#include "core/view.h"

namespace hapax {

enum class Phase : std::uint8_t { idle, waiting, inside };

constexpr bool is_valid(Phase phase) { return phase <= Phase::inside; }
constexpr std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::idle:
      return "idle";
    case Phase::waiting:
      return "waiting";
    case Phase::inside:
      return "inside";
  }
  return "?";
}

// What an algorithm needs of its channels. Reliable always; the order of messages only for some.
enum class Channels : std::uint8_t { unordered, fifo };

// What there is to say about an algorithm in one line.
struct MutexInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view kind;  // permission | token | quorum
  Channels needs;
  bool can_deadlock = false;
  bool never_rests = false;       // Sends messages even when nobody wants to enter.
  bool turns_are_stamps = false;  // A turn is turn_of() the request's stamp.
  // Why states do not come again when members go on asking for ever, even with all clocks counted
  // from the lowest. Empty if they do.
  std::string_view never_repeats = "";
};

template <class Variant>
inline constexpr bool kAllRecords = false;
template <class... Ts>
inline constexpr bool kAllRecords<std::variant<Ts...>> = (Record<Ts> && ...);

template <class A>
concept MutexAlgorithm = std::copyable<A> && Record<A> && kAllRecords<typename A::Message> &&
    requires(A a, const A ca, NodeId from, const typename A::Message& m,
             Effects<typename A::Message>& fx) {
  { A::kInfo } -> std::convertible_to<MutexInfo>;
  A{View{}};               // Starts from any view, any holder.
  a.request(fx);           // REQUIRES: phase() == idle.
  a.release(fx);           // REQUIRES: phase() == inside.
  a.receive(from, m, fx);  // Any time; what the protocol forbids is rejected, not asserted.
  { ca.phase() } -> std::same_as<Phase>;
};

// The view begins. Only an algorithm whose token moves by itself has something to do.
template <MutexAlgorithm A>
void start(A& algorithm, Effects<typename A::Message>& fx) {
  if constexpr (requires { algorithm.start(fx); }) algorithm.start(fx);
}

}  // namespace hapax
