// Lamport, "A new solution of Dijkstra's concurrent programming problem", CACM 17(8), 1974: draw a
// ticket larger than all you see, then wait until nobody has a smaller one. Here over messages:
// each member keeps its own `choosing` and `number` and serves them to readers; a wait is a read
// whose answer the owner defers. Three rounds of reads, each of everybody at once:
//
//   READNUMBER -> NUMBER   the doorway: the own ticket will be one more than the largest
//   READCHOSEN -> CHOSEN   deferred while its owner is drawing a ticket
//   READTURN   -> PASSED   deferred while its owner's ticket comes before the reader's
//
// Needs reliable channels; their order does not matter: a read is one question and one answer, true
// as it is sent, and the next round begins when all answers are in. 6(N-1) messages per entry.
#pragma once

#include <algorithm>
#include <variant>

#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/view.h"

namespace hapax {

class Bakery {
 public:
  static Theory theory(const TheoryInput& input);
  static constexpr MutexInfo kInfo{
      .name = "bakery",
      .id = AlgorithmId{10},
      .summary = "draw a ticket and wait for all smaller ones, by reading everybody (1974)",
      .kind = "permission",
      .needs = Channels::unordered,
      .never_repeats = "tickets grow as long as somebody has one",
      .theory = &theory};

  struct ReadNumber {
    HAPAX_RECORD(ReadNumber)
  };
  struct Number {
    std::uint64_t number = 0;
    HAPAX_RECORD(Number, number)
  };
  struct ReadChosen {
    HAPAX_RECORD(ReadChosen)
  };
  struct Chosen {
    HAPAX_RECORD(Chosen)
  };
  struct ReadTurn {
    std::uint64_t number = 0;  // The reader's ticket.
    HAPAX_RECORD(ReadTurn, number)
  };
  // The sender has no ticket, or a later one than the reader's.
  struct Passed {
    Turn turn{};  // The highest turn the sender knows of.
    HAPAX_RECORD(Passed, turn)
  };
  using Message = std::variant<ReadNumber, Number, ReadChosen, Chosen, ReadTurn, Passed>;

  enum class Round : std::uint8_t { none, numbers, chosen, turns };
  friend constexpr bool is_valid(Round round) { return round <= Round::turns; }

  explicit Bakery(const View& view);

  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }

  // Knowing of a turn that never was does no harm: the next one is still above it.
  Turn turn() const { return turn_; }
  void raise_turn(Turn floor) { turn_ = std::max(turn_, floor); }

  HAPAX_RECORD(Bakery, self_, size_, phase_, round_, number_, turn_, awaiting_, deferred_)

 private:
  bool is_choosing() const { return round_ == Round::numbers; }
  bool precedes(NodeId reader, std::uint64_t number) const;
  bool is_awaited(NodeId from, Round round, Effects<Message>& fx);
  void on_read_number(NodeId from, Effects<Message>& fx);
  void on_read_chosen(NodeId from, Effects<Message>& fx);
  void on_read_turn(NodeId from, std::uint64_t number, Effects<Message>& fx);
  void on_number(NodeId from, std::uint64_t number, Effects<Message>& fx);
  void on_chosen(NodeId from, Effects<Message>& fx);
  void on_passed(NodeId from, Turn turn, Effects<Message>& fx);
  void defer(NodeId from, Effects<Message>& fx);
  void read_all(Round round, const Message& question, Effects<Message>& fx);
  void finish_round_if_answered(Effects<Message>& fx);
  void choose(Effects<Message>& fx);
  void enter(Effects<Message>& fx);

  Fixed<NodeId> self_;
  Fixed<std::uint32_t> size_;
  Phase phase_ = Phase::idle;
  Round round_ = Round::none;  // Invariant: none unless waiting.
  // Our ticket, 0 while idle. While choosing: the largest seen so far, and readers are told 0.
  std::uint64_t number_ = 0;
  // The highest turn known. Tickets become small again when all are idle, so they are no fence. The
  // turn is drawn at entry, above all that came with the last round. It strictly grows: let k have
  // entered before i does. If k had let i pass before it entered itself, k would have had no ticket
  // or a later one; without a ticket k had not begun to choose when i found it had chosen, so it
  // has read i's since and drawn a later one; and with a later one it could not have entered before
  // i. So k let i pass after it left, and its answer told i of k's turn.
  Turn turn_{};
  NodeSet awaiting_;  // Whose answer of this round is missing. Invariant: empty unless waiting.
  // Readers whose answer has to wait. Invariant: while choosing, those who asked whether we had
  // chosen; afterwards, those whose ticket comes after ours; so empty while idle.
  NodeSet deferred_;
};

static_assert(sizeof(Bakery) <= 64);

}  // namespace hapax
