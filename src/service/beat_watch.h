// The beats of the other members as last seen, and which have stood still for too long. Pure: it is
// told the time.
#pragma once

#include <algorithm>
#include <map>

#include "service/lease.h"
#include "service/lease_times.h"
#include "view/roll.h"

namespace hapax {

class BeatWatch {
 public:
  // REQUIRES: `lease`, which is ours, outlives it. It knows the TTL of beats that do not say
  // theirs.
  explicit BeatWatch(const Lease& lease) : lease_(lease) {}

  // A beat is watched from when we hear of it, which is later than when it was sent.
  void look_at(Instant now, const Register& reg, Life self) {
    std::erase_if(sights_, [&](const auto& s) {
      return reg.beat_of(s.first) == nullptr && !reg.roll.has(s.first);
    });
    for (const Beat& beat : reg.beats) {
      if (beat.life != self) note(now, beat);
    }
    for (const Life life : reg.roll.members) {
      if (life != self) note(now, reg.sight_of(life));
    }
  }
  void clear() { sights_.clear(); }

  // f(beat) for each that has stood still for too long, once.
  template <class F>
  void give_up(Instant now, F&& f) {
    for (auto& [life, sight] : sights_) {
      if (sight.is_given_up || !is_overdue(sight, now)) continue;
      sight.is_given_up = true;
      f(sight.beat);
    }
  }
  // When the next one will be overdue.
  Instant next_deadline() const {
    Instant next = Instant::max();
    for (const auto& [life, sight] : sights_) {
      if (!sight.is_given_up) next = std::min(next, overdue_at(sight));
    }
    return next;
  }

  bool is_given_up_or_unknown(Life life) const {
    const auto at = sights_.find(life);
    return at == sights_.end() || at->second.is_given_up;
  }
  // It stood still for so long that it is given up on, or would be if we had a say.
  bool is_overdue(Life life, Instant now) const {
    const auto at = sights_.find(life);
    return at != sights_.end() && is_overdue(at->second, now);
  }
  Span overdue_in(Life life, Instant now) const {
    const auto at = sights_.find(life);
    const Instant over =
        at == sights_.end() ? now + lease_.longest().patience() : overdue_at(at->second);
    return std::max(Span{0}, over - now);
  }
  // When its beat changed last, as far as we saw.
  std::optional<Instant> changed_at(Life life) const {
    const auto at = sights_.find(life);
    if (at == sights_.end()) return std::nullopt;
    return at->second.since;
  }
  bool has_changed_within(Span span, Life life, Instant now) const {
    const auto at = sights_.find(life);
    return at != sights_.end() && now < at->second.since + span;
  }

 private:
  struct Sight {
    Beat beat;
    Instant since{};
    bool is_given_up = false;
    bool is_witnessed = false;  // It was written under our eyes.
  };

  void note(Instant now, const Beat& beat) {
    const auto [at, is_new] = sights_.try_emplace(beat.life, Sight{beat, now});
    if (!is_new && at->second.beat != beat) at->second = {beat, now, false, true};
  }
  bool is_overdue(const Sight& sight, Instant now) const { return now >= overdue_at(sight); }
  // What its record says. Of one that is gone, who knows; and one that was there before us may be
  // of an engine that was restored, and older than what its life has promised since.
  Instant overdue_at(const Sight& sight) const {
    if (sight.beat.version == 0 || !sight.is_witnessed) {
      return sight.since + lease_.longest().patience();
    }
    if (sight.beat.ttl_ms == 0) return sight.since + lease_.started().patience();
    return sight.since + LeaseTimes{std::chrono::milliseconds{sight.beat.ttl_ms}}.patience();
  }

  const Lease& lease_;
  std::map<Life, Sight> sights_;
};

}  // namespace hapax
