#include "service/view_locks.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <utility>

#include "base/check.h"
#include "core/lock_name.h"
#include "locks/shared_locks.h"

namespace hapax {
namespace {

// Who has not been told of its grant yet has nothing to lose: it waits on.
bool withdraw_grant(WaiterId waiter, ViewOrders& orders) {
  return std::erase_if(orders.grants, [&](const Grant& g) { return g.waiter == waiter; }) > 0;
}

}  // namespace

ViewLocks::ViewLocks(Policy policy, Holders& holders)
    : given_(std::move(policy)), policy_(given_), holders_(&holders) {}

void ViewLocks::start_with(Policy policy) {
  HAPAX_CHECK(!table_);
  given_ = policy_ = std::move(policy);
  algorithms_.clear();
}

// What its roll says, from the moment at which a view begins: all that was said in the view before
// it was by the algorithms of that one.
void ViewLocks::follow(const Roll& roll) {
  if (roll.algorithms == algorithms_) return;
  algorithms_ = roll.algorithms;
  policy_ = algorithms_.empty() ? given_ : Policy::from_lines(algorithms_).value();
}

Want ViewLocks::want_of(const std::string& name, Mode mode) const {
  const LockKind kind = policy_.kind_for(name);
  return is_shared(kind.algorithm) ? want_for(kind, mode) : Want::exclusive;
}

bool ViewLocks::is_unleased(WaiterId waiter) const {
  return std::any_of(unleased_.begin(), unleased_.end(),
                     [&](const Grant& g) { return g.waiter == waiter; });
}

// f(name, holder). REQUIRES: a view runs.
template <class F>
void ViewLocks::for_each_holder(F&& f) const {
  table_->for_each_lock([&](const LockStatus& lock) {
    if (lock.holder) f(lock.name, *lock.holder);
    for (const LockHolder& sharer : lock.sharers) f(lock.name, sharer);
  });
}

// --- clients ---

Result<void> ViewLocks::acquire(const Keeper& keeper, std::string_view name, WaiterId waiter,
                                Want want, ViewOrders& orders) {
  if (const auto valid = check_lock_name(name); !valid) return valid.error();
  const std::size_t asked_for =
      table_ ? table_->stats().held + table_->stats().waiting : held_.size() + wants_.size();
  if (asked_for >= kMostAsked) {
    return error("{} locks are held or waited for at this member, and that is all it can carry",
                 kMostAsked);
  }
  if (!table_) {
    auto fits = check_want(name, policy_.kind_for(name), want);
    if (fits) wants_.push_back({std::string{name}, waiter, want});
    return fits;
  }
  auto asked = table_->acquire(name, waiter, want, out_);
  if (asked) flush(keeper, orders);
  return asked;
}

Result<void> ViewLocks::release(const Keeper& keeper, std::string_view name, WaiterId waiter,
                                std::optional<Turn> last, ViewOrders& orders) {
  noted_.reset();
  if (table_) {
    auto released = last ? table_->release_kept(name, waiter, *last, out_)
                         : table_->release(name, waiter, out_);
    if (released) flush(keeper, orders);
    return released;
  }
  for (Held& held : held_) {
    if (held.waiter != waiter || held.given_back) continue;
    held.given_back = true;
    return {};
  }
  return error("it is not held");
}

Result<void> ViewLocks::abandon(const Keeper& keeper, std::string_view name, WaiterId waiter,
                                ViewOrders& orders) {
  if (!table_) {
    // From the back: who hangs up withdraws what it asked for last first.
    const auto at = std::find_if(wants_.rbegin(), wants_.rend(), [&](const Waiting& w) {
      return w.waiter == waiter && w.name == name;
    });
    if (at == wants_.rend()) return error("it does not wait");
    wants_.erase(std::next(at).base());
    return {};
  }
  if (is_unleased(waiter)) {
    std::erase_if(unleased_, [&](const Grant& g) { return g.waiter == waiter; });
    const auto released = table_->release(name, waiter, out_);
    HAPAX_CHECK(released.has_value());
  } else if (const auto abandoned = table_->abandon(name, waiter, out_); !abandoned) {
    return abandoned.error();
  }
  flush(keeper, orders);
  return {};
}

std::size_t ViewLocks::waiting() const {
  return table_ ? table_->stats().waiting + unleased_.size() : wants_.size();
}

std::size_t ViewLocks::held() const {
  if (table_) return table_->stats().held - unleased_.size();
  return static_cast<std::size_t>(
      std::count_if(held_.begin(), held_.end(), [](const Held& h) { return !h.given_back; }));
}

// --- the view that runs ---

void ViewLocks::receive(const Keeper& keeper, NodeId from, std::span<const std::uint8_t> payload,
                        ViewOrders& orders) {
  table_->receive(from, payload, out_);
  flush(keeper, orders);
}

// What the table has left in its outbox.
void ViewLocks::flush(const Keeper& keeper, ViewOrders& orders) {
  const Roll& roll = keeper.roll();
  // Nobody listens to us any more; or a message of this view was lost, and what follows it must not
  // arrive without it: that the rest comes late, and never, does no harm.
  const bool is_over = keeper.standing() == Standing::ended || keeper.is_renewing();
  for (const Outbox::Send& send : out_.sends()) {
    if (is_over) break;
    const auto payload = out_.bytes(send);
    orders.sends.push_back(
        {roll.members[number(send.to)], orders.arena.size(), kViewHeader + payload.size()});
    append_view_header(orders.arena, tags::kInView, roll.epoch);
    orders.arena.insert(orders.arena.end(), payload.begin(), payload.end());
  }
  for (const Grant& grant : out_.grants()) {
    if (keeper.may_grant()) {
      const bool has_room = held() <= kMostKept;
      orders.grants.push_back({grant.waiter, grant.fence, grant.may_keep && has_room});
    } else {  // Not to be kept: when there is a lease, somebody else may have said that he wants
              // it.
      unleased_.push_back({grant.waiter, grant.fence});
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

void ViewLocks::grant_what_waits_for_a_lease(ViewOrders& orders) {
  orders.grants.insert(orders.grants.end(), unleased_.begin(), unleased_.end());
  unleased_.clear();
}

// It is told that its grant is lost, and then the algorithm releases.
void ViewLocks::take_from(const std::string& name, WaiterId waiter, ViewOrders& orders) {
  orders.lost.push_back(waiter);
  const bool is_noted = noted_ && noted_->first == waiter;
  const auto last = is_noted ? std::optional{noted_->second} : holders_->take_back(waiter);
  const auto released =
      last ? table_->release_kept(name, waiter, *last, out_) : table_->release(name, waiter, out_);
  HAPAX_CHECK(released.has_value());
}

void ViewLocks::lose(const Keeper& keeper, const std::string& name, WaiterId waiter,
                     ViewOrders& orders) {
  take_from(name, waiter, orders);
  flush(keeper, orders);
}

void ViewLocks::lose_all(const Keeper& keeper, ViewOrders& orders) {
  std::vector<std::pair<std::string, WaiterId>> gone;
  if (table_) {
    for_each_holder([&](const std::string& name, const LockHolder& holder) {
      if (is_unleased(holder.waiter)) return;
      if (withdraw_grant(holder.waiter, orders)) {
        unleased_.push_back({holder.waiter, holder.fence});
      } else {
        gone.emplace_back(name, holder.waiter);
      }
    });
  }
  for (const auto& [name, waiter] : gone) take_from(name, waiter, orders);
  if (table_) flush(keeper, orders);
  for (Held& held : held_) {
    if (std::exchange(held.given_back, true)) continue;
    if (withdraw_grant(held.waiter, orders)) {
      wants_.insert(wants_.begin(), {held.name, held.waiter, want_of(held.name, held.mode)});
    } else {
      orders.lost.push_back(held.waiter);
      (void)holders_->take_back(held.waiter);  // The next view's fences are greater anyway.
    }
  }
}

void ViewLocks::recall_all(ViewOrders& orders) {
  if (table_) {
    for_each_holder([&](const std::string&, const LockHolder& holder) {
      if (!is_unleased(holder.waiter)) orders.recalled.push_back(holder.waiter);
    });
  }
  for (const Held& held : held_) {
    if (!held.given_back) orders.recalled.push_back(held.waiter);
  }
}

// --- from one view to the next ---

void ViewLocks::stop() {
  HAPAX_CHECK(held_.empty());
  HAPAX_CHECK(wants_.empty());
  for_each_holder([&](const std::string& name, const LockHolder& holder) {
    if (is_unleased(holder.waiter)) {
      // Never let in: it waits on, ahead of the others.
      wants_.push_back({name, holder.waiter, want_of(name, holder.mode)});
    } else if (holders_->is_inside(holder.waiter)) {
      held_.push_back({name, holder.waiter, holder.fence, holder.mode, false});
    }
  });
  table_->for_each_lock([&](const LockStatus& lock) {
    for (std::size_t i = 0; i < lock.waiters.size(); ++i) {
      const Mode mode = lock.modes.empty() ? Mode::exclusive : lock.modes[i];
      wants_.push_back({lock.name, lock.waiters[i], want_of(lock.name, mode)});
    }
  });
  unleased_.clear();
  holders_->on_stopped(table_->stats());
  table_.reset();
}

void ViewLocks::report(const Keeper& keeper, ViewOrders& orders) {
  reports_.clear();
  const Roll& roll = keeper.roll();
  Bytes frame;
  std::size_t at = 0;
  do {
    ReportPart part{roll.members, {}, true};
    for (std::size_t bytes = 0; at < held_.size() && bytes < kReportPartBytes; ++at) {
      // Who shares a lock is asked, and need not be known.
      if (is_shared(policy_.algorithm_for(held_[at].name))) continue;
      bytes += held_[at].name.size() + 2;
      part.held.push_back(held_[at].name);
    }
    part.last = at == held_.size();
    frame.clear();
    append_view_header(frame, tags::kReport, roll.epoch);
    hapax::encode_to(frame, part);
    for (const Life life : roll.members) {
      if (life == keeper.self()) continue;
      orders.sends.push_back({life, orders.arena.size(), frame.size()});
      orders.arena.insert(orders.arena.end(), frame.begin(), frame.end());
    }
  } while (at < held_.size());
}

Result<void> ViewLocks::hear(Life from, ReportPart part) {
  std::vector<std::string>& names = reports_[from];
  if (names.size() + part.held.size() > kMostAsked) {
    return error("reports more than the {} locks that a member can hold", kMostAsked);
  }
  std::move(part.held.begin(), part.held.end(), std::back_inserter(names));
  return {};
}

void ViewLocks::begin(const Keeper& keeper, ViewOrders& orders) {
  const Roll& roll = keeper.roll();
  const NodeId self = *roll.place_of(keeper.self());
  follow(roll);
  table_.emplace(Membership{roll.epoch, static_cast<std::uint32_t>(roll.members.size()), self},
                 policy_);
  begin_held(self);
  begin_reported(keeper, orders);
  for (const Held& held : std::exchange(held_, {})) {
    if (!held.given_back) continue;
    const auto released = table_->release(held.name, held.waiter, out_);
    HAPAX_CHECK(released.has_value());
  }
  for (const Waiting& waiting : std::exchange(wants_, {})) {
    // Refused if the others hold so many locks that there is no room for another one.
    const auto asked = table_->acquire(waiting.name, waiting.waiter, waiting.want, out_);
    if (!asked) orders.lost.push_back(waiting.waiter);
  }
  orders.begun = true;
  flush(keeper, orders);
}

void ViewLocks::begin_held(NodeId self) {
  std::map<std::string_view, std::vector<LockHolder>> shared;
  for (const Held& held : held_) {
    if (is_shared(policy_.algorithm_for(held.name))) {
      shared[held.name].push_back({held.waiter, held.fence, held.mode});
      continue;
    }
    const auto ok = table_->begin(held.name, self, true, LockHolder{held.waiter, held.fence});
    HAPAX_CHECK(ok.has_value());
  }
  for (const auto& [name, here] : shared) {
    const auto ok = table_->begin_shared(name, here);
    HAPAX_CHECK(ok.has_value());
  }
}

// What others say is held to what we know ourselves, and to what was said first.
void ViewLocks::begin_reported(const Keeper& keeper, ViewOrders& orders) {
  std::set<std::string_view> begun;
  for (const Held& held : held_) begun.insert(held.name);
  for (const auto& [life, names] : reports_) {
    bool has_lied = false;  // Said once: it may have done so very often.
    for (const std::string& name : names) {
      const bool is_first = begun.insert(name).second;
      const auto ok = is_first
                          ? table_->begin(name, *keeper.roll().place_of(life), true, std::nullopt)
                          : Result<void>{error("somebody else holds it, too")};
      if (!ok && !std::exchange(has_lied, true)) {
        orders.complaints.push_back(
            {life, fmt::format("reports that it holds a lock: {}", ok.error().message)});
      }
    }
  }
  reports_.clear();
}

void ViewLocks::end() {
  if (table_) stop();
  held_.clear();
  reports_.clear();
}

void ViewLocks::encode_to(Bytes& bytes) const {
  hapax::encode_to(bytes, table_.has_value());
  if (table_) table_->encode_to(bytes);
  hapax::encode_to(bytes, held_);
  hapax::encode_to(bytes, wants_);
  hapax::encode_to(bytes, unleased_);
  hapax::encode_to(bytes, std::uint64_t{reports_.size()});
  for (const auto& report : reports_) hapax::encode_to(bytes, report);
}

}  // namespace hapax
