// A planted bug, for tests of what simulator and checker check: one that never fails
// proves nothing. Mutant<A, Bug> is a mutual-exclusion algorithm that holds a real A and lets the
// Bug take its steps; the Bug rewrites what goes in or what comes out. A itself knows nothing of
// it.
//
//   struct ForgetsReleases : NoBug<Lamport> {
//     HAPAX_RECORD(ForgetsReleases)
//     void release(Self self, Fx& fx) {
//       Fx real;
//       self.real.release(real);
//       hand_on_if(real, self, fx, [](NodeId to, const Message&) { return number(to) != 0; });
//     }
//   };
//   Simulation<Mutant<Lamport, ForgetsReleases>> …
//   check_mutex<Mutant<Lamport, ForgetsReleases>>(…)
//
// The bugs themselves are in bugs_<algorithm>.h beside this file.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/check.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "core/view.h"

namespace hapax::testing {

// Bugs live in a namespace of their own; they are compared through their base, NoBug.
using hapax::operator==;

// Which member takes a step: the real algorithm behind the bug, and where it is.
template <MutexAlgorithm A>
struct Member {
  A& real;
  const View& view;
};

// Takes every step as the algorithm does. A bug hides those that it takes differently.
template <MutexAlgorithm A>
struct NoBug {
  using Message = typename A::Message;
  using Fx = Effects<Message>;
  using Self = Member<A>;

  void start(Self self, Fx& fx) { hapax::start(self.real, fx); }
  void request(Self self, Fx& fx) { self.real.request(fx); }
  void request_in(Self self, Mode mode, Fx& fx) { self.real.request(mode, fx); }
  void release(Self self, Fx& fx) { self.real.release(fx); }
  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    self.real.receive(from, message, fx);
  }
};

template <MutexAlgorithm A, Record Bug>
class Mutant {
 public:
  static constexpr MutexInfo kInfo = A::kInfo;
  using Message = typename A::Message;
  using Options = typename OptionsOf<A>::Type;

  explicit Mutant(const View& view, const Options& options = {})
      : real_(make<A>(view, options)), view_{view} {}

  // --- of an algorithm that lets several in ---
  static constexpr auto kModes = [] {
    if constexpr (SharedAlgorithm<A>) {
      return A::kModes;
    } else {
      return 0;
    }
  }();
  Mutant(const View& view, const Options& options, const Holding& own) requires SharedAlgorithm<A>
      : real_(view, options, own), view_{view} {}
  void request(Mode mode, Effects<Message>& fx) requires SharedAlgorithm<A> {
    bug_.request_in(self(), mode, fx);
  }
  bool may_request() const requires SharedAlgorithm<A> { return real_.may_request(); }
  Holding holding() const requires SharedAlgorithm<A> { return real_.holding(); }
  std::uint32_t capacity() const requires SharedAlgorithm<A> { return real_.capacity(); }

  void start(Effects<Message>& fx) { bug_.start(self(), fx); }
  void request(Effects<Message>& fx) { bug_.request(self(), fx); }
  void release(Effects<Message>& fx) { bug_.release(self(), fx); }
  void receive(NodeId from, const Message& message, Effects<Message>& fx) {
    bug_.receive(self(), from, message, fx);
  }
  Phase phase() const { return real_.phase(); }

  Clock clock() const requires CountsByClock<A> { return real_.clock(); }
  void raise_clock(Clock floor) requires CountsByClock<A> { real_.raise_clock(floor); }
  Turn turn() const requires CountsByTurn<A> { return real_.turn(); }
  void raise_turn(Turn floor) requires CountsByTurn<A> { real_.raise_turn(floor); }
  bool take_back(const Message& message) requires(A::kInfo.token_rests) {
    return real_.take_back(message);
  }

  HAPAX_RECORD(Mutant, real_, view_, bug_)

 private:
  Member<A> self() { return {real_, view_.value}; }

  A real_;
  Fixed<View> view_;
  Bug bug_;
};

// Does to `fx` what the real step did, except for messages that `keep(to, message)` refuses.
template <class Message, class Self, class Keep>
void hand_on_if(const Effects<Message>& real, Self self, Effects<Message>& fx, Keep&& keep) {
  real.for_each_message(self.view.self, self.view.size, [&](NodeId to, const Message& message) {
    if (keep(to, message)) fx.send(to, message);
  });
  if (real.entered()) fx.enter(*real.entered());
  if (real.rejected() != Reject::none) fx.reject(real.rejected());
}

// No bug, but all that comes out goes through the wrapper's hands.
template <MutexAlgorithm A>
struct HandsAllOn : NoBug<A> {
  HAPAX_RECORD(HandsAllOn)
  using typename NoBug<A>::Message;
  using typename NoBug<A>::Fx;
  using typename NoBug<A>::Self;

  void request(Self self, Fx& fx) {
    hand_on(self, fx, [&](Fx& real) { self.real.request(real); });
  }
  void request_in(Self self, Mode mode, Fx& fx) {
    hand_on(self, fx, [&](Fx& real) { self.real.request(mode, real); });
  }
  void release(Self self, Fx& fx) {
    hand_on(self, fx, [&](Fx& real) { self.real.release(real); });
  }
  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    hand_on(self, fx, [&](Fx& real) { self.real.receive(from, message, real); });
  }

 private:
  template <class Step>
  static void hand_on(Self self, Fx& fx, Step&& step) {
    Fx real;
    step(real);
    hand_on_if(real, self, fx, [](NodeId, const Message&) { return true; });
  }
};

// A field of a record by its name, without the trailing underscore. REQUIRES: it is a T.
template <class T, Record R>
T& field(R& record, std::string_view name) {
  T* found = nullptr;
  for_each_field(record, [&](std::string_view field_name, auto& value) {
    if constexpr (std::same_as<std::remove_reference_t<decltype(value)>, T>) {
      if (field_name == name) found = &value;
    }
  });
  HAPAX_CHECK(found != nullptr);
  return *found;
}

}  // namespace hapax::testing
