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
#include "daemon/visitor.h"
#include "session/lock_list.h"
#include "session/protocol.h"

namespace hapax {

class Inquiry {
 public:
  static constexpr std::chrono::milliseconds kPatience{1'000};

  using Tell = std::function<void(session::Locks&&)>;

  // `asker`: who must still be there for `tell` to be called.
  Inquiry(const Visitor* asker, Tell tell) : asker_(asker), tell_(std::move(tell)) {}

  void expect(Seat member) { missing_.insert(member); }
  // It is not reached, and will not answer.
  void do_without(Seat member) { silent_.push_back(number(member)); }
  // What a member sees of the locks. Each lock has one holder or several sharers, and everybody's
  // waiters. REQUIRES: they are sound.
  void add(Seat member, const std::vector<session::Lock>& locks, std::uint64_t more_locks) {
    missing_.erase(member);
    for (const session::Lock& lock : locks) list_.add(lock);
    list_.count_more_locks(more_locks);
  }
  bool finish_if_complete() {
    if (!missing_.empty()) return false;
    finish();
    return true;
  }
  void finish() {
    if (!tell_) return;
    session::Locks answer;
    answer.locks = list_.take();
    answer.more_locks = list_.more_locks();
    answer.silent = silent_;
    for (const Seat member : missing_) answer.silent.push_back(number(member));
    std::sort(answer.silent.begin(), answer.silent.end());
    tell_(std::move(answer));
  }
  // The visitor is gone.
  void forget(const Visitor& visitor) {
    if (asker_ == &visitor) tell_ = nullptr;
  }

 private:
  const Visitor* asker_;
  Tell tell_;
  std::set<Seat> missing_;
  std::vector<std::uint32_t> silent_;
  LockList list_{LockList::kOfAll};
};

}  // namespace hapax
