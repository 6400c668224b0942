// What a daemon counts of its clients' requests, for each rule of its policy: plain integers, since
// every lock and unlock passes by here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/histogram.h"
#include "locks/policy.h"

namespace hapax {

struct RuleCounts {
  std::string pattern, algorithm;     // As the rule is written.
  std::uint64_t waiting = 0;          // Now.
  std::uint64_t holding = 0;          // Now.
  Histogram waits{bounds::kClients};  // Of those who were granted it.
  Histogram holds{bounds::kClients};  // Of those who do not hold it any more.

  bool is_used() const { return waiting > 0 || holding > 0 || waits.count() > 0; }
};

class RequestCounts {
 public:
  explicit RequestCounts(Policy policy) : policy_(std::move(policy)) {
    for (std::size_t rule = 0; rule < policy_.rules(); ++rule) {
      rules_.push_back({policy_.pattern_of(rule), policy_.algorithm_of(rule)});
    }
  }

  // Stays where it is.
  RuleCounts& of(std::string_view lock) { return rules_[policy_.rule_for(lock)]; }
  const std::vector<RuleCounts>& rules() const { return rules_; }

 private:
  Policy policy_;
  std::vector<RuleCounts> rules_;
};

}  // namespace hapax
