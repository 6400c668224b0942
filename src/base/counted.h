// counted(3, "member"): 3 members; counted(1, "member"): 1 member.
#pragma once

#include <cstdint>
#include <fmt/core.h>
#include <string>
#include <string_view>

namespace hapax {

inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

}  // namespace hapax
