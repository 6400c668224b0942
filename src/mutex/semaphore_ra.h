// Raymond, "A distributed algorithm for multiple entries to a critical section", Information
// Processing Letters 30(4), 1989: Ricart & Agrawala's algorithm with k units instead of one, of
// which a member may use several.
//
// Ask everybody. A REPLY says how many units its sender uses, or has asked for earlier; a member
// that has said nothing may be using all that one member may. Enter when this leaves a unit. A
// member that uses all it may keeps silent, since its reply would say nothing new. One that said
// how many it uses says so again when it uses fewer.
//
// With one unit per member that is Raymond's rule, to enter with N-k replies; with one unit in all
// it is Ricart–Agrawala, message by message. 2(N-1) messages per entry where nobody uses a unit.
// Beyond that a release costs a message to each member that was told of more units; some come late
// and are ignored.
//
// Needs reliable channels; their order does not matter, and duplicates do no harm. The turn is the
// stamp of the request, so no two entries share one. Where k > 1 turns do not grow from entry to
// entry: a member that asked earlier may enter later, and be inside together with others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "base/box.h"
#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_choices.h"
#include "core/shared_algorithm.h"
#include "core/stamp.h"
#include "core/view.h"

namespace hapax {

class SemaphoreRa {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "semaphore-ra",
      .id = AlgorithmId{12},
      .summary = "ask everybody; enter when all replies leave a unit (Raymond 1989)",
      .kind = "permission",
      .needs = Channels::unordered,
      .takes = {.units = true},
      .turns_are_stamps = true,
      .never_repeats_with_units =
          "what a member was told of units in use may be as old as you like",
      .theory = &theory};
  static constexpr std::array kModes{Mode::shared};

  using Options = MutexChoices;
  struct Request {
    Clock clock{};
    HAPAX_RECORD(Request, clock)
  };
  // Of the sender's units, and requests for one, at most `units` come before any request of the
  // receiver up to `clock`. The later ones let it pass.
  struct Reply {
    Clock clock{};
    std::uint32_t units = 0;
    HAPAX_RECORD(Reply, clock, units)
  };
  using Message = std::variant<Request, Reply>;

  explicit SemaphoreRa(const View& view) : SemaphoreRa(view, Options{}) {}
  SemaphoreRa(const View& view, const Options& options)
      : SemaphoreRa(view, options, {Mode::shared, view.starts_inside() ? 1u : 0u}) {}
  // REQUIRES: options.units > 0; the member holds no more than it may.
  SemaphoreRa(const View& view, const Options& options, const Holding& own);

  void request(Effects<Message>& fx) { request(Mode::shared, fx); }
  void request(Mode mode, Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return wait_ ? Phase::waiting : used_ > 0 ? Phase::inside : Phase::idle; }
  bool may_request() const { return !wait_ && used_ < per_member_; }
  Holding holding() const { return {Mode::shared, used_}; }
  std::uint32_t capacity() const { return units_; }

  Clock clock() const { return clock_; }
  void raise_clock(Clock floor) { clock_ = std::max(clock_, floor); }

  // What a member said about its units.
  struct Told {
    NodeId node{};
    std::uint32_t units = 0;  // Invariant: > 0.
    HAPAX_RECORD(Told, node, units)
  };
  // Our request for a unit.
  struct Wait {
    Clock asked{};
    NodeSet silent;                // Who has not replied.
    std::vector<Told> told;        // Who has, and uses some. By node.
    std::uint64_t told_units = 0;  // Their sum.
    HAPAX_RECORD(Wait, asked, silent, told, told_units)
  };
  // A member to be told when fewer units are used here than it knows of.
  struct Listener {
    NodeId node{};
    Clock asked{};            // By its latest request.
    std::uint32_t units = 0;  // What it knows of. Invariant: > 0.
    HAPAX_RECORD(Listener, node, asked, units)
  };

  HAPAX_RECORD(SemaphoreRa, self_, size_, units_, per_member_, clock_, used_, wait_, listeners_)

 private:
  void on_request(NodeId from, Clock clock, Effects<Message>& fx);
  void on_reply(NodeId from, const Reply& reply, Effects<Message>& fx);
  void tell_listeners(Effects<Message>& fx);
  void enter_if_there_is_room(Effects<Message>& fx);
  std::uint32_t units_before(Stamp theirs) const;
  void listen(NodeId node, Clock asked, std::uint32_t units);
  Stamp own() const { return {wait_->asked, self_}; }

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Fixed<std::uint32_t> units_;
  Fixed<std::uint32_t> per_member_;
  Clock clock_{};                         // Invariant: no smaller than any clock seen in a message.
  std::uint32_t used_ = 0;                // Units with which this member is inside.
  Box<Wait> wait_;                        // Invariant: there exactly while it waits.
  Box<std::vector<Listener>> listeners_;  // By node. Invariant: not empty if there.
};

static_assert(SharedAlgorithm<SemaphoreRa>);
static_assert(sizeof(SemaphoreRa) <= 64);

}  // namespace hapax
