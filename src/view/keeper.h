// The view change at one member: when to stop, whom to report to, when to begin, and when all is
// lost. Pure like an algorithm: what was read or committed, what has run out and who has reported
// come in; what to do goes out. No engine, no network, no clock.
//
// What the driver must ensure:
//   - Before anything else it hands in, it says lease_ended() if the lease has run out: TTL after
//     the last acknowledged beat was *sent*, on the monotonic clock, less a margin for drift.
//   - on_overdue() only after seeing a beat unchanged for TTL plus margin on its own clock.
//   - Frames carry their epoch and are treated as what_to_do() says: nothing of a view is handled
//     before it begins here or after it stops.
//   - Effects are carried out in the order in which Effects lists them.
//   - A life is used once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "view/roll.h"

namespace hapax {

enum class Standing : std::uint8_t {
  outside,    // Nobody knows of us.
  announced,  // Our beat is in the register; no view has us yet.
  changing,   // A view has us; reports are missing.
  running,
  ended,  // This life is over.
};
constexpr bool is_valid(Standing standing) { return standing <= Standing::ended; }
constexpr std::string_view name_of(Standing standing) {
  switch (standing) {
    case Standing::outside:
      return "connecting";
    case Standing::announced:
      return "waiting to be let in";
    case Standing::changing:
      return "changing views";
    case Standing::running:
      return "running";
    case Standing::ended:
      return "starting over";
  }
  return "?";
}

// What became of a commit. Unknown: the answer was lost; it may have happened.
enum class Outcome : std::uint8_t { committed, conflict, unknown };

class Keeper {
 public:
  // To be carried out in this order.
  struct Effects {
    bool lost = false;  // All grants here end: tell the clients, then let the algorithms release.
    // We are leaving: tell the clients inside. What they hold stays held until they have left or
    // the lease is over: it was promised to them for that long.
    bool recall = false;
    bool stop = false;      // Handle no message of the view, grant nothing, take back every word.
    bool report = false;    // Tell every other member of roll() which locks are held here.
    bool begin = false;     // All reports are in: every lock starts from its holder, then go on.
    bool ended = false;     // Drop everything. To come back, be another life.
    bool announce = false;  // Create our beat, if there is none …
    bool beat = false;      // … or renew it, if it is still there and not marked.
    bool read = false;      // Read the register, and hand it in.
    std::optional<Proposal> proposal;  // Commit it, and say what became of it.

    void clear() { *this = {}; }
  };

  explicit Keeper(Life self) : self_(self) {}

  // --- what happens ---

  // Connected to every member there is: we may join. REQUIRES: outside.
  void announce(Effects& fx);
  void on_announced(Outcome outcome, Effects& fx);

  void beat_due(Effects& fx);
  void on_beat(Outcome outcome, Effects& fx);
  void lease_ended(Effects& fx);

  // Read by us, or told by a watch; older ones than before are ignored.
  void on_register(const Register& now, Effects& fx);
  // The next roll, as a fixed list agrees on it (unanimity.h) without a register or leases.
  void on_roll(const Roll& roll, Effects& fx) { learn(roll, fx); }

  // That beat stood still for TTL plus margin.
  void on_overdue(const Beat& beat);
  // Our links have lost what they had: the same members start afresh.
  void renew_view();
  // We want to leave. Nothing is granted any more, no beat renews the lease, and we are out when
  // nothing is held here any more or the lease is over.
  void leave(Effects& fx);
  // Nothing is held here. REQUIRES: leaving.
  void drained();
  // In a fixed list that is all there is to it: this life is over. REQUIRES: leaving.
  void retire(Effects& fx);
  // It is our turn to propose what is_due(). The lowest goes first, the others after a delay.
  void propose(Effects& fx);
  void on_proposed(Outcome outcome, Effects& fx);

  void on_report(Life from, Epoch epoch, Effects& fx);

  // --- what to ask ---

  enum class Handling : std::uint8_t {
    handle,
    drop,  // Of a view that has stopped here.
    keep,  // Of a view that has not begun here. What follows it on its link waits, too.
  };
  Handling what_to_do_with_report(Epoch epoch) const;
  Handling what_to_do_with_message(Epoch epoch) const;

  Life self() const { return self_; }
  Standing standing() const { return standing_; }
  // Whether a client may be let in: inside a view, under a lease that has not run out.
  bool may_grant() const { return standing_ == Standing::running && leased_ && !leaving_; }
  bool is_leased() const { return leased_; }
  bool is_leaving() const { return leaving_; }
  // For the view that is about to begin.
  bool has_reported(Life life) const;
  bool is_renewing() const { return renewing_; }
  // The view we stopped for or run in. REQUIRES: changing or running.
  const Roll& roll() const { return roll_; }
  // Whether `now` gives us reason to propose.
  bool is_due(const Register& now) const;
  bool is_proposing() const { return stage_ != Stage::none; }
  // What is being committed.
  const std::optional<Proposal>& pending() const { return pending_; }

  HAPAX_RECORD(Keeper, self_, standing_, leased_, leaving_, drained_, refused_, renewing_, roll_,
               reported_, overdue_, stage_, pending_)

  // How many are given up on at a time: engines take commits of a limited size.
  static constexpr std::size_t kMostGone = 20;

 private:
  enum class Stage : std::uint8_t { none, reading, committing };
  friend constexpr bool is_valid(Stage stage) { return stage <= Stage::committing; }

  std::optional<Proposal> proposal_from(const Register& now) const;
  bool is_gone(const Register& now, Life life) const;
  void learn(const Roll& roll, Effects& fx);
  void begin_if_complete(Effects& fx);
  void end(Effects& fx);

  Life self_;
  Standing standing_ = Standing::outside;
  bool leased_ = false;
  bool leaving_ = false;
  bool drained_ = false;
  bool refused_ = false;  // Our announcement was. The register says why.
  bool renewing_ = false;
  Roll roll_;
  std::vector<Life> reported_;  // Whose reports for roll_ are in, in order; while changing.
  std::vector<Beat> overdue_;   // Beats that have stood still.
  Stage stage_ = Stage::none;
  std::optional<Proposal> pending_;  // Invariant: there while committing.
};

}  // namespace hapax
