// Waiting for a descriptor.
#pragma once

#include <chrono>

namespace hapax {

// Waits until the descriptor is ready for `events`, as poll(2) calls them; false if it is not in
// time. A hang-up ends the wait.
bool await(int fd, short events, std::chrono::steady_clock::time_point deadline);

// For who has no deadline.
inline std::chrono::steady_clock::time_point forever() {
  return std::chrono::steady_clock::now() + std::chrono::hours{24};
}

}  // namespace hapax
