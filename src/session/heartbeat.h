// Whether the daemon of a connection lives, and how long what it granted is good: when to ping it,
// and what its answers promise. Times are on the clock of leases (base/boot_clock.h). All of it
// belongs to the thread that reads, except where it says so.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "hapax/client.h"
#include "session/protocol.h"

namespace hapax::session {

class Heartbeat {
 public:
  using Time = std::chrono::milliseconds;

  explicit Heartbeat(Time now) : known_alive_(now), valid_until_(now + kSilence) {}

  void on_welcome(const Welcome& welcome);
  void on_terms(const Terms& terms);
  // The ping that is due now, if one is: one at a time.
  std::optional<Ping> ping(Time now);
  void ping_soon() { is_urgent_ = true; }
  // False if it does not answer a ping of ours.
  bool on_pong(const Pong& pong);

  bool has_leases() const { return has_leases_; }
  bool is_silent(Time now) const { return !is_excused_ && now - known_alive_ > kSilence; }
  // Whether a grant that comes now can be relied on. Any thread.
  bool is_good(Time now) const { return !has_leases_ || (!has_expired_ && now < valid_until()); }
  // True once each time that what was granted has run out: the daemon may be asleep, and others
  // take over when its lease is over.
  bool expires(Time now);
  // Others may get in soon after what we hold is no longer good, so its loss must not be told late.
  Time until_next_look(Time now) const;

  // As long as it is excused, silence and the end of a promise are no loss: it is we who sleep, and
  // nobody uses what is held. Whether that can be relied on is as before. Any thread.
  void excuse(bool is_excused) { is_excused_ = is_excused; }
  // Until when what the daemon granted is good without further word. Any thread.
  Time valid_until() const { return valid_until_.load(); }
  // How long its lease lasts when it is new; 0: there are none. Any thread.
  Time ttl() const { return ttl_.load(); }

 private:
  // When the last ping that was answered was sent, not when its answer came, which may have been
  // under way for long.
  Time known_alive_;
  std::atomic<Time> valid_until_;
  Time ping_every_ = Client::kPingEvery;
  std::atomic<Time> ttl_{Time{0}};
  Time next_ping_{0};
  std::atomic<bool> is_excused_{false};
  bool is_welcome_ = false;  // Nothing is said before that.
  std::atomic<bool> has_leases_{false};
  std::atomic<bool> has_expired_{false};
  bool is_urgent_ = false;
  std::uint64_t pings_ = 0;
  std::optional<Time> ping_sent_;  // Nothing: the last one was answered.
};

}  // namespace hapax::session
