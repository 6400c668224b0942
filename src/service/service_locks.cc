// What becomes of the locks when a lease ends and when views change.
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "base/check.h"
#include "service/service.h"
#include "locks/shared_locks.h"

namespace hapax {

Want Service::want_of(const std::string& name, Mode mode) const {
  const LockKind kind = policy_.kind_for(name);
  return is_shared(kind.algorithm) ? want_for(kind, mode) : Want::exclusive;
}

// Who has not been told of its grant yet has nothing to lose: it waits on.
bool Service::withdraw_grant(WaiterId waiter, Orders& orders) {
  return std::erase_if(orders.grants, [&](const Orders::Grant& g) { return g.waiter == waiter; }) >
         0;
}

// The clients are told, then the algorithms release.
void Service::lose_all(Orders& orders) {
  const std::size_t lost_before = orders.lost.size();
  std::vector<std::pair<std::string, WaiterId>> gone;
  if (table_) {
    table_->for_each_lock([&](const LockStatus& lock) {
      const auto lose = [&](const LockHolder& holder) {
        if (is_unleased(holder.waiter)) return;
        if (withdraw_grant(holder.waiter, orders)) {
          unleased_.push_back({lock.name, holder.waiter, holder.fence});
        } else {
          gone.emplace_back(lock.name, holder.waiter);
        }
      };
      if (lock.holder) lose(*lock.holder);
      for (const LockHolder& sharer : lock.sharers) lose(sharer);
    });
  }
  for (const auto& [name, waiter] : gone) {
    orders.lost.push_back(waiter);
    const auto last = holders_.take_back(waiter);
    const auto released = last ? table_->release_kept(name, waiter, *last, out_)
                               : table_->release(name, waiter, out_);
    HAPAX_CHECK(released.has_value());
  }
  if (table_) flush(orders);
  for (Held& held : held_) {
    if (std::exchange(held.given_back, true)) continue;
    if (withdraw_grant(held.waiter, orders)) {
      wants_.insert(wants_.begin(), {held.name, held.waiter, want_of(held.name, held.mode)});
    } else {
      orders.lost.push_back(held.waiter);
      (void)holders_.take_back(held.waiter);  // The next view's fences are greater anyway.
    }
  }
  stats_.lost_grants += orders.lost.size() - lost_before;
}

void Service::recall_all(Orders& orders) {
  if (table_) {
    table_->for_each_lock([&](const LockStatus& lock) {
      const auto recall = [&](const LockHolder& holder) {
        if (!is_unleased(holder.waiter)) orders.recalled.push_back(holder.waiter);
      };
      if (lock.holder) recall(*lock.holder);
      for (const LockHolder& sharer : lock.sharers) recall(sharer);
    });
  }
  for (const Held& held : held_) {
    if (!held.given_back) orders.recalled.push_back(held.waiter);
  }
}

// What survives of the view: who is inside, and who waits.
void Service::stop() {
  HAPAX_CHECK(held_.empty());
  HAPAX_CHECK(wants_.empty());
  table_->for_each_lock([&](const LockStatus& lock) {
    const auto keep = [&](const LockHolder& holder) {
      if (is_unleased(holder.waiter)) {
        // Never let in: it waits on, ahead of the others.
        wants_.push_back({lock.name, holder.waiter, want_of(lock.name, holder.mode)});
      } else if (holders_.is_inside(holder.waiter)) {
        held_.push_back({lock.name, holder.waiter, holder.fence, holder.mode, false});
      }
    };
    if (lock.holder) keep(*lock.holder);
    for (const LockHolder& sharer : lock.sharers) keep(sharer);
    for (std::size_t i = 0; i < lock.waiters.size(); ++i) {
      const Mode mode = lock.modes.empty() ? Mode::exclusive : lock.modes[i];
      wants_.push_back({lock.name, lock.waiters[i], want_of(lock.name, mode)});
    }
  });
  unleased_.clear();
  table_.reset();
}

void Service::report(Orders& orders) {
  reports_.clear();
  const Roll& roll = keeper_.roll();
  Bytes frame;
  std::size_t at = 0;
  do {
    ReportPart part;
    for (std::size_t bytes = 0; at < held_.size() && bytes < kReportPartBytes; ++at) {
      // Who shares a lock is asked, and need not be known.
      if (is_shared(policy_.algorithm_for(held_[at].name))) continue;
      bytes += held_[at].name.size() + 2;
      part.held.push_back(held_[at].name);
    }
    part.last = at == held_.size();
    frame.clear();
    append_view_header(frame, kReportTag, roll.epoch);
    encode_to(frame, part);
    for (const Life life : roll.members) {
      if (life == keeper_.self()) continue;
      orders.sends.push_back({life, orders.arena.size(), frame.size()});
      orders.arena.insert(orders.arena.end(), frame.begin(), frame.end());
    }
  } while (at < held_.size());
}

void Service::begin(Orders& orders) {
  const Roll& roll = keeper_.roll();
  const NodeId self = *roll.place_of(keeper_.self());
  table_ = std::make_unique<LockTable>(
      Membership{roll.epoch, static_cast<std::uint32_t>(roll.members.size()), self}, policy_);
  std::set<std::string_view> begun;
  std::map<std::string_view, std::vector<LockHolder>> shared;
  for (const Held& held : held_) {
    if (is_shared(policy_.algorithm_for(held.name))) {
      shared[held.name].push_back({held.waiter, held.fence, held.mode});
      continue;
    }
    begun.insert(held.name);
    const auto ok = table_->begin(held.name, self, true, LockHolder{held.waiter, held.fence});
    HAPAX_CHECK(ok.has_value());
  }
  for (const auto& [name, here] : shared) {
    const auto ok = table_->begin_shared(name, here);
    HAPAX_CHECK(ok.has_value());
  }
  for (const auto& [life, names] : reports_) {
    for (const std::string& name : names) {
      const bool is_first = begun.insert(name).second;
      const auto ok = is_first ? table_->begin(name, *roll.place_of(life), true, std::nullopt)
                               : Result<void>{error("somebody else holds it, too")};
      if (!ok) {
        orders.complaints.push_back(
            {life, fmt::format("reports that it holds a lock: {}", ok.error().message)});
      }
    }
  }
  for (const Held& held : std::exchange(held_, {})) {
    if (!held.given_back) continue;
    const auto released = table_->release(held.name, held.waiter, out_);
    HAPAX_CHECK(released.has_value());
  }
  for (const Waiting& waiting : std::exchange(wants_, {})) {
    const auto asked = table_->acquire(waiting.name, waiting.waiter, waiting.want, out_);
    HAPAX_CHECK(asked.has_value());
  }
  reports_.clear();
  ++stats_.views;
  orders.begun = true;
  flush(orders);
}

// Waiters go on waiting, for the next life's first view.
void Service::end(Orders& orders) {
  if (table_) stop();
  held_.clear();
  reports_.clear();
  kept_.clear();
  sights_.clear();
  due_since_.reset();
  orders.ended = true;
}

}  // namespace hapax
