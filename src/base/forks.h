// Whether this process came about by fork() since something was made: what a thread guards or
// drives does not work in the child, which has one thread only.
#pragma once

#include <atomic>
#include <cstdint>

namespace hapax {

namespace forks_detail {
extern std::atomic<std::uint32_t> count;
}

// Another number in a child than in its parent, for as long as both live. No system call: it is
// asked each time that a lock is entered.
inline std::uint32_t forks() noexcept {
  return forks_detail::count.load(std::memory_order_relaxed);
}

}  // namespace hapax
