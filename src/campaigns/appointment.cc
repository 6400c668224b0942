#include "campaigns/appointment.h"

#include <fmt/format.h>
#include <utility>

#include "base/check.h"

namespace hapax {

using Kind = ElectionPayload::Kind;
using Complaint = Outbox::Complaint::Kind;

Appointment::Appointment(const Membership& membership, ElectionId election)
    : membership_(membership), elector_(election, membership.size, membership.self) {}

void Appointment::call(Outbox& out) {
  if (std::exchange(called_, true)) return;
  if (!elector_.leader()) elector_.campaign(mail_);
  carry_out(out);
}

void Appointment::receive(NodeId from, const ElectionPayload& payload, Outbox& out) {
  if (payload.kind != Kind::ballot && !payload.body.empty()) {
    return out.complain({from, Complaint::malformed, Reject::none, "a vote with a body"});
  }
  if (payload.kind == Kind::vote) return on_vote(from, out);
  if (payload.kind == Kind::appointed) return on_appointed(from, out);
  HAPAX_CHECK(payload.kind == Kind::ballot);
  const auto verdict = elector_.receive(from, payload.body, mail_);
  if (verdict == Elector::Verdict::malformed) {
    out.complain({from, Complaint::malformed, Reject::none,
                  fmt::format("no message of {}", name_of(elector_.which()))});
  } else if (verdict == Elector::Verdict::refused) {
    out.complain({from, Complaint::broken_protocol, Reject::not_a_member,
                  fmt::format("{} refuses a message", name_of(elector_.which()))});
  }
  carry_out(out);
}

void Appointment::forgotten(NodeId peer, Outbox& out) {
  if (elector_.term() == Term{}) return;  // Nobody has asked for a coordinator yet.
  votes_.erase(peer);
  elector_.suspect(peer, mail_);
  elector_.restore(peer, mail_);
  if (!vote_ && !elector_.leader()) elector_.campaign(mail_);
  carry_out(out);
}

void Appointment::on_vote(NodeId from, Outbox& out) {
  votes_.insert(from);
  if (coordinator_ == membership_.self) return send(from, Kind::appointed, out);
  carry_out(out);
}

void Appointment::on_appointed(NodeId from, Outbox& out) {
  if (vote_ != from) {
    return out.complain({from, Complaint::broken_protocol, Reject::not_granted,
                         fmt::format("{} says it coordinates, without our vote", from)});
  }
  coordinator_ = from;
}

void Appointment::carry_out(Outbox& out) {
  for (const Elector::Mail& mail : std::exchange(mail_, {})) {
    const std::size_t first = out.arena().size();
    append_election(out.arena(), Kind::ballot, elector_.which());
    out.arena().insert(out.arena().end(), mail.message.begin(), mail.message.end());
    out.send(mail.to, first);
  }
  if (!vote_ && elector_.leader()) {
    vote_ = elector_.leader();
    if (*vote_ != membership_.self) send(*vote_, Kind::vote, out);
  }
  if (vote_ != membership_.self || coordinator_ || !has_all_votes()) return;
  coordinator_ = membership_.self;
  for (std::uint32_t i = 0; i < membership_.size; ++i) {
    if (NodeId{i} != membership_.self) send(NodeId{i}, Kind::appointed, out);
  }
}

void Appointment::send(NodeId to, Kind kind, Outbox& out) const {
  const std::size_t first = out.arena().size();
  append_election(out.arena(), kind, elector_.which());
  out.send(to, first);
}

void settle_coordinator(Appointment& appointment, LockTable& table, Outbox& out) {
  if (table.awaits_coordinator()) appointment.call(out);
  if (appointment.coordinator() && !table.coordinator()) {
    table.appoint(*appointment.coordinator(), out);
  }
}

}  // namespace hapax
