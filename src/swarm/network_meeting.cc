// The part of the network in which connections begin; as in net/mesh_guests.cc, but that everybody
// is who it says it is.
#include "net/greeting.h"
#include "swarm/network.h"

namespace hapax {
namespace {

net::Identity identity(const Wire::End& end, std::uint32_t size) {
  return {Seat{end.member}, size, Bytes{'s'}, {}, number(end.life)};
}

}  // namespace

void Network::dial_later(std::uint32_t from, std::uint32_t to, Span pause) {
  const std::uint64_t attempt = ++peer(from, to).dials;
  stage_.agenda.after(pause + stage_.about(stage_.plan.times.ttl / 100),
                      [this, from, to, attempt, life = lives_[from]] {
                        if (lives_[from] == life && peer(from, to).dials == attempt) dial(from, to);
                      });
}

void Network::dial(std::uint32_t from, std::uint32_t to) {
  const LeaseTimes& times = stage_.plan.times;
  if (lives_[to] == Life{} || is_cut(from, to) || handlers_.asleep_until(from) > stage_.now()) {
    return dial_later(from, to, times.ttl / 20);
  }
  const auto wire = std::make_shared<Wire>();
  wire->ends[0].member = from;
  wire->ends[0].life = lives_[from];
  wire->ends[1].member = to;
  wire->ends[1].life = lives_[to];
  std::erase_if(wires_, [](const std::weak_ptr<Wire>& old) { return old.expired(); });
  wires_.push_back(wire);
  Bytes out;
  net::write_frame(out, hello_of(wire->ends[0], to));
  transmit(wire, 1, std::move(out));
  stage_.agenda.after(times.ttl, [this, wire] {
    if (!wire->ends[0].is_known) hang_up(wire, 0, Parting::crash);
  });
}

net::Hello Network::hello_of(const Wire::End& end, std::uint32_t to) {
  const Peer& p = peer(end.member, to);
  net::Hello hello = net::make_hello(identity(end, size_), Seat{to}, p.link->link);
  hello.attempt = hello.nonce = p.dials + 1;
  return hello;
}

void Network::on_hello(const WirePtr& wire, std::size_t end, const net::Hello& hello) {
  Wire::End& at = wire->ends[end];
  const Wire::End& other = wire->ends[1 - end];
  const auto dialled = end == 0 ? std::optional{Seat{other.member}} : std::nullopt;
  if (const auto no = net::objection(identity(at, size_), hello, dialled, std::nullopt)) {
    return refuse(wire, end, no->what);
  }
  Bytes out;
  if (end == 0) {
    net::write_frame(out, net::Confirm{hello.nonce});
    transmit(wire, 1, std::move(out));
    return establish(wire, 0, hello);
  }
  const Peer& p = peer(at.member, other.member);
  const bool is_same = hello.incarnation == p.link->link.seen();
  // An attempt that a later one has overtaken; or the life before it is still believed to be there.
  if (is_same ? hello.attempt <= p.last_dial : p.up != nullptr) {
    return hang_up(wire, end, Parting::goodbye);
  }
  at.hello = hello;
  at.seen = p.link->link.seen();
  net::write_frame(out, hello_of(at, other.member));
  transmit(wire, 0, std::move(out));
}

void Network::on_confirm(const WirePtr& wire) {
  const Wire::End& at = wire->ends[1];
  if (!at.hello) return refuse(wire, 1, "confirms before it is introduced");
  Peer& p = peer(at.member, wire->ends[0].member);
  const net::Hello hello = *at.hello;
  const std::uint64_t seen = p.link->link.seen();
  if (hello.incarnation == seen ? hello.attempt <= p.last_dial : at.seen != seen) {
    return hang_up(wire, 1, Parting::goodbye);
  }
  p.last_dial = hello.attempt;
  establish(wire, 1, hello);
}

void Network::establish(const WirePtr& wire, std::size_t end, const net::Hello& hello) {
  Wire::End& at = wire->ends[end];
  const Wire::End& other = wire->ends[1 - end];
  Peer& p = peer(at.member, other.member);
  // The other would not have come again if it still had the old one.
  if (const WirePtr old = p.up) hang_up(old, end, Parting::crash);
  const net::Link::Meeting meeting = p.link->meet(hello);
  if (meeting == net::Link::Meeting::impossible) {
    return refuse(wire, end, "says it has what it cannot have");
  }
  ++stage_.report.meetings;
  at.is_known = true;
  at.reader.allow(net::LinkLimits{}.frame_bytes);
  p.up = wire;
  if (const auto unsent = p.unsent.extract(other.life)) {
    for (const Bytes& message : unsent.mapped()) {
      if (!push(at.member, other.life, message)) break;
    }
  }
  pump(at.member, other.member);
  handlers_.on_up(at.member, other.life);
}

}  // namespace hapax
