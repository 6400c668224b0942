#include "service/service.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "service/view_frame.h"

namespace hapax {

Service::Service(Policy policy, const LeaseTimes& times, Holders& holders, bool is_new_group)
    : views_(std::move(policy), holders),
      lease_(times),
      beats_(lease_),
      sight_(lease_, is_new_group) {}

// --- time ---

void Service::on_time(Instant now, Orders& orders) {
  settle_time(now, orders);
  go_on(now, orders);
}

// What has run out by now, before anything else is looked at.
void Service::settle_time(Instant now, Orders& orders) {
  if (!is_lease_to_end() || now < lease_.end()) return;
  const auto tell = [](Keeper& keeper, Keeper::Effects& effects) {
    keeper.lease_ended(effects);
    keeper.lapse();
  };
  tell_keeper(now, tell, orders);
}

// There is one, or there would be, had the engine's answers come.
bool Service::is_lease_to_end() const {
  return lease_.has_begun() && !keeper().has_lapsed() && keeper().standing() != Standing::ended;
}

Instant Service::next_deadline() const {
  Instant next = is_reading_ ? Instant::max() : next_read_;
  const auto no_later = [&](Instant at) { next = std::min(next, at); };
  if (is_lease_to_end()) no_later(lease_.end());
  const Standing standing = keeper().standing();
  if (standing == Standing::outside || standing == Standing::ended) return next;
  const bool beats = !keeper().is_leaving() && !keeper().has_lapsed();
  if (beats && !is_beating_) no_later(next_beat_);
  no_later(beats_.next_deadline());
  if (!keeper().founds()) no_later(sight_.may_found_at().value_or(Instant::max()));
  if (due_since_ && !keeper().is_proposing()) no_later(*due_since_ + propose_delay());
  return next;
}

// What it is time for after a call.
void Service::go_on(Instant now, Orders& orders) {
  const Standing standing = keeper().standing();
  if (standing != Standing::outside && standing != Standing::ended) {
    if (now >= next_beat_ && !is_beating_) {
      tell_keeper(
          now, [](Keeper& keeper, auto& effects) { keeper.beat_due(effects); }, orders);
    }
    propose_if_due(now, orders);
  }
  if (now >= next_read_ && !is_reading_) ask(EngineAsk::Kind::read, now, orders);
}

void Service::propose_if_due(Instant now, Orders& orders) {
  beats_.give_up(now, [&](const Beat& beat) {
    tell_keeper(
        now, [&](Keeper& keeper, auto&) { keeper.on_overdue(beat); }, orders);
  });
  if (const auto at = sight_.may_found_at(); at && now >= *at) {
    tell_keeper(
        now, [](Keeper& keeper, auto&) { keeper.may_found(); }, orders);
  }
  if (!keeper().is_due(reg_)) {
    due_since_.reset();
    return;
  }
  if (!due_since_) due_since_ = now;
  if (keeper().is_proposing() || now < *due_since_ + propose_delay()) return;
  due_since_ = now;  // For the next try.
  tell_keeper(
      now, [](Keeper& keeper, auto& effects) { keeper.propose(effects); }, orders);
}

// The lowest member goes first; who is no member yet comes last. One who is given up on has no say.
Span Service::propose_delay() const {
  if (keeper().is_leaving()) return Span{0};  // Nobody else proposes that.
  std::uint32_t before = 0;
  const auto count = [&](Life life) {
    if (!beats_.is_given_up_or_unknown(life)) ++before;
  };
  for (const Life life : reg_.roll.members) {
    if (life == keeper().self()) return before * lease_.times().propose_step();
    count(life);
  }
  for (const Beat& beat : reg_.beats) {
    if (beat.life == keeper().self()) break;
    if (!reg_.roll.has(beat.life)) count(beat.life);
  }
  return before * lease_.times().propose_step();
}

// --- the keeper ---

// What the keeper asks for, and the views leave to us.
void Service::follow_up(Instant now, const Keeper::Effects& effects, Orders& orders) {
  if (effects.ended) {
    beats_.clear();
    due_since_.reset();
  }
  if (effects.announce) ask(EngineAsk::Kind::announce, now, orders);
  if (effects.beat) ask(EngineAsk::Kind::beat, now, orders);
  if (effects.read && !is_reading_) ask(EngineAsk::Kind::read, now, orders);
  if (effects.proposal) ask(EngineAsk::Kind::propose, now, orders);
}

void Service::be_born(Life life, Epoch above, const Policy* policy) {
  if (policy != nullptr) views_.start_with(*policy);
  views_.be_born(life, above);
  reg_ = {};
  lease_.drop();
  is_beating_ = is_announcing_ = is_reading_ = false;
  next_read_ = next_beat_ = {};
}

// --- the other members ---

void Service::on_frame(Instant now, Life from, std::span<const std::uint8_t> frame,
                       Orders& orders) {
  settle_time(now, orders);
  views_.on_frame(from, frame, orders);
  if (!is_in_view(frame)) go_on(now, orders);  // A lock's message leaves nothing else to do.
}

void Service::on_link_broken(Instant now, Orders& orders) {
  // Before anything else, for nothing of this view may be sent any more.
  tell_keeper(
      now, [](Keeper& keeper, auto&) { keeper.renew_view(); }, orders);
  settle_time(now, orders);
  go_on(now, orders);
}

void Service::leave(Instant now, Orders& orders) {
  settle_time(now, orders);
  tell_keeper(
      now, [](Keeper& keeper, auto& effects) { keeper.leave(effects); }, orders);
  go_on(now, orders);
}

// --- clients ---

Result<void> Service::acquire(Instant now, std::string_view name, WaiterId waiter, Want want,
                              Orders& orders) {
  settle_time(now, orders);
  return views_.acquire(name, waiter, want, orders);
}

Result<void> Service::release(Instant now, std::string_view name, WaiterId waiter,
                              std::optional<Turn> last, Orders& orders) {
  // It has taken its turns, even if it turns out to have lost the lock with the lease.
  if (last) views_.note_turn(waiter, *last);
  settle_time(now, orders);
  const auto released = views_.release(name, waiter, last, orders);
  if (released && keeper().is_leaving()) go_on(now, orders);
  return released;
}

Result<void> Service::abandon(Instant now, std::string_view name, WaiterId waiter, Orders& orders) {
  settle_time(now, orders);
  return views_.abandon(name, waiter, orders);
}

void Service::lose(Instant now, const std::string& name, WaiterId waiter, Orders& orders) {
  settle_time(now, orders);
  if (keeper().has_lapsed()) return;  // With all else.
  views_.lose(name, waiter, orders);
  go_on(now, orders);
}

// --- what to ask ---

ServiceStats Service::stats() const {
  ServiceStats stats = stats_;
  static_cast<ViewStats&>(stats) = views_.stats();
  return stats;
}

std::optional<Span> Service::lease_left(Instant now) const {
  if (!keeper().is_leased()) return std::nullopt;
  return std::max(Span{0}, promised_until() - now);
}

bool Service::is_in_jeopardy(Instant now) const {
  return keeper().is_leased() && lease_.end() - now < lease_.times().ttl / 2;
}

}  // namespace hapax
