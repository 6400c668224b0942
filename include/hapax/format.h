// Fences for std::format and fmt, whichever of them there is: fmt::format("{}", orders.fence()) is
// "3.17". No other header of hapax includes either.
#pragma once

#include <version>

#include "hapax/fence.h"

#if defined(__cpp_lib_format)
#include <format>

// Takes what a text takes: std::format("{:>12}", fence).
template <>
struct std::formatter<hapax::Fence> : std::formatter<std::string> {
  template <class Context>
  auto format(hapax::Fence fence, Context& context) const {
    return std::formatter<std::string>::format(to_string(fence), context);
  }
};
#endif

#if __has_include(<fmt/core.h>)
#include <fmt/core.h>

// Takes what a text takes: fmt::format("{:>12}", fence).
template <>
struct fmt::formatter<hapax::Fence> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(hapax::Fence fence, Context& context) const {
    return fmt::formatter<std::string_view>::format(to_string(fence), context);
  }
};
#endif
