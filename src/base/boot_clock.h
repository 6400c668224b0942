// The time that leases are measured in. Not std::chrono::steady_clock: that stands still while the
// machine sleeps, and others take over meanwhile.
#pragma once

#include <chrono>
#include <ctime>

#include "base/check.h"

namespace hapax {

inline std::chrono::nanoseconds boot_clock_now() {
  timespec now{};
  const int failed = clock_gettime(CLOCK_BOOTTIME, &now);
  HAPAX_CHECK(failed == 0);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

}  // namespace hapax
