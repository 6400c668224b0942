// The contract of a mutual-exclusion algorithm: a plain value, message in, effects out. No sockets,
// no threads, no clocks, no randomness; so that simulator, checker, replay and node drive the same
// object.
//
//   copyable, comparable, encodable  through its HAPAX_RECORD
//   deterministic                    same inputs, same effects, same order
//   no size limit                    the class checked at N=3 is the class simulated at N=1,000,000
//   lazy                             a node that never heard of a lock is in the state A{view}
//
// An algorithm also tells its counter, its clock or its turns, and lets it be raised while it is
// idle. A node that forgets an instance which is otherwise like new lets the next one begin at the
// highest counter forgotten.
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
#include "core/mutex_info.h"
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

template <class Variant>
inline constexpr bool kAllRecords = false;
template <class... Ts>
inline constexpr bool kAllRecords<std::variant<Ts...>> = (Record<Ts> && ...);

template <class A>
concept CountsByClock = requires(A a, const A ca) {
  { ca.clock() } -> std::same_as<Clock>;
  a.raise_clock(Clock{});  // REQUIRES: phase() == idle. To that, unless it is higher already.
};
template <class A>
concept CountsByTurn = requires(A a, const A ca) {
  { ca.turn() } -> std::same_as<Turn>;
  a.raise_turn(Turn{});  // REQUIRES: phase() == idle. Where turns are counted; elsewhere nothing.
};

template <class A>
concept MutexAlgorithm = std::copyable<A> && Record<A> && kAllRecords<typename A::Message> &&
    (CountsByClock<A> || CountsByTurn<A>)&&requires(A a, const A ca, NodeId from,
                                                    const typename A::Message& m,
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

// What may be forgotten of an instance that is otherwise like new: its clock, or its turns.
template <MutexAlgorithm A>
std::uint64_t counter_of(const A& a) {
  if constexpr (CountsByClock<A>) {
    return number(a.clock());
  } else {
    return number(a.turn());
  }
}

template <MutexAlgorithm A>
void raise_counter(A& a, std::uint64_t floor) {
  if constexpr (CountsByClock<A>) {
    a.raise_clock(Clock{floor});
  } else {
    a.raise_turn(Turn{floor});
  }
}

}  // namespace hapax
