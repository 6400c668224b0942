// Event and timer descriptors, as threads that wait for them use them.
#pragma once

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <unistd.h>

#include "base/check.h"

namespace hapax {

// Throws std::system_error if there is none.
inline int checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error{errno, std::generic_category(), what};
  return fd;
}

inline void signal(int event) {
  const std::uint64_t one = 1;
  HAPAX_CHECK(write(event, &one, sizeof one) == sizeof one);
}

// Whether it had been signalled or not.
inline void reset(int event) {
  std::uint64_t count = 0;
  while (read(event, &count, sizeof count) < 0 && errno == EINTR) {
  }
}

}  // namespace hapax
