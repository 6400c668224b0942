// Readers and writers after Ricart & Agrawala: a REQUEST says whether its sender wants to read or
// to write. Readers do not defer readers; of any other two the one with the earlier stamp goes
// first.
//
// Nobody starves: a writer that waits defers all readers that asked later, and there are finitely
// many that asked earlier. 2(N-1) messages per entry, whether to read or to write.
//
// Needs reliable channels; their order does not matter, and duplicates do no harm, as in the
// original. The turn is the stamp of the request: a writer's is above those of all who were inside
// before it, a reader's above those of all writers before it. Those of readers inside together come
// in any order.
#pragma once

#include <algorithm>
#include <array>
#include <variant>

#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_choices.h"
#include "core/shared_algorithm.h"
#include "core/stamp.h"
#include "core/view.h"

namespace hapax {

class ReadersWriters {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "readers-writers",
      .id = AlgorithmId{11},
      .summary = "ask everybody; readers do not defer readers (after Ricart-Agrawala)",
      .kind = "permission",
      .needs = Channels::unordered,
      .turns_are_stamps = true,
      .readers_join = true,
      .theory = &theory};
  static constexpr std::array kModes{Mode::exclusive, Mode::shared};

  using Options = MutexChoices;
  struct Request {
    Clock clock{};
    Mode mode{};
    HAPAX_RECORD(Request, clock, mode)
  };
  // Approves every request of the receiver up to `clock`: the sender's own later ones come after
  // it, or do not exclude it.
  struct Reply {
    Clock clock{};
    HAPAX_RECORD(Reply, clock)
  };
  using Message = std::variant<Request, Reply>;

  // The view's holder, if it holds the lock, holds it alone.
  explicit ReadersWriters(const View& view)
      : ReadersWriters(view, {}, {Mode::exclusive, view.starts_inside() ? 1u : 0u}) {}
  ReadersWriters(const View& view, const Options&) : ReadersWriters(view) {}
  ReadersWriters(const View& view, const Options&, const Holding& own);

  void request(Effects<Message>& fx) { request(Mode::exclusive, fx); }
  void request(Mode mode, Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }
  bool may_request() const { return phase_ == Phase::idle; }
  Holding holding() const { return {mode_, phase_ == Phase::inside ? 1u : 0u}; }
  std::uint32_t capacity() const { return kAnyNumber; }

  // Somebody waits for this member to leave.
  bool is_wanted() const { return !deferred_.empty(); }

  // Lamport clocks may run ahead freely; a node lets them start at the highest it has dropped.
  Clock clock() const { return clock_; }
  void raise_clock(Clock floor) { clock_ = std::max(clock_, floor); }

  HAPAX_RECORD(ReadersWriters, self_, size_, clock_, asked_, phase_, mode_, awaiting_, deferred_)

 private:
  void on_request(NodeId from, const Request& request, Effects<Message>& fx);
  void on_reply(NodeId from, Clock clock, Effects<Message>& fx);
  void enter_if_approved(Effects<Message>& fx);
  Stamp own() const { return {asked_, self_}; }
  bool conflicts_with(Mode mode) const {
    return mode_ == Mode::exclusive || mode == Mode::exclusive;
  }

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Clock clock_{};  // Invariant: no smaller than any clock seen in a message.
  Clock asked_{};  // The clock of our request. Invariant: 0 unless waiting.
  Phase phase_ = Phase::idle;
  Mode mode_ = Mode::exclusive;  // Of our request. Invariant: exclusive while idle.
  NodeSet awaiting_;             // Whose reply is missing. Invariant: empty unless waiting.
  NodeSet deferred_;             // Whom to answer on leaving. Invariant: empty while idle.
};

static_assert(SharedAlgorithm<ReadersWriters>);
static_assert(sizeof(ReadersWriters) <= 64);

}  // namespace hapax
