// The lease behind the grants of a member inside a program, as the program's threads see it. Every
// grant belongs to a term. A term ends once, with all its grants; what is granted afterwards
// belongs to the next one.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "service/lease_times.h"

namespace hapax {

class LeaseTerm {
 public:
  using Number = std::uint64_t;  // From 1.
  static constexpr Instant kForever = Instant::max();
  // Less is nothing: whoever asks how long it is good for is told in milliseconds.
  static constexpr Span kLeast = std::chrono::milliseconds{1};

  // A lease that has run out stays so until it is renewed. Where there are no leases there is one
  // term, for ever.
  explicit LeaseTerm(bool runs_out) : until_(runs_out ? 0 : kForever.count()) {}

  // --- any thread ---

  Instant until() const noexcept { return Instant{until_.load(std::memory_order_acquire)}; }
  Number number() const noexcept { return number_.load(std::memory_order_acquire); }
  // Whether a grant of that term is good now. `clock` is looked at last: what is in time then was
  // in time before.
  template <class Clock>
  bool covers(Number term, Clock&& clock) const noexcept {
    const Instant end = until();  // Before the term is looked at: then it is of that term.
    return number() == term && (end == kForever || clock() + kLeast <= end);
  }

  // --- one at a time ---

  void renew(Instant until) { until_.store(until.count(), std::memory_order_release); }
  // Somebody is about to be told of a grant: its term.
  Number grant() {
    is_given_ = true;
    return number_.load(std::memory_order_relaxed);
  }
  // Everything granted so far is lost. False: that was nothing, and the term stays.
  bool end() {
    until_.store(0, std::memory_order_release);
    if (!std::exchange(is_given_, false)) return false;
    number_.fetch_add(1, std::memory_order_acq_rel);
    return true;
  }

 private:
  std::atomic<Instant::rep> until_;
  std::atomic<Number> number_{1};
  bool is_given_ = false;  // There was a grant in this term.
};

}  // namespace hapax
