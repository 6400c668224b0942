// Judges a run from outside, with the true time: who is inside under a lease that is not over,
// whether fences grow, and what gets past the gate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/core.h>
#include <map>
#include <string>
#include <utility>

#include "core/fence.h"
#include "core/want.h"
#include "hapax/fence.h"
#include "locks/outbox.h"
#include "view/roll.h"

namespace hapax {

class Referee {
 public:
  // Of a semaphore: this many may be inside.
  explicit Referee(std::uint32_t units = 1) : units_(units) {}

  // A member lets a client in. `is_valid(life)`: that member's lease is not over.
  // `relies(waiter)`: that client goes by what it was granted, whatever its member knows.
  template <class IsValid, class Relies>
  void entered(const std::string& lock, WaiterId waiter, Life life, Fence fence, Want want,
               IsValid&& is_valid, Relies&& relies) {
    Lock& l = locks_[lock];
    if (!is_valid(life)) violated("client {} is let in after the lease is over", number(waiter));
    std::erase_if(l.inside, [&](const auto& inside) {
      return !is_valid(inside.second.life) && !relies(inside.first);
    });
    std::uint32_t units = 0;
    for (const auto& [other, holder] : l.inside) {
      if (other == waiter) continue;
      if (want == Want::shared && holder.want == Want::shared) continue;
      if (want == Want::unit && ++units < units_) continue;
      violated("clients {} and {} are inside at once", number(other), number(waiter));
    }
    // Those who may be inside together come in any order.
    if (excludes_all(want)) {
      if (fence <= l.last) violated("the fence {} comes after {}", fence, l.last);
      l.last_alone = fence;
    } else if (want == Want::shared && fence <= l.last_alone) {
      violated("a reader's fence {} comes after a writer's {}", fence, l.last_alone);
    }
    l.last = std::max(l.last, fence);
    l.inside[waiter] = {life, want};
  }
  // It has left by itself.
  void left(const std::string& lock, WaiterId waiter) { locks_[lock].inside.erase(waiter); }

  struct Reading {
    bool admitted = false;
    std::uint64_t value = 0;
  };
  // Behind the gate; by one that shares the lock, and by one that has it alone.
  Reading read(const std::string& lock, Fence fence, Want want) {
    Lock& l = locks_[lock];
    const bool shares = want == Want::shared;
    return {shares ? l.gate.admit_shared(fence) : l.gate.admit(fence), l.value};
  }
  // A reader looks once more. False if the gate refuses: a writer has been there.
  bool read_again(const std::string& lock, Fence fence, std::uint64_t read) {
    Lock& l = locks_[lock];
    if (!l.gate.admit_shared(fence)) return false;
    if (l.value != read) violated("{} changes under a reader, from {} to {}", lock, read, l.value);
    return true;
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
  bool excludes_all(Want want) const {
    return want == Want::exclusive || (want == Want::unit && units_ == 1);
  }

  struct Holder {
    Life life{};
    Want want = Want::exclusive;
  };
  struct Lock {
    std::map<WaiterId, Holder> inside;
    Fence last;
    Fence last_alone;  // Of those that excluded everybody.
    FenceGate gate;
    std::uint64_t value = 0;
  };
  std::uint32_t units_;
  std::map<std::string, Lock> locks_;
  std::string violation_;
};

}  // namespace hapax
