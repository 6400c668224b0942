// All locks of all members, gathered page by page, and whom to tell.
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

// What one member tells at a time.
struct LocksPage {
  LockList list{LockList::kOfMember};
  std::uint64_t next = 0;  // Where to go on; 0: that is all.
};

class LockSweep {
 public:
  static constexpr std::chrono::milliseconds kPatience{3'000};

  using Tell = std::function<void(session::Locks&&)>;

  LockSweep(std::uint64_t question, Tell tell) : question_(question), tell_(std::move(tell)) {}

  std::uint64_t question() const { return question_; }
  void expect(Seat member) { missing_.insert(member); }
  void do_without(Seat member) { silent_.push_back(number(member)); }
  bool awaits(std::uint64_t question, Seat member) const {
    return question == question_ && missing_.contains(member);
  }
  // True: there is a next page, and room for it.
  bool add(Seat from, const std::vector<session::Lock>& locks, std::uint64_t next) {
    for (const session::Lock& lock : locks) list_.add(lock);
    if (next != 0 && list_.has_room_for_locks()) return true;
    if (next != 0) list_.count_more_locks(1);  // At least.
    missing_.erase(from);
    return false;
  }
  void count_more_locks(std::uint64_t count) { list_.count_more_locks(count); }
  bool is_complete() const { return missing_.empty(); }
  void tell() {
    for (const Seat member : missing_) silent_.push_back(number(member));
    std::sort(silent_.begin(), silent_.end());
    tell_({0, list_.take(), std::move(silent_), list_.more_locks()});
  }

 private:
  std::uint64_t question_;
  Tell tell_;
  std::set<Seat> missing_;
  std::vector<std::uint32_t> silent_;
  LockList list_{LockList::kOfPages};
};

}  // namespace hapax
