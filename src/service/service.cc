#include "service/service.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "service/view_frame.h"

namespace hapax {

Service::Service(Policy policy, const LeaseTimes& times, Holders& holders)
    : keeper_(Life{}),
      times_(times),
      locks_(keeper_, std::move(policy), holders),
      beats_(times.patience()) {}

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
  no_later(beats_.next_deadline());
  if (due_since_ && !keeper_.is_proposing()) no_later(*due_since_ + propose_delay());
  return next;
}

// What is left to do after a call: frames that can be handled by now, grants that a lease lets
// through by now, and what time it is for.
void Service::go_on(Instant now, Orders& orders) {
  while (handle_backlog(now, orders)) {
  }
  if (keeper_.may_grant()) locks_.grant_what_waits_for_a_lease(orders);
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
  beats_.give_up(now, [&](const Beat& beat) { keeper_.on_overdue(beat); });
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
    if (!beats_.is_given_up_or_unknown(life)) ++before;
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

// --- the keeper ---

void Service::carry_out(Instant now, const Keeper::Effects& effects, Orders& orders) {
  if (effects.lost) {
    const std::size_t before = orders.lost.size();
    locks_.lose_all(orders);
    stats_.lost_grants += orders.lost.size() - before;
  }
  if (effects.recall) locks_.recall_all(orders);
  if (effects.stop) locks_.stop();
  if (effects.report) locks_.report(orders);
  if (effects.begin) {
    ++stats_.views;
    locks_.begin(orders);
  }
  if (effects.ended) end(orders);
  if (effects.announce) ask(EngineAsk::Kind::announce, now, orders);
  if (effects.beat) ask(EngineAsk::Kind::beat, now, orders);
  if (effects.read && !is_reading_) ask(EngineAsk::Kind::read, now, orders);
  if (effects.proposal) ask(EngineAsk::Kind::propose, now, orders);
}

void Service::end(Orders& orders) {
  locks_.end();
  backlogs_.clear();
  beats_.clear();
  due_since_.reset();
  orders.ended = true;
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
  const auto before = backlogs_.find(from);
  const bool is_next = before == backlogs_.end() || before->second.frames.empty();
  if (is_next && handle(now, from, frame, orders)) {
    if (is_in_view(frame)) return;  // A lock's message leaves nothing else to do.
  } else {
    Backlog& backlog = backlogs_[from];
    backlog.frames.emplace_back(frame.begin(), frame.end());
    backlog.bytes += frame.size();
    ++stats_.kept_frames;
  }
  go_on(now, orders);
}

bool Service::is_full(Life from) const {
  const auto at = backlogs_.find(from);
  return at != backlogs_.end() && at->second.bytes >= Backlog::kMostBytes;
}

// Whether anything could be handled.
bool Service::handle_backlog(Instant now, Orders& orders) {
  bool any = false;
  for (auto& [life, backlog] : backlogs_) {
    while (!backlog.frames.empty() && handle(now, life, backlog.frames.front(), orders)) {
      // A life that has ended keeps nothing.
      if (backlogs_.empty()) return false;
      backlog.bytes -= backlog.frames.front().size();
      backlog.frames.pop_front();
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
    locks_.receive(*place, frame->rest, orders);
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
  const bool is_last = part->last;
  if (const auto heard = locks_.hear(from, std::move(*part)); !heard) {
    orders.complaints.push_back({from, heard.error().message});
  }
  if (!is_last) return;
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

// --- clients ---

Result<void> Service::acquire(Instant now, std::string_view name, WaiterId waiter, Want want,
                              Orders& orders) {
  settle_time(now, orders);
  return locks_.acquire(name, waiter, want, orders);
}

Result<void> Service::release(Instant now, std::string_view name, WaiterId waiter,
                              std::optional<Turn> last, Orders& orders) {
  settle_time(now, orders);
  const auto released = locks_.release(name, waiter, last, orders);
  if (released && keeper_.is_leaving()) go_on(now, orders);
  return released;
}

Result<void> Service::abandon(Instant now, std::string_view name, WaiterId waiter, Orders& orders) {
  settle_time(now, orders);
  return locks_.abandon(name, waiter, orders);
}

// --- what to ask ---

std::optional<Span> Service::lease_left(Instant now) const {
  if (!keeper_.is_leased()) return std::nullopt;
  return std::max(Span{0}, promised_until() - now);
}

bool Service::is_in_jeopardy(Instant now) const {
  return keeper_.is_leased() && lease_end_ - now < times_.ttl / 2;
}

}  // namespace hapax
