// All mutants of one algorithm as one type; which of them it is, is chosen as it is made. The
// search over a type is long to compile, and so it is compiled once for an algorithm, not for each
// of its bugs.
#pragma once

#include <utility>
#include <variant>

#include "base/check.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "core/view.h"
#include "mutex/testing/mutant.h"

namespace hapax::testing {

template <MutexAlgorithm A, Record... Bugs>
class MutantsOf {
 public:
  static constexpr MutexInfo kInfo = A::kInfo;
  using Real = A;
  using Message = typename A::Message;
  using NoneOfThem = HandsAllOn<A>;
  using RealOptions = typename OptionsOf<A>::Type;
  using Any = std::variant<Mutant<A, NoneOfThem>, Mutant<A, Bugs>...>;

  template <class Bug>
  static Any plant(const View& view, const RealOptions& options) {
    return Any{std::in_place_type<Mutant<A, Bug>>, view, options};
  }

  struct Options {
    RealOptions real{};
    Any (*plant)(const View&, const RealOptions&) = &MutantsOf::plant<NoneOfThem>;
  };

  explicit MutantsOf(const View& view) : MutantsOf(view, Options{}) {}
  MutantsOf(const View& view, const Options& options)
      : mutant_(options.plant(view, options.real)) {}

  // --- of an algorithm that lets several in ---
  static constexpr auto kModes = Mutant<A, NoneOfThem>::kModes;
  // REQUIRES: the member holds nothing.
  MutantsOf(const View& view, const Options& options,
            const Holding& own) requires SharedAlgorithm<A> : MutantsOf(view, options) {
    HAPAX_CHECK(own.units == 0);
  }
  void request(Mode mode, Effects<Message>& fx) requires SharedAlgorithm<A> {
    std::visit([&](auto& mutant) { mutant.request(mode, fx); }, mutant_);
  }
  bool may_request() const requires SharedAlgorithm<A> {
    return std::visit([](const auto& mutant) { return mutant.may_request(); }, mutant_);
  }
  Holding holding() const requires SharedAlgorithm<A> {
    return std::visit([](const auto& mutant) { return mutant.holding(); }, mutant_);
  }
  std::uint32_t capacity() const requires SharedAlgorithm<A> {
    return std::visit([](const auto& mutant) { return mutant.capacity(); }, mutant_);
  }

  void start(Effects<Message>& fx) {
    std::visit([&](auto& mutant) { mutant.start(fx); }, mutant_);
  }
  void request(Effects<Message>& fx) {
    std::visit([&](auto& mutant) { mutant.request(fx); }, mutant_);
  }
  void release(Effects<Message>& fx) {
    std::visit([&](auto& mutant) { mutant.release(fx); }, mutant_);
  }
  void receive(NodeId from, const Message& message, Effects<Message>& fx) {
    std::visit([&](auto& mutant) { mutant.receive(from, message, fx); }, mutant_);
  }
  Phase phase() const {
    return std::visit([](const auto& mutant) { return mutant.phase(); }, mutant_);
  }

  Clock clock() const requires CountsByClock<A> {
    return std::visit([](const auto& mutant) { return mutant.clock(); }, mutant_);
  }
  void raise_clock(Clock floor) requires CountsByClock<A> {
    std::visit([&](auto& mutant) { mutant.raise_clock(floor); }, mutant_);
  }
  Turn turn() const requires CountsByTurn<A> {
    return std::visit([](const auto& mutant) { return mutant.turn(); }, mutant_);
  }
  void raise_turn(Turn floor) requires CountsByTurn<A> {
    std::visit([&](auto& mutant) { mutant.raise_turn(floor); }, mutant_);
  }

  HAPAX_RECORD(MutantsOf, mutant_)

 private:
  Any mutant_;
};

}  // namespace hapax::testing
