// A question to all members, and whom to tell when they have answered.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "node/visitor.h"
#include "session/protocol.h"

namespace hapax {

class Inquiry {
 public:
  static constexpr std::chrono::milliseconds kPatience{1'000};

  using Tell = std::function<void(session::Locks&&)>;

  // `asker`: who must still be there for `tell` to be called.
  Inquiry(const Visitor* asker, Tell tell) : asker_(asker), tell_(std::move(tell)) {}

  void expect(NodeId member) { missing_.insert(member); }
  // What a member sees of the locks. Each lock has one holder or several sharers, and everybody's
  // waiters.
  void add(NodeId member, const std::vector<session::Lock>& locks) {
    missing_.erase(member);
    for (const session::Lock& lock : locks) {
      session::Lock& all = locks_[lock.name];
      all.name = lock.name;
      all.algorithm = lock.algorithm;
      if (lock.holder) all.holder = lock.holder;
      all.sharers.insert(all.sharers.end(), lock.sharers.begin(), lock.sharers.end());
      all.waiters.insert(all.waiters.end(), lock.waiters.begin(), lock.waiters.end());
    }
  }
  bool finish_if_complete() {
    if (!missing_.empty()) return false;
    finish();
    return true;
  }
  void finish() {
    if (!tell_) return;
    session::Locks answer;
    for (auto& [name, lock] : locks_) {
      for (auto* people : {&lock.sharers, &lock.waiters}) {
        std::stable_sort(people->begin(), people->end(),
                         [](const auto& a, const auto& b) { return a.member < b.member; });
      }
      answer.locks.push_back(std::move(lock));
    }
    for (const NodeId member : missing_) answer.silent.push_back(number(member));
    tell_(std::move(answer));
  }
  // The visitor is gone.
  void forget(const Visitor& visitor) {
    if (asker_ == &visitor) tell_ = nullptr;
  }

 private:
  const Visitor* asker_;
  Tell tell_;
  std::set<NodeId> missing_;
  std::map<std::string, session::Lock> locks_;
};

}  // namespace hapax
