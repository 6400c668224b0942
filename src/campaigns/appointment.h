// The coordinator of `central`, for one epoch: elected among all members of the view, then fixed.
// Pure, like the lock table: calls in, an Outbox out.
//
// Inside a view nothing fails, so the election runs without any suspicion (cut links resend) and
// has one possible outcome. But exclusion must not depend on that, so the election only proposes:
//
//   1. Each member votes for the leader that the election names to it first, and never again.
//   2. A member that has the votes of all, its own included, is appointed, and says so.
//   3. A member takes the one it voted for as its coordinator when that one says it is appointed.
//
// Why two cannot act in one epoch: one that acts has voted for itself, and any other that acts
// would need that very vote, which is given once. This holds whatever the election does, even if
// members lose their memory: one that acts has not lost its own. The worst that a wrong election
// can do is that nobody is appointed; then locks by `central` wait.
//
// No message of `central` comes before its receiver knows the coordinator: it asks only after
// "appointed", which the coordinator sends after it has begun to act, and grants answer requests.
// So a table need not keep anything for later, and what comes too early is a peer's fault.
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

  // Somebody here needs the coordinator. Being told twice changes nothing.
  void call(Outbox& out);
  // REQUIRES: `from` is another member; a kind of this election's: ballot, vote, appointed.
  void receive(NodeId from, const ElectionPayload& payload, Outbox& out);
  // `peer` came back without its memory. It is told who leads, and may vote anew; but those who
  // voted for it do not do so again: nobody knows any more what it had granted.
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

// What has to happen after each step of either: a table that waits calls the election, and is told
// its outcome.
void settle_coordinator(Appointment& appointment, LockTable& table, Outbox& out);

}  // namespace hapax
