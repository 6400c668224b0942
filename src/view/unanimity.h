// How the members of a fixed list agree on their views: all of them, every time.
//
// A view of a fixed list has one life of each member. A member that is connected to all the others,
// and whose view is not of just these lives, reports for the next epoch with these lives. Whoever
// hears a report for a later epoch than it has promised reports for it, too, unless it knows better
// who lives; and when the reports of all are in, the view begins (keeper.h). So reports are votes:
//
//   - Each life reports for one roll an epoch, and writes the epoch down before it does. A view
//     needs the report of every member. So no epoch has two meanings, and none is used again as
//     long as one member remembers what it promised.
//   - Who reports has stopped. So of two views that have begun, all lives of the earlier one that
//     are still there have stopped.
//   - A roll with a life that is gone never begins. Somebody notices, and the next one overtakes
//   it.
//
// Nobody is ever removed: a dead member is waited for.
//
// What the driver must ensure:
//   - A life is used once, and parts from everybody when it ends. The next one at that place comes
//     only when all clients of the last one must have noticed.
//   - met() and parted() alternate for each peer, and a report is handed in between them.
//   - What want() leaves in wanted() is written down, and then promised().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "view/roll.h"

namespace hapax {

class Unanimity {
 public:
  // `promised`: the highest epoch that this member has written down. REQUIRES: self < size.
  Unanimity(NodeId self, Life life, std::uint32_t size, Epoch promised);

  // --- what happens ---

  // Connected to that member, which is this life now; not connected any more. REQUIRES: another.
  void met(NodeId peer, Life life) { lives_[number(peer)] = life; }
  void parted(NodeId peer) { lives_[number(peer)] = Life{}; }

  // A report for `roll` came in. Whether we want to report for it as well.
  bool on_report(const Roll& roll);
  // Wants to report for the next epoch, if there is reason to: everybody is there, and `current` is
  // not of these lives, or is to begin `afresh`. Whether it does.
  bool propose(const Roll& current, bool afresh);
  // The epoch has been written down. The roll to report for now, if it is the one still wanted.
  std::optional<Roll> promised(Epoch epoch);

  // --- what to ask ---

  // To be reported for as soon as its epoch is written down.
  const std::optional<Roll>& wanted() const { return wanted_; }
  Epoch highest_promised() const { return promised_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(lives_.size()); }
  NodeId self() const { return self_; }
  // 0: not connected.
  Life life_at(NodeId peer) const { return lives_[number(peer)]; }

  HAPAX_RECORD(Unanimity, self_, lives_, promised_, heard_, wanted_)

 private:
  // Nobody reaches it by counting: whoever names a higher one is out of its mind.
  static constexpr Epoch kHighest{std::uint64_t{1} << 62};

  bool contradicts(const Roll& roll) const;

  NodeId self_;
  std::vector<Life> lives_;  // By place, our own among them; 0: not connected.
  Epoch promised_;
  Epoch heard_{};               // The highest that we did not follow: ours has to exceed it.
  std::optional<Roll> wanted_;  // Invariant: later than promised_.
};

}  // namespace hapax
