#include "session/heartbeat.h"

#include <algorithm>
#include <utility>

namespace hapax::session {
namespace {

// What is told in milliseconds may be any number.
Heartbeat::Time sane(std::uint64_t ms) {
  return Heartbeat::Time{std::min<std::uint64_t>(ms, 1u << 30)};
}

}  // namespace

void Heartbeat::on_welcome(const Welcome& welcome) {
  is_welcome_ = true;
  has_leases_ = welcome.ttl_ms > 0;
  if (!has_leases_) return;
  valid_until_ = Time{0};  // Nothing is promised before it has said how long.
  on_terms({welcome.ttl_ms});
}

void Heartbeat::on_terms(const Terms& terms) {
  ttl_ = sane(terms.ttl_ms);
  const Time before =
      std::exchange(ping_every_, std::clamp(ttl() / 8, Time{20}, Client::kPingEvery));
  if (ping_every_ < before) next_ping_ -= before - ping_every_;
}

std::optional<Ping> Heartbeat::ping(Time now) {
  if (!is_welcome_ || ping_sent_) return std::nullopt;
  if (now < next_ping_ && !std::exchange(is_urgent_, false)) return std::nullopt;
  next_ping_ = now + ping_every_;
  ping_sent_ = now;
  return Ping{++pings_};
}

bool Heartbeat::on_pong(const Pong& pong) {
  if (pong.request != pings_ || !ping_sent_) return false;
  known_alive_ = *std::exchange(ping_sent_, std::nullopt);
  const Time good = pong.lease_ms ? std::min(kSilence, sane(*pong.lease_ms)) : kSilence;
  valid_until_ = known_alive_ + good;
  if (good > Time{0}) has_expired_ = false;
  return true;
}

bool Heartbeat::expires(Time now) {
  if (!has_leases_ || has_expired_ || is_excused_ || now < valid_until()) return false;
  has_expired_ = true;
  return true;
}

Heartbeat::Time Heartbeat::until_next_look(Time now) const {
  const Time usual = ping_every_ / 4;
  if (!has_leases_ || has_expired_) return usual;
  return std::clamp(valid_until() - now, Time{1}, usual);
}

}  // namespace hapax::session
