// How long a lock stays taken after a client that held it has gone without giving it back, by
// pattern: Chubby's lock-delay. What such a client has sent before may still be on its way to those
// who ask no gate.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hapax {

class LockDelays {
 public:
  static constexpr std::chrono::minutes kLongest{1};

  // A rule: PATTERN=DURATION, as 'orders/*=10s'; the first that matches a name counts.
  Result<void> add(std::string_view rule);
  std::chrono::milliseconds of(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::chrono::milliseconds>> rules_;
};

}  // namespace hapax
