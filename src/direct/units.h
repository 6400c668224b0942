// How many may hold a semaphore at an engine that does not know: its users agree on that, as the
// members of a group do with --algorithm.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hapax::direct {

class Units {
 public:
  // PATTERN=NUMBER, with commas between them; the first that fits a name counts.
  static Result<Units> parse(std::string_view text);
  // 0: it is no semaphore.
  std::uint32_t of(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::uint32_t>> rules_;
};

}  // namespace hapax::direct
