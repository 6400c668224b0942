#include "service/service.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "locks/shared_locks.h"

namespace hapax {

Service::Service(Policy policy, const LeaseTimes& times, Holders& holders)
    : keeper_(Life{}), policy_(std::move(policy)), times_(times), holders_(holders) {}

// --- time ---

void Service::on_time(Instant now, Orders& orders) {
  settle_time(now, orders);
  go_on(now, orders);
}

// What has run out by now, before anything else is looked at.
void Service::settle_time(Instant now, Orders& orders) {
  if (!keeper_.is_leased() || now < lease_end_) return;
  Keeper::Effects effects;
  keeper_.lease_ended(effects);
  carry_out(now, effects, orders);
}

Instant Service::next_deadline() const {
  Instant next = is_reading_ ? Instant::max() : next_read_;
  const auto no_later = [&](Instant at) { next = std::min(next, at); };
  if (keeper_.is_leased()) no_later(lease_end_);
  const Standing standing = keeper_.standing();
  if (standing == Standing::outside || standing == Standing::ended) return next;
  if (!is_beating_ && !keeper_.is_leaving()) no_later(next_beat_);
  for (const auto& [life, sight] : sights_) {
    if (!sight.is_told) no_later(sight.since + times_.patience());
  }
  if (due_since_ && !keeper_.is_proposing()) no_later(*due_since_ + propose_delay());
  return next;
}

// What is left to do after a call: kept frames that can be handled by now, grants that a lease lets
// through by now, and what time it is for.
void Service::go_on(Instant now, Orders& orders) {
  while (handle_kept(now, orders)) {
  }
  if (keeper_.may_grant() && !unleased_.empty()) {
    for (const Unleased& u : std::exchange(unleased_, {})) {
      orders.grants.push_back({u.waiter, u.fence, table_->may_keep(u.name)});
    }
  }
  const Standing standing = keeper_.standing();
  if (standing != Standing::outside && standing != Standing::ended) {
    if (now >= next_beat_ && !is_beating_) {
      Keeper::Effects effects;
      keeper_.beat_due(effects);
      carry_out(now, effects, orders);
    }
    propose_if_due(now, orders);
  }
  if (now >= next_read_ && !is_reading_) ask(EngineAsk::Kind::read, now, orders);
}

void Service::propose_if_due(Instant now, Orders& orders) {
  if (keeper_.is_leaving() && held() == 0) keeper_.drained();
  for (auto& [life, sight] : sights_) {
    if (sight.is_told || now < sight.since + times_.patience()) continue;
    sight.is_told = true;
    keeper_.on_overdue(sight.beat);
  }
  if (!keeper_.is_due(reg_)) {
    due_since_.reset();
    return;
  }
  if (!due_since_) due_since_ = now;
  if (keeper_.is_proposing() || now < *due_since_ + propose_delay()) return;
  due_since_ = now;  // For the next try.
  Keeper::Effects effects;
  keeper_.propose(effects);
  carry_out(now, effects, orders);
}

// The lowest member goes first; who is no member yet comes last. One who is given up on has no say.
Span Service::propose_delay() const {
  if (keeper_.is_leaving()) return Span{0};  // Nobody else proposes that.
  std::uint32_t before = 0;
  const auto count = [&](Life life) {
    const auto sight = sights_.find(life);
    if (sight != sights_.end() && !sight->second.is_told) ++before;
  };
  for (const Life life : reg_.roll.members) {
    if (life == keeper_.self()) return before * times_.propose_step();
    count(life);
  }
  for (const Beat& beat : reg_.beats) {
    if (beat.life == keeper_.self()) break;
    if (!reg_.roll.has(beat.life)) count(beat.life);
  }
  return before * times_.propose_step();
}

// --- the engine ---

void Service::ask(EngineAsk::Kind kind, Instant now, Orders& orders) {
  EngineAsk ask{kind, keeper_.self(), now, {}};
  switch (kind) {
    case EngineAsk::Kind::announce:
      is_announcing_ = true;
      break;
    case EngineAsk::Kind::beat:
      is_beating_ = true;
      next_beat_ = now + times_.beat_every();
      ++stats_.beats;
      break;
    case EngineAsk::Kind::read:
      is_reading_ = true;
      next_read_ = now + times_.read_every();
      ++stats_.reads;
      break;
    case EngineAsk::Kind::propose:
      ask.proposal = *keeper_.pending();
      ++stats_.proposals;
      break;
  }
  orders.asks.push_back(std::move(ask));
}

void Service::announce(Instant now, Orders& orders) {
  settle_time(now, orders);
  if (is_announcing_) return;
  Keeper::Effects effects;
  keeper_.announce(effects);
  carry_out(now, effects, orders);
}

void Service::on_committed(Instant now, const EngineAsk& asked, Outcome outcome, Orders& orders) {
  settle_time(now, orders);
  if (asked.life != keeper_.self()) return;
  Keeper::Effects effects;
  const bool committed = outcome == Outcome::committed;
  switch (asked.kind) {
    case EngineAsk::Kind::announce:
      is_announcing_ = false;
      if (committed) {
        lease_end_ = asked.sent + times_.lease();
        next_beat_ = asked.sent + times_.beat_every();
        orders.leased_until = promised_until();
      }
      keeper_.on_announced(outcome, effects);
      break;
    case EngineAsk::Kind::beat:
      is_beating_ = false;
      if (committed) {
        lease_end_ = asked.sent + times_.lease();
        orders.leased_until = promised_until();
      }
      keeper_.on_beat(outcome, effects);
      break;
    case EngineAsk::Kind::propose:
      keeper_.on_proposed(outcome, effects);
      break;
    case EngineAsk::Kind::read:
      break;
  }
  carry_out(now, effects, orders);
  settle_time(now, orders);  // It may have taken so long that the lease is over already.
  go_on(now, orders);
}

void Service::on_register(Instant now, const Register& reg, Orders& orders) {
  settle_time(now, orders);
  is_reading_ = false;
  if (reg.version >= reg_.version) {
    look_at_beats(now, reg);
    reg_ = reg;
    Keeper::Effects effects;
    keeper_.on_register(reg, effects);
    carry_out(now, effects, orders);
  }
  go_on(now, orders);
}

void Service::on_unreadable(Instant now, Orders& orders) {
  is_reading_ = false;
  on_time(now, orders);
}

// A beat is watched from when we hear of it, which is later than when it was sent.
void Service::look_at_beats(Instant now, const Register& reg) {
  std::erase_if(sights_, [&](const auto& s) { return reg.beat_of(s.first) == nullptr; });
  for (const Beat& beat : reg.beats) {
    if (beat.life == keeper_.self()) continue;
    const auto [at, is_new] = sights_.try_emplace(beat.life, Sight{beat, now, false});
    if (!is_new && at->second.beat != beat) at->second = {beat, now, false};
  }
}

// --- the keeper ---

void Service::carry_out(Instant now, const Keeper::Effects& effects, Orders& orders) {
  if (effects.lost) lose_all(orders);
  if (effects.recall) recall_all(orders);
  if (effects.stop) stop();
  if (effects.report) report(orders);
  if (effects.begin) begin(orders);
  if (effects.ended) end(orders);
  if (effects.announce) ask(EngineAsk::Kind::announce, now, orders);
  if (effects.beat) ask(EngineAsk::Kind::beat, now, orders);
  if (effects.read && !is_reading_) ask(EngineAsk::Kind::read, now, orders);
  if (effects.proposal) ask(EngineAsk::Kind::propose, now, orders);
}

void Service::be_born(Life life) {
  const Standing standing = keeper_.standing();
  HAPAX_CHECK((standing == Standing::ended || standing == Standing::outside));
  keeper_ = Keeper{life};
  reg_ = {};
  is_beating_ = is_announcing_ = is_reading_ = false;
  next_read_ = next_beat_ = {};
  ++stats_.lives;
}

// --- the other members ---

void Service::on_frame(Instant now, Life from, std::span<const std::uint8_t> frame,
                       Orders& orders) {
  settle_time(now, orders);
  Kept& kept = kept_[from];
  if (!kept.frames.empty() || !handle(now, from, frame, orders)) {
    kept.frames.emplace_back(frame.begin(), frame.end());
    kept.bytes += frame.size();
    ++stats_.kept_frames;
  }
  go_on(now, orders);
}

bool Service::is_full(Life from) const {
  const auto at = kept_.find(from);
  return at != kept_.end() && at->second.bytes >= kMostKept;
}

// Whether anything could be handled.
bool Service::handle_kept(Instant now, Orders& orders) {
  bool any = false;
  for (auto& [life, kept] : kept_) {
    while (!kept.frames.empty() && handle(now, life, kept.frames.front(), orders)) {
      // A life that has ended keeps nothing.
      if (kept_.empty()) return false;
      kept.bytes -= kept.frames.front().size();
      kept.frames.pop_front();
      any = true;
    }
  }
  return any;
}

// False if it has to be kept for later.
bool Service::handle(Instant now, Life from, std::span<const std::uint8_t> bytes, Orders& orders) {
  const auto frame = divide_view_frame(bytes);
  if (!frame) {
    orders.complaints.push_back({from, "sent a frame that no member of this version writes"});
    return true;
  }
  const auto what = frame->is_report ? keeper_.what_to_do_with_report(frame->epoch)
                                     : keeper_.what_to_do_with_message(frame->epoch);
  if (what == Keeper::Handling::keep) return false;
  if (what == Keeper::Handling::drop) {
    ++stats_.old_frames;
    return true;
  }
  const auto place = keeper_.roll().place_of(from);
  if (!place) {
    orders.complaints.push_back({from, "speaks of a view that it is no member of"});
    return true;
  }
  if (frame->is_report) {
    on_report(now, from, frame->rest, orders);
  } else {
    table_->receive(*place, frame->rest, out_);
    flush(orders);
  }
  return true;
}

void Service::on_report(Instant now, Life from, std::span<const std::uint8_t> bytes,
                        Orders& orders) {
  auto part = decode<ReportPart>(bytes);
  if (!part) {
    orders.complaints.push_back({from, "sent a report that no member of this version writes"});
    return;
  }
  auto& names = reports_[from];
  std::move(part->held.begin(), part->held.end(), std::back_inserter(names));
  if (!part->last) return;
  Keeper::Effects effects;
  keeper_.on_report(from, keeper_.roll().epoch, effects);
  carry_out(now, effects, orders);
}

void Service::on_link_broken(Instant now, Orders& orders) {
  settle_time(now, orders);
  keeper_.renew_view();
  go_on(now, orders);
}

void Service::leave(Instant now, Orders& orders) {
  settle_time(now, orders);
  Keeper::Effects effects;
  keeper_.leave(effects);
  carry_out(now, effects, orders);
  go_on(now, orders);
}

// What the table has left in its outbox.
void Service::flush(Orders& orders) {
  const Roll& roll = keeper_.roll();
  const bool is_over = keeper_.standing() == Standing::ended;  // Nobody listens to us any more.
  for (const Outbox::Send& send : out_.sends()) {
    if (is_over) break;
    const auto payload = out_.bytes(send);
    orders.sends.push_back(
        {roll.members[number(send.to)], orders.arena.size(), kViewHeader + payload.size()});
    append_view_header(orders.arena, kMessageTag, roll.epoch);
    orders.arena.insert(orders.arena.end(), payload.begin(), payload.end());
  }
  for (const Outbox::Grant& grant : out_.grants()) {
    if (keeper_.may_grant()) {
      orders.grants.push_back({grant.waiter, grant.fence, table_->may_keep(out_.name(grant))});
    } else {
      unleased_.push_back({std::string{out_.name(grant)}, grant.waiter, grant.fence});
    }
  }
  for (const Outbox::Wanted& wanted : out_.wanted()) orders.wanted.push_back(wanted.waiter);
  for (const Outbox::Complaint& complaint : out_.complaints()) {
    const bool is_member = number(complaint.peer) < roll.members.size();
    orders.complaints.push_back(
        {is_member ? roll.members[number(complaint.peer)] : Life{}, complaint.text});
  }
  out_.clear();
}

// --- clients ---

bool Service::is_unleased(WaiterId waiter) const {
  return std::any_of(unleased_.begin(), unleased_.end(),
                     [&](const Unleased& u) { return u.waiter == waiter; });
}

Result<void> Service::acquire(Instant now, std::string_view name, WaiterId waiter, Want want,
                              Orders& orders) {
  settle_time(now, orders);
  if (const auto valid = check_lock_name(name); !valid) return valid.error();
  const std::size_t asked_for =
      table_ ? table_->stats().held + table_->stats().waiting : held_.size() + wants_.size();
  if (asked_for >= kMostAsked) {
    return error("{} locks are held or waited for at this member, and that is all it can carry",
                 kMostAsked);
  }
  if (!table_) {
    const auto fits = check_want(name, policy_.kind_for(name), want);
    if (!fits) return fits.error();
    wants_.push_back({std::string{name}, waiter, want});
    return {};
  }
  const auto asked = table_->acquire(name, waiter, want, out_);
  if (!asked) return asked.error();
  flush(orders);
  return {};
}

Result<void> Service::release(Instant now, std::string_view name, WaiterId waiter,
                              std::optional<Turn> last, Orders& orders) {
  settle_time(now, orders);
  if (table_) {
    const auto released = last ? table_->release_kept(name, waiter, *last, out_)
                               : table_->release(name, waiter, out_);
    if (!released) return released.error();
    flush(orders);
    if (keeper_.is_leaving()) go_on(now, orders);
    return {};
  }
  for (Held& held : held_) {
    if (held.waiter != waiter || held.given_back) continue;
    held.given_back = true;
    if (keeper_.is_leaving()) go_on(now, orders);
    return {};
  }
  return error("it is not held");
}

Result<void> Service::abandon(Instant now, std::string_view name, WaiterId waiter, Orders& orders) {
  settle_time(now, orders);
  if (!table_) {
    const auto is_it = [&](const Waiting& w) { return w.waiter == waiter && w.name == name; };
    if (std::erase_if(wants_, is_it) == 0) return error("it does not wait");
    return {};
  }
  if (is_unleased(waiter)) {
    std::erase_if(unleased_, [&](const Unleased& u) { return u.waiter == waiter; });
    const auto released = table_->release(name, waiter, out_);
    HAPAX_CHECK(released.has_value());
    flush(orders);
    return {};
  }
  const auto abandoned = table_->abandon(name, waiter, out_);
  if (!abandoned) return abandoned.error();
  flush(orders);
  return {};
}

// --- what to ask ---

std::optional<Span> Service::lease_left(Instant now) const {
  if (!keeper_.is_leased()) return std::nullopt;
  return std::max(Span{0}, promised_until() - now);
}

bool Service::is_overdue(Life life, Instant now) const {
  const auto sight = sights_.find(life);
  return sight != sights_.end() && now >= sight->second.since + times_.patience();
}

bool Service::is_fresh(Life life, Instant now) const {
  const auto sight = sights_.find(life);
  return sight != sights_.end() && now < sight->second.since + times_.ttl / 2;
}

bool Service::is_in_jeopardy(Instant now) const {
  return keeper_.is_leased() && lease_end_ - now < times_.ttl / 2;
}

std::size_t Service::waiting() const {
  return table_ ? table_->stats().waiting + unleased_.size() : wants_.size();
}

std::size_t Service::held() const {
  if (table_) return table_->stats().held - unleased_.size();
  return static_cast<std::size_t>(
      std::count_if(held_.begin(), held_.end(), [](const Held& h) { return !h.given_back; }));
}

}  // namespace hapax
