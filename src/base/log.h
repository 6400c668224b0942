// A log, for those who have something to say and do not know where it goes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace hapax {

enum class LogLevel : std::uint8_t {
  debug,    // What only whoever looks for a fault wants to know.
  info,     // What happens.
  warning,  // Somebody should look at it, by and by.
  error,    // Something is lost, or does not work.
};

using Log = std::function<void(const std::string& line, LogLevel level)>;

}  // namespace hapax
