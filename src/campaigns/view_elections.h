// The two elections among the members of a view, and which of them a message belongs to.
#pragma once

#include <fmt/format.h>
#include <span>

#include "campaigns/appointment.h"
#include "campaigns/election_payload.h"
#include "campaigns/leadership.h"

namespace hapax {

class ViewElections {
 public:
  ViewElections(const Membership& membership, ElectionId election)
      : coordination(membership, election), reach(membership, election) {}

  // Bytes from the network are hostile: what is wrong with them is a complaint, and changes
  // nothing. REQUIRES: is_election(bytes), `from` is another member.
  void receive(NodeId from, std::span<const std::uint8_t> bytes, Outbox& out) {
    using Complaint = Outbox::Complaint::Kind;
    const auto payload = divide_election(bytes);
    if (!payload) return out.complain({from, Complaint::malformed, Reject::none, "an election"});
    const ElectionId theirs{payload->election};
    const ElectionId ours = reach.election();
    if (theirs != ours) {
      return out.complain(
          {from, Complaint::policies_differ, Reject::none,
           fmt::format("it elects by {}, we by {}; give all members the same --election",
                       is_valid(theirs) ? name_of(theirs) : "?", name_of(ours))});
    }
    using Kind = ElectionPayload::Kind;
    if (payload->kind == Kind::life || payload->kind == Kind::call) {
      reach.receive(from, *payload, out);
    } else {
      coordination.receive(from, *payload, out);
    }
  }

  Appointment coordination;  // Of `central`.
  Leadership reach;          // Of those that reach each other.
};

}  // namespace hapax
