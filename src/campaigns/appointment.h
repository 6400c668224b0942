// The coordinator of `central`, for one epoch: elected among all members of the view, then fixed.
// Pure, like the lock table: calls in, an Outbox out.
//
// Inside a view nothing fails, so the election runs without any suspicion (a cut link is resent)
// and has one possible outcome. But exclusion must not hang on that, so the election only proposes:
//
//   1. Each member votes for the leader that the election names to it first, and never again.
//   2. A member that has the votes of all, its own included, is appointed, and says so.
//   3. A member takes the one it voted for as its coordinator when that one says it is appointed.
//
// Why two cannot act in one epoch: whoever acts has voted for itself, and whoever else acts would
// need that very vote, which is given once. This holds whatever the election does, and also if
// members lose their memory: one that acts has not lost its own. What a wrong election can cost is
// that nobody is appointed; then locks by `central` wait.
//
// No message of `central` comes before its receiver knows the coordinator: it asks only after
// "appointed", which the coordinator sends after it has begun to act, and grants answer requests.
// So a table needs to keep nothing for later, and what comes too early is a peer's fault.
//
// The election is held when the first lock wants a coordinator; a group without `central` is
// silent.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.h"
#include "campaigns/election_payload.h"
#include "campaigns/elector.h"
#include "locks/lock_table.h"
#include "locks/outbox.h"

namespace hapax {

class Appointment {
 public:
  Appointment(const Membership& membership, ElectionId election);

  // Somebody here needs the coordinator. Told twice is told once.
  void call(Outbox& out);
  // REQUIRES: `from` is another member; a kind of this election's: ballot, vote, appointed.
  void receive(NodeId from, const ElectionPayload& payload, Outbox& out);
  // `peer` came back without its memory. It is told who leads, and may vote anew; but whoever
  // voted for it does not do so again: what it had granted nobody knows any more.
  void forgotten(NodeId peer, Outbox& out);

  std::optional<NodeId> coordinator() const { return coordinator_; }
  Term term() const { return elector_.term(); }

 private:
  void carry_out(Outbox& out);
  void on_vote(NodeId from, Outbox& out);
  void on_appointed(NodeId from, Outbox& out);
  void send(NodeId to, ElectionPayload::Kind kind, Outbox& out) const;
  bool has_all_votes() const { return votes_.size() + 1 == membership_.size; }

  Membership membership_;
  Elector elector_;
  std::vector<Elector::Mail> mail_;  // Empty between calls.
  bool called_ = false;
  std::optional<NodeId> vote_;         // Ours. Never changes once given.
  std::set<NodeId> votes_;             // Others' for us.
  std::optional<NodeId> coordinator_;  // Invariant: vote_, or none. Never changes once known.
};

// What belongs together after each step of either: a table that waits calls the election, and is
// told its outcome.
void settle_coordinator(Appointment& appointment, LockTable& table, Outbox& out);

}  // namespace hapax
