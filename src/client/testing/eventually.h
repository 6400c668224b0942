// For what other threads and processes bring about in their own time.
#pragma once

#include <chrono>
#include <thread>

namespace hapax::client::testing {

// False if it has not come about within a time that no busy machine needs.
template <class Done>
bool eventually(Done done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

}  // namespace hapax::client::testing
