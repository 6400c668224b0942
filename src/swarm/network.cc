#include "swarm/network.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"

namespace hapax {
namespace {

constexpr std::size_t kWriteBudget = std::size_t{256} << 10;

// The product's times, for a TTL of five seconds.
Span ping_every(const LeaseTimes& times) { return times.ttl / 5; }
Span silence(const LeaseTimes& times) { return 3 * ping_every(times); }

}  // namespace

Network::Network(SwarmStage& stage, MakeLink make_link, Handlers handlers)
    : stage_(stage),
      make_link_(std::move(make_link)),
      handlers_(std::move(handlers)),
      size_(stage.plan.members),
      lives_(size_),
      peers_(std::size_t{size_} * size_),
      cut_until_(peers_.size()) {}

void Network::open(std::uint32_t member, Life life) {
  lives_[member] = life;
  member_of_[life] = member;
  for (std::uint32_t other = 0; other < size_; ++other) {
    peer(member, other) = Peer{make_link_(number(life), net::LinkLimits{}), {}};
    if (other < member) dial_later(member, other, Span{0});
  }
}

void Network::close(std::uint32_t member, Parting parting) {
  if (parting == Parting::goodbye) flush(member);
  lives_[member] = {};
  for (const std::weak_ptr<Wire>& weak : wires_) {
    const WirePtr wire = weak.lock();
    for (std::size_t end = 0; wire != nullptr && end < 2; ++end) {
      if (wire->ends[end].member == member) hang_up(wire, end, parting);
    }
  }
}

// --- they go on ---

bool Network::is_up(std::uint32_t at, Life other) const {
  const Peer& p = peers_[at * size_ + member_of_.at(other)];
  return p.up != nullptr && p.link->link.seen() == number(other);
}

// A link queues for the life that it knows. What is for one that it has yet to meet waits here.
bool Network::send(std::uint32_t from, Life to, std::span<const std::uint8_t> message) {
  Peer& p = peer(from, member_of_.at(to));
  if (p.link->link.seen() == number(to)) return push(from, to, message);
  p.unsent[to].emplace_back(message.begin(), message.end());
  return true;
}

bool Network::push(std::uint32_t from, Life to, std::span<const std::uint8_t> message) {
  Count& count = counts_[{lives_[from], to}];
  Bytes numbered;
  encode_to(numbered, count.sent + 1);
  numbered.insert(numbered.end(), message.begin(), message.end());
  const bool is_full = stage_.strikes(stage_.plan.overflows, 10'000);
  if (!is_full && peer(from, member_of_.at(to)).link->link.push(numbered)) {
    ++count.sent;
    return true;
  }
  ++stage_.report.overflows;
  handlers_.on_broken(from);
  return false;
}

void Network::flush(std::uint32_t from) {
  for (std::uint32_t other = 0; other < size_; ++other) pump(from, other);
}

void Network::pump(std::uint32_t at, std::uint32_t other) {
  Peer& p = peer(at, other);
  if (p.up == nullptr || !p.link->link.wants_to_write()) return;
  Bytes out;
  while (p.link->link.wants_to_write()) p.link->link.write(out, kWriteBudget);
  p.owes_ack = false;
  transmit(p.up, 1 - end_of(at, other), std::move(out));
}

void Network::transmit(const WirePtr& wire, std::size_t to, Bytes bytes) {
  Wire::End& end = wire->ends[to];
  if (!end.is_open) return;
  const bool is_known = end.is_known && wire->ends[1 - to].is_known;
  if (is_known && stage_.strikes(stage_.plan.lost_frames, 10'000)) {
    // What is lost is not missed before the next frame comes, and perhaps none does: a wire that
    // loses something has to break.
    end.has_hole = true;
    ++stage_.report.holes;
    stage_.agenda.after(stage_.about(stage_.plan.times.ttl / 10), [this, wire] {
      for (std::size_t i = 0; i < 2; ++i) hang_up(wire, i, Parting::crash);
    });
    return;
  }
  end.last_due = std::max(stage_.now() + stage_.about(stage_.plan.latency), end.last_due);
  if (is_known && stage_.strikes(stage_.plan.repeated_frames, 1'000)) {
    end.coming.push_back({end.last_due, bytes});
  }
  end.coming.push_back({end.last_due, std::move(bytes)});
  await(wire, to);
}

// While the way is cut or the member sleeps, what comes waits; nothing overtakes.
void Network::await(const WirePtr& wire, std::size_t end) {
  Wire::End& at = wire->ends[end];
  if (!at.is_open || at.coming.empty()) return;
  const Instant when = std::max({at.coming.front().due, stage_.now(),
                                 cut_until(wire->ends[1 - end].member, at.member),
                                 handlers_.asleep_until(at.member)});
  if (at.awaited == when) return;
  at.awaited = when;
  stage_.agenda.at(when, [this, wire, end, when] {
    if (wire->ends[end].awaited == when) arrive(wire, end);
  });
}

void Network::arrive(const WirePtr& wire, std::size_t end) {
  Wire::End& at = wire->ends[end];
  at.awaited = {};
  const auto is_blocked = [&] {
    return cut_until(wire->ends[1 - end].member, at.member) > stage_.now() ||
           handlers_.asleep_until(at.member) > stage_.now();
  };
  while (at.is_open && !at.coming.empty() && at.coming.front().due <= stage_.now() &&
         !is_blocked()) {
    const Wire::Parcel parcel = std::move(at.coming.front());
    at.coming.pop_front();
    read(wire, end, parcel.bytes);
    if (parcel.is_last) hang_up(wire, end, Parting::goodbye);
  }
  await(wire, end);
}

void Network::read(const WirePtr& wire, std::size_t end, std::span<const std::uint8_t> bytes) {
  Wire::End& at = wire->ends[end];
  while (at.is_open && !bytes.empty()) {
    const std::span<std::uint8_t> room = at.reader.room();
    const std::size_t count = std::min(room.size(), bytes.size());
    std::copy_n(bytes.begin(), count, room.begin());
    at.reader.commit(count);
    bytes = bytes.subspan(count);
    std::span<const std::uint8_t> body;
    net::FrameReader::Found found{};
    while (at.is_open && (found = at.reader.next(body)) == net::FrameReader::Found::frame) {
      on_frame(wire, end, body);
    }
    if (at.is_open && found != net::FrameReader::Found::more) refuse(wire, end, "no frame at all");
  }
  if (at.is_open) pump(at.member, wire->ends[1 - end].member);
}

void Network::on_frame(const WirePtr& wire, std::size_t end, std::span<const std::uint8_t> body) {
  std::optional<net::Frame> frame = net::decode_frame(body);
  if (!frame) return refuse(wire, end, "a frame that no member writes");
  const Wire::End& at = wire->ends[end];
  const bool is_greeting = std::holds_alternative<net::Hello>(frame->content) ||
                           std::holds_alternative<net::Confirm>(frame->content);
  if (at.is_known == is_greeting) return refuse(wire, end, "a frame out of turn");
  match(
      frame->content, [&](const net::Hello& hello) { on_hello(wire, end, hello); },
      [&](const net::Confirm&) { on_confirm(wire); },
      [&](const net::Data& data) { on_data(wire, end, data, *frame); },
      [&](const net::Ack& ack) {
        if (!peer(at.member, wire->ends[1 - end].member).link->link.receive(ack)) {
          refuse(wire, end, "acknowledges what was never sent");
        }
      },
      [&](const net::Bye&) { refuse(wire, end, "a goodbye that nobody says here"); });
}

void Network::on_data(const WirePtr& wire, std::size_t end, const net::Data& data,
                      net::Frame& frame) {
  const Wire::End& at = wire->ends[end];
  const Wire::End& from = wire->ends[1 - end];
  Peer& p = peer(at.member, from.member);
  const auto known = p.link->receive(data, frame);
  if (!known) return refuse(wire, end, "a gap, or acknowledges what was never sent");
  stage_.report.repeated += *known;
  p.owes_ack = true;
  acknowledge_later(at.member, from.member);
  for (std::uint64_t i = 0; i < frame.count && at.is_open; ++i) {
    const std::span<const std::uint8_t> message = net::take_message(frame.messages);
    if (i >= *known) deliver(at, from.life, message);
  }
}

void Network::deliver(const Wire::End& at, Life from, std::span<const std::uint8_t> message) {
  Decoder decoder{message};
  std::uint64_t sequence = 0;
  HAPAX_CHECK(decoder.read(sequence));
  Count& count = counts_[{from, at.life}];
  if (sequence != count.taken + 1) {
    stage_.referee.violated("life {} is handed message {} of life {} after {}", at.life, sequence,
                            from, count.taken);
  }
  count.taken = sequence;
  handlers_.on_message(at.member, from, decoder.rest());
}

// As a ping does, if nothing else has carried it meanwhile.
void Network::acknowledge_later(std::uint32_t at, std::uint32_t other) {
  Peer& p = peer(at, other);
  if (std::exchange(p.is_ack_set, true)) return;
  const Instant when =
      std::max(stage_.now() + ping_every(stage_.plan.times), handlers_.asleep_until(at));
  stage_.agenda.at(when, [this, at, other, life = lives_[at]] {
    if (lives_[at] != life) return;
    Peer& me = peer(at, other);
    me.is_ack_set = false;
    if (!me.owes_ack || me.up == nullptr) return;
    if (handlers_.asleep_until(at) > stage_.now()) return acknowledge_later(at, other);
    me.owes_ack = false;
    Bytes out;
    me.link->link.write_ack(out);
    transmit(me.up, 1 - end_of(at, other), std::move(out));
  });
}

// --- they end ---

void Network::refuse(const WirePtr& wire, std::size_t end, std::string_view why) {
  const Wire::End& at = wire->ends[end];
  if (!at.has_hole) {
    stage_.referee.violated("life {} refuses life {}: {}", at.life, wire->ends[1 - end].life, why);
  }
  hang_up(wire, end, Parting::crash);
}

void Network::hang_up(const WirePtr& wire, std::size_t end, Parting parting) {
  Wire::End& at = wire->ends[end];
  Wire::End& other = wire->ends[1 - end];
  if (!std::exchange(at.is_open, false)) return;
  at.coming.clear();
  Peer& p = peer(at.member, other.member);
  if (p.up == wire) {
    p.up.reset();
    if (lives_[at.member] == at.life) handlers_.on_down(at.member, other.life);
  }
  if (other.is_open) {
    if (parting == Parting::crash && !other.coming.empty()) {
      // From some byte on.
      other.coming.resize(1 + stage_.prng.below(other.coming.size()));
      Bytes& cut = other.coming.back().bytes;
      cut.resize(stage_.prng.below(cut.size() + 1));
    }
    other.last_due = std::max(stage_.now() + stage_.about(stage_.plan.latency), other.last_due);
    other.coming.push_back({other.last_due, {}, true});
    await(wire, 1 - end);
  }
  const bool dials = end == 0 && lives_[at.member] == at.life;
  if (dials) dial_later(at.member, other.member, stage_.plan.times.ttl / 200);
}

// Whether it sleeps or is cut off, it does not ping.
void Network::hang_up_if_silent(std::uint32_t at, std::uint32_t other) {
  const WirePtr wire = peer(at, other).up;
  if (wire == nullptr) return;
  stage_.agenda.after(silence(stage_.plan.times), [this, at, other, wire] {
    const Instant now = stage_.now();
    if (peer(at, other).up != wire || handlers_.asleep_until(at) > now) return;
    if (cut_until(other, at) <= now && handlers_.asleep_until(other) <= now) return;
    hang_up(wire, end_of(at, other), Parting::crash);
  });
}

// --- faults ---

bool Network::is_cut(std::uint32_t a, std::uint32_t b) {
  return std::max(cut_until(a, b), cut_until(b, a)) > stage_.now();
}

void Network::cut(std::uint32_t from, std::uint32_t to, Instant until) {
  cut_until(from, to) = std::max(cut_until(from, to), until);
  hang_up_if_silent(to, from);
}

void Network::reset(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t which = 1 + stage_.prng.below(3);  // One end, the other, or both at once.
  if (const WirePtr wire = peer(a, b).up; wire != nullptr && (which & 1) != 0) {
    hang_up(wire, end_of(a, b), Parting::crash);
  }
  if (const WirePtr wire = peer(b, a).up; wire != nullptr && (which & 2) != 0) {
    hang_up(wire, end_of(b, a), Parting::crash);
  }
}

void Network::on_asleep(std::uint32_t member) {
  for (std::uint32_t other = 0; other < size_; ++other) hang_up_if_silent(other, member);
}

void Network::heal() {
  cut_until_.assign(cut_until_.size(), Instant{});
  for (const std::weak_ptr<Wire>& weak : wires_) {
    const WirePtr wire = weak.lock();
    for (std::size_t end = 0; wire != nullptr && end < 2; ++end) await(wire, end);
  }
}

}  // namespace hapax
