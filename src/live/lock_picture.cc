#include "live/lock_picture.h"

#include <algorithm>
#include <utility>

namespace hapax::live {
namespace {

// What counts as the same wait or grant although clocks and questions take their time.
constexpr Time kTolerance{1'500};

bool is_same(const Person& a, const Person& b) {
  return a.member == b.member && a.pid == b.pid && a.fence == b.fence && a.shared == b.shared &&
         a.host == b.host && a.command == b.command && a.member_name == b.member_name;
}

// `passed`: between the two sights.
bool is_same(const Person& a, const Person& b, Time passed) {
  const Time drift = b.since - a.since - passed;
  return is_same(a, b) && -kTolerance < drift && drift < kTolerance;
}

bool is_same(const std::vector<Person>& a, const std::vector<Person>& b, Time passed) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const Person& p, const Person& q) { return is_same(p, q, passed); });
}

bool is_same(const LockInfo& a, const LockInfo& b, Time passed) {
  if (a.holder.has_value() != b.holder.has_value()) return false;
  if (a.holder && !is_same(*a.holder, *b.holder, passed)) return false;
  return a.algorithm == b.algorithm && a.more_sharers == b.more_sharers &&
         a.more_waiters == b.more_waiters && is_same(a.sharers, b.sharers, passed) &&
         is_same(a.waiters, b.waiters, passed);
}

std::vector<const Person*> holders_of(const LockInfo* lock) {
  std::vector<const Person*> holders;
  if (lock == nullptr) return holders;
  if (lock->holder) holders.push_back(&*lock->holder);
  for (const Person& sharer : lock->sharers) holders.push_back(&sharer);
  return holders;
}

}  // namespace

LockPicture::Change LockPicture::update(std::vector<LockInfo>&& locks, Time now) {
  const std::map<std::string, LockInfo> before = std::exchange(locks_, {});
  const Time passed = now - std::exchange(seen_, now);
  Change change;
  for (LockInfo& lock : locks) {
    const auto at = locks_.emplace_hint(locks_.end(), lock.name, LockInfo{});
    at->second = std::move(lock);
    const auto was = before.find(at->first);
    if (was != before.end() && is_same(was->second, at->second, passed)) continue;
    change.changed.push_back(&at->second);
    if (is_known_) note(was == before.end() ? nullptr : &was->second, &at->second, now);
  }
  for (const auto& [name, lock] : before) {
    if (locks_.contains(name)) continue;
    change.gone.push_back(name);
    note(&lock, nullptr, now);
  }
  is_known_ = true;
  return change;
}

void LockPicture::forget() {
  locks_.clear();
  is_known_ = false;
}

void LockPicture::note(const LockInfo* before, const LockInfo* after, Time now) {
  const auto add = [&](const LockInfo& of, const LockInfo* other, bool is_taken) {
    const auto others = holders_of(other);
    for (const Person* holder : holders_of(&of)) {
      const bool is_known = std::any_of(others.begin(), others.end(), [&](const Person* person) {
        return is_same(*person, *holder);
      });
      if (!is_known) history_.push_back({now, of.name, is_taken, *holder});
    }
  };
  if (before != nullptr) add(*before, after, false);
  if (after != nullptr) add(*after, before, true);
  while (history_.size() > kMostHistory) history_.pop_front();
}

std::vector<const Turnover*> LockPicture::history_of(const std::string& lock) const {
  std::vector<const Turnover*> found;
  for (const Turnover& turnover : history_) {
    if (turnover.lock == lock) found.push_back(&turnover);
  }
  return found;
}

}  // namespace hapax::live
