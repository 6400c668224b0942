// Judges a run from outside, with the true time: who is inside by a lease that is not over, whether
// fences grow, and what gets past the gate.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

#include "core/fence.h"
#include "hapax/fence.h"
#include "node/outbox.h"

namespace hapax {

class Referee {
 public:
  // A client of `member` has been let in. `is_valid(member)`: its lease is not over.
  template <class IsValid>
  void entered(const std::string& lock, WaiterId waiter, std::uint32_t member, Fence fence,
               IsValid&& is_valid) {
    Lock& l = locks_[lock];
    if (!is_valid(member)) violated("client {} is let in after the lease is over", number(waiter));
    for (const auto& [other, where] : l.inside) {
      if (other == waiter || !is_valid(where)) continue;
      violated("clients {} and {} are inside at once", number(other), number(waiter));
    }
    if (fence <= l.last) violated("the fence {} comes after {}", fence, l.last);
    l.last = fence;
    l.inside[waiter] = member;
  }
  // It has left, or has been told that its lock is lost.
  void left(const std::string& lock, WaiterId waiter) { locks_[lock].inside.erase(waiter); }

  struct Reading {
    bool admitted = false;
    std::uint64_t value = 0;
  };
  Reading read(const std::string& lock, Fence fence) {
    Lock& l = locks_[lock];
    return {l.gate.admit(fence), l.value};
  }
  // False if the gate refuses.
  bool write(const std::string& lock, Fence fence, std::uint64_t read) {
    Lock& l = locks_[lock];
    if (!l.gate.admit(fence)) return false;
    if (l.value != read) violated("an update of {} is lost: {} written over", lock, l.value);
    l.value = read + 1;
    return true;
  }

  template <class... Args>
  void violated(fmt::format_string<Args...> format, Args&&... args) {
    if (violation_.empty()) violation_ = fmt::format(format, std::forward<Args>(args)...);
  }
  const std::string& violation() const { return violation_; }

 private:
  struct Lock {
    std::map<WaiterId, std::uint32_t> inside;
    Fence last;
    FenceGate gate;
    std::uint64_t value = 0;
  };
  std::map<std::string, Lock> locks_;
  std::string violation_;
};

}  // namespace hapax
