// A question to all members, and whom to tell when they have answered.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "base/seat.h"
#include "session/lock_list.h"
#include "session/protocol.h"

namespace hapax {

// What members see of the locks: each lock has one holder or several sharers, and everybody's
// waiters.
struct GatheredLocks {
  using Answer = session::Locks;

  void add(const std::vector<session::Lock>& locks, std::uint64_t more_locks) {
    for (const session::Lock& lock : locks) list.add(lock);
    list.count_more_locks(more_locks);
  }
  Answer take(std::vector<std::uint32_t> silent) {
    return {0, list.take(), std::move(silent), list.more_locks()};
  }

  LockList list{LockList::kOfAll};
};

// How members are, each in its own words.
struct GatheredReports {
  using Answer = session::Reports;

  Answer take(std::vector<std::uint32_t> silent) { return {std::move(reports), std::move(silent)}; }

  std::vector<session::MemberReport> reports;
};

template <class Gathered>
class Inquiry {
 public:
  static constexpr std::chrono::milliseconds kPatience{1'000};

  using Tell = std::function<void(typename Gathered::Answer&&)>;

  // `asker`: who must still be there for `tell` to be called.
  Inquiry(const void* asker, Tell tell) : asker_(asker), tell_(std::move(tell)) {}

  void expect(Seat member) { missing_.insert(member); }
  // It is not reached, and will not answer.
  void do_without(Seat member) { silent_.push_back(number(member)); }
  // What that member says is added to this.
  Gathered& from(Seat member) {
    missing_.erase(member);
    return gathered_;
  }
  bool finish_if_complete() {
    if (!missing_.empty()) return false;
    finish();
    return true;
  }
  void finish() {
    if (!tell_) return;
    for (const Seat member : missing_) silent_.push_back(number(member));
    std::sort(silent_.begin(), silent_.end());
    tell_(gathered_.take(std::move(silent_)));
  }
  // The asker is gone.
  void forget(const void* asker) {
    if (asker_ == asker) tell_ = nullptr;
  }

 private:
  const void* asker_;
  Tell tell_;
  std::set<Seat> missing_;
  std::vector<std::uint32_t> silent_;
  Gathered gathered_;
};

}  // namespace hapax
