#include "locks/lock_delays.h"

#include "base/duration.h"
#include "base/glob.h"

namespace hapax {

Result<void> LockDelays::add(std::string_view rule) {
  const std::size_t equals = rule.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    return error("'{}' is not PATTERN=DURATION, as in 'orders/*=10s'", rule);
  }
  const auto length = parse_duration(rule.substr(equals + 1), "the delay");
  if (!length) return length.error();
  const std::chrono::milliseconds delay{*length / kMillisecond};
  if (delay < std::chrono::milliseconds{0} || delay > kLongest) {
    return error("'{}': a lock is delayed for a minute at most", rule);
  }
  rules_.emplace_back(rule.substr(0, equals), delay);
  return {};
}

std::chrono::milliseconds LockDelays::of(std::string_view name) const {
  for (const auto& [pattern, delay] : rules_) {
    if (glob_matches(pattern, name)) return delay;
  }
  return std::chrono::milliseconds{0};
}

}  // namespace hapax
