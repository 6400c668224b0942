// The lecture's bank account: a value that is read, added to elsewhere, and written back. With a
// gate it remembers the highest fence it has seen, in reads as in writes, and refuses a holder that
// is late.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>

#include "base/ids.h"
#include "core/fence.h"

namespace hapax {

class Account {
 public:
  Account(std::int64_t balance, bool gated) : balance_(balance), gated_(gated) {}

  struct Said {
    std::string text;
    bool refused = false;
  };

  // What happened, in words. `fence` is the one its holder was given last, if any.
  Said read(NodeId node, std::optional<Fence> fence) {
    if (!admits(fence)) return refusal(node, "read", fence);
    seen_[node] = balance_;
    return {fmt::format("{} reads ${}{}", node, balance_, with(fence))};
  }
  // Writes what it has read plus `amount`. REQUIRES: it has read.
  Said deposit(NodeId node, std::int64_t amount, std::optional<Fence> fence) {
    if (!admits(fence)) return refusal(node, "write", fence);
    balance_ = seen_[node] + amount;
    return {fmt::format("{} writes ${}{}", node, balance_, with(fence))};
  }
  bool has_read(NodeId node) const { return seen_.contains(node); }
  std::int64_t balance() const { return balance_; }

 private:
  bool admits(std::optional<Fence> fence) {
    return !gated_ || gate_.admit(fence.value_or(Fence{}));
  }
  std::string with(std::optional<Fence> fence) const {
    return gated_ ? fmt::format(" with fence {}", fence.value_or(Fence{})) : "";
  }
  Said refusal(NodeId node, const char* what, std::optional<Fence> fence) const {
    return {fmt::format("the gate refuses the {} of {}: fence {} is older than {}", what, node,
                        fence.value_or(Fence{}), gate_.highest()),
            true};
  }

  std::int64_t balance_;
  bool gated_;
  FenceGate gate_;
  std::map<NodeId, std::int64_t> seen_;
};

}  // namespace hapax
