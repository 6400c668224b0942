// How a thread waits for a word that another thread will write: a few looks in place, in case the
// other runs on the next core, then a yield per look, because with more threads than cores the
// other may be waiting for exactly this core. Never blocks, so nobody has to wake it.
#pragma once

#include <cstdint>
#include <thread>

namespace hapax {

class Backoff {
 public:
  void pause() {
    if (looks_ == kLooksInPlace) {
      std::this_thread::yield();
    } else {
      ++looks_;
      relax();
    }
  }

 private:
  static constexpr std::uint32_t kLooksInPlace = 64;

  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }

  std::uint32_t looks_ = 0;  // Invariant: at most kLooksInPlace.
};

}  // namespace hapax
