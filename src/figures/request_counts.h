// What a daemon counts of its clients' requests, for each rule of its policy: plain integers, since
// every lock and unlock passes by here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
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
  explicit RequestCounts(Policy policy) { follow(std::move(policy)); }

  // Who asks from now on is counted by these rules; what was counted stays.
  void follow(Policy policy) {
    policy_ = std::move(policy);
    of_rule_.clear();
    for (std::size_t rule = 0; rule < policy_.rules(); ++rule) {
      of_rule_.push_back(&counts_of(policy_.pattern_of(rule), policy_.algorithm_of(rule)));
    }
  }
  // Stays where it is.
  RuleCounts& of(std::string_view lock) { return *of_rule_[policy_.rule_for(lock)]; }
  // Of all rules there have been.
  const std::deque<RuleCounts>& rules() const { return rules_; }

 private:
  RuleCounts& counts_of(const std::string& pattern, const std::string& algorithm) {
    const auto at = std::find_if(rules_.begin(), rules_.end(), [&](const RuleCounts& rule) {
      return rule.pattern == pattern && rule.algorithm == algorithm;
    });
    return at != rules_.end() ? *at : rules_.emplace_back(RuleCounts{pattern, algorithm});
  }

  Policy policy_;
  std::deque<RuleCounts> rules_;
  std::vector<RuleCounts*> of_rule_;  // Of policy_.
};

}  // namespace hapax
