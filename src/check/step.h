// A step of a model: what happens, where, and with which message.
#pragma once

#include <cstdint>

namespace hapax {

struct CheckStep {
  enum class Kind : std::uint8_t {
    request,
    request_shared,
    release,
    deliver,
    duplicate,
    lose,
    crash,
    act
  };
  Kind kind{};
  std::uint8_t from = 0;      // deliver, duplicate, lose: the sender; otherwise the process itself
  std::uint8_t to = 0;        // deliver, duplicate, lose
  std::uint32_t message = 0;  // deliver, duplicate, lose: its number
};

}  // namespace hapax
