#include "campaigns/leadership.h"

#include <fmt/format.h>
#include <utility>

#include "base/check.h"

namespace hapax {

using Kind = ElectionPayload::Kind;
using Complaint = Outbox::Complaint::Kind;

Leadership::Leadership(const Membership& membership, ElectionId election)
    : membership_(membership),
      elector_(election, membership.size, membership.self),
      peers_(membership.size) {
  for (std::uint32_t i = 0; i < membership.size; ++i) {
    if (NodeId{i} != membership.self) elector_.suspect(NodeId{i}, mail_);
  }
  elector_.campaign(mail_);
  HAPAX_CHECK(mail_.empty());  // There is nobody to write to.
}

void Leadership::up(NodeId peer, Outbox& out) {
  Peer& p = peers_[number(peer)];
  if (p.is_up) lose(peer);
  p.is_up = true;
  const std::size_t first = out.arena().size();
  append_election(out.arena(), Kind::life);
  encode_to(out.arena(), ++p.life);
  out.send(peer, first);
  carry_out(out);
}

void Leadership::down(NodeId peer, Outbox& out) {
  lose(peer);
  peers_[number(peer)].is_up = false;
  carry_out(out);
}

void Leadership::lose(NodeId peer) {
  peers_[number(peer)].theirs.reset();
  elector_.suspect(peer, mail_);
  if (!elector_.leader()) elector_.campaign(mail_);
}

void Leadership::receive(NodeId from, std::span<const std::uint8_t> bytes, Outbox& out) {
  const auto payload = divide_election(bytes);
  if (!payload) return out.complain({from, Complaint::malformed, Reject::none, "an election"});
  payload->kind == Kind::life ? on_life(from, payload->body, out)
                              : on_call(from, payload->body, out);
}

void Leadership::on_life(NodeId from, std::span<const std::uint8_t> body, Outbox& out) {
  const auto theirs = decode<std::uint64_t>(body);
  if (!theirs) {
    return out.complain({from, Complaint::malformed, Reject::none, "no number of a link's life"});
  }
  Peer& p = peers_[number(from)];
  if (!p.is_up) return;  // From a link that is gone; the next one brings another.
  if (p.theirs) lose(from);
  p.theirs = *theirs;
  elector_.restore(from, mail_);
  carry_out(out);
}

void Leadership::on_call(NodeId from, std::span<const std::uint8_t> body, Outbox& out) {
  Decoder decoder{body};
  std::uint64_t life = 0;
  if (!decoder.read(life)) {
    return out.complain({from, Complaint::malformed, Reject::none, "no number of a link's life"});
  }
  const Peer& p = peers_[number(from)];
  if (!p.theirs || life != p.life) return;  // Sent in an earlier life of the link.
  const auto verdict = elector_.receive(from, decoder.rest(), mail_);
  if (verdict == Elector::Verdict::malformed) {
    out.complain({from, Complaint::malformed, Reject::none,
                  fmt::format("no message of {}", name_of(elector_.which()))});
  } else if (verdict == Elector::Verdict::refused) {
    out.complain({from, Complaint::broken_protocol, Reject::not_a_member,
                  fmt::format("{} refuses a message", name_of(elector_.which()))});
  }
  carry_out(out);
}

void Leadership::carry_out(Outbox& out) {
  for (const Elector::Mail& mail : std::exchange(mail_, {})) {
    const Peer& p = peers_[number(mail.to)];
    if (!p.theirs) continue;  // Lost with its link, of which the algorithm is told.
    const std::size_t first = out.arena().size();
    append_election(out.arena(), Kind::call);
    encode_to(out.arena(), *p.theirs);
    out.arena().insert(out.arena().end(), mail.message.begin(), mail.message.end());
    out.send(mail.to, first);
  }
}

}  // namespace hapax
