// What the acts do while others do their part.
#pragma once

#include <chrono>
#include <fmt/core.h>
#include <stdexcept>
#include <string>
#include <thread>

#include "bank/interrupts.h"

namespace hapax::bank {

// Looks every few milliseconds. Throws std::runtime_error after half a minute; Interrupted.
template <class F>
void wait_until(F&& holds, const std::string& what, Interrupts& interrupts) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (!holds()) {
    interrupts.throw_if_any();
    if (std::chrono::steady_clock::now() > give_up) {
      throw std::runtime_error{fmt::format("waited for {}, 30 s and in vain", what)};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

// What an ATM had to answer.
inline void expect(const std::string& answer, const std::string& expected) {
  if (answer != expected) {
    throw std::runtime_error{fmt::format("an ATM said {}, not {}", answer, expected)};
  }
}

}  // namespace hapax::bank
