// The view change at one member: when to stop, whom to report to, when to begin, and when all is
// lost. Pure like an algorithm: what was read or committed, what has run out and who has reported
// come in; what to do goes out. No engine, no network, no clock.
//
// What the driver must ensure:
//   - Before anything else it hands in, it says lease_ended() if the lease has run out: TTL after
//     the last acknowledged beat was *sent*, on the monotonic clock, less a margin for drift. And
//     lapse() with it.
//   - on_overdue() only after seeing a beat unchanged for TTL plus margin on its own clock, or a
//     member of the roll without one.
//   - Frames carry their epoch and are treated as what_to_do() says: nothing of a view is handled
//     before it begins here or after it stops.
//   - may_found() only after seeing no roll with members in the register for TTL plus margin on its
//     own clock, unless there never was a group: an engine may have lost its records, or been
//     restored to those of a group that had stopped, but no lease ends by that.
//   - A register is handed in only if it was read after our last commit that has been answered: one
//     with a lower epoch than we have seen means that the engine went back.
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

  // `above`: the highest epoch that was ever seen here. Views of this life come after it.
  explicit Keeper(Life self, Epoch above = {}) : self_(self), roll_{above, {}} {}

  // --- what happens ---

  // Connected to every member there is: we may join. REQUIRES: outside.
  void announce(Effects& fx);
  void on_announced(Outcome outcome, Effects& fx);

  void beat_due(Effects& fx);
  void on_beat(Outcome outcome, Effects& fx);
  void lease_ended(Effects& fx);

  // Read by us, or told by a watch. A member ends if the engine went back. `beyond`: an epoch that
  // no view has reached, by the clock. Whoever has not been in the recorded view all the time
  // cannot tell whether it is the latest, and proposes one after that.
  void on_register(const Register& now, Effects& fx, Epoch beyond = {});
  // The register is older than one that we have read: whatever we are in it, this life is over.
  void on_went_back(Effects& fx) {
    if (standing_ != Standing::outside && standing_ != Standing::ended) end(fx);
  }
  // The next roll, as a fixed list agrees on it (unanimity.h) without a register or leases.
  void on_roll(const Roll& roll, Effects& fx) { learn(roll, fx); }

  // That beat stood still for TTL plus margin; of version 0: that member of the roll had none for
  // so long.
  void on_overdue(const Beat& beat);
  // There was nobody in the roll for long enough: we may be the first.
  void may_found() { founds_ = true; }
  // Nothing has been read for so long that what stood still may have moved since, and be back.
  void look_anew() {
    overdue_.clear();
    founds_ = false;
  }
  // Our links have lost what they had: the same members start afresh, and we grant nothing before
  // that.
  void renew_view();
  // The lease had run out: the group may have gone on without us, and the engine may be restored
  // from a copy that does not know. This life beats no more, reports for no view, and is over as
  // soon as the engine answers; the next one waits for it, and so for every lease that such a copy
  // has forgotten. The same holds for one that has been announced, maybe, and did not hear of it
  // for as long as that would have been a lease.
  void lapse() { lapsed_ = standing_ != Standing::ended; }
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
  // Whether a client may be let in: inside a view, under a lease that has not run out since.
  bool may_grant() const {
    return standing_ == Standing::running && leased_ && !leaving_ && !renewing_;
  }
  bool is_leased() const { return leased_; }
  bool is_leaving() const { return leaving_; }
  bool has_lapsed() const { return lapsed_; }
  // For the view that is about to begin.
  bool has_reported(Life life) const;
  bool is_renewing() const { return renewing_; }
  bool founds() const { return founds_; }
  // The view we stopped for or run in. Else nobody is in it, and its epoch is the highest we know.
  const Roll& roll() const { return roll_; }
  // Whether `now` gives us reason to propose.
  bool is_due(const Register& now) const;
  bool is_proposing() const { return stage_ != Stage::none; }
  // What is being committed.
  const std::optional<Proposal>& pending() const { return pending_; }

  HAPAX_RECORD(Keeper, self_, standing_, leased_, leaving_, drained_, refused_, renewing_, lapsed_,
               founds_, roll_, reported_, overdue_, stage_, pending_)

  // How many are given up on at a time: engines take commits of a limited size.
  static constexpr std::size_t kMostGone = 20;

 private:
  enum class Stage : std::uint8_t { none, reading, committing };
  friend constexpr bool is_valid(Stage stage) { return stage <= Stage::committing; }

  bool is_member() const {
    return standing_ == Standing::changing || standing_ == Standing::running;
  }
  std::optional<Proposal> proposal_from(const Register& now, Epoch beyond = {}) const;
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
  bool lapsed_ = false;
  bool founds_ = false;
  Roll roll_;
  std::vector<Life> reported_;  // Whose reports for roll_ are in, in order; while changing.
  std::vector<Beat> overdue_;   // Beats that have stood still.
  Stage stage_ = Stage::none;
  std::optional<Proposal> pending_;  // Invariant: there while committing.
};

}  // namespace hapax
