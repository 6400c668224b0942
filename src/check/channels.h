// What is under way on a link, as numbered parts: the empty link is 0. Adding and taking a message
// are looked up, not computed, once they have been seen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mutex_info.h"
#include "search/model.h"
#include "search/parts.h"

namespace hapax {

class LinkContents {
 public:
  // A message that can be taken now, and what the link holds then.
  struct Take {
    std::uint32_t message;
    std::uint32_t rest;
  };

  explicit LinkContents(Channels channels) : channels_(channels) { number_of({}); }

  std::uint32_t size() const { return contents_.size(); }
  const std::vector<std::uint32_t>& messages(std::uint32_t content) const {
    return contents_[content];
  }

  // While frozen, what was not seen before is kUnknown, or cannot be taken.
  void freeze(bool on) { frozen_ = on; }
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  std::uint32_t with(std::uint32_t content, std::uint32_t message) {
    if (content < with_.size() && message < with_[content].size() && with_[content][message] != 0)
        [[likely]] {
      return with_[content][message];
    }
    return with_anew(content, message);
  }

  // The number of what the link holds when it holds these, in this order if there is one.
  std::uint32_t number_of(std::vector<std::uint32_t> messages) {
    // Without order only what is there counts, so equal contents must look equal.
    if (channels_ == Channels::unordered) std::sort(messages.begin(), messages.end());
    const std::string_view key{reinterpret_cast<const char*>(messages.data()),
                               messages.size() * sizeof(std::uint32_t)};
    return contents_.number_of(key, [&] { return messages; });
  }

  // The oldest message over FIFO channels, else each kind of message once. Valid until the next
  // call.
  std::span<const Take> takes(std::uint32_t content) {
    if (first_take_.size() <= content + 1) [[unlikely]] {
      if (frozen_) return {};
      compute_takes_up_to(content);
    }
    return {takes_.data() + first_take_[content], takes_.data() + first_take_[content + 1]};
  }

 private:
  std::uint32_t with_anew(std::uint32_t content, std::uint32_t message) {
    if (frozen_) return kUnknown;
    if (content >= with_.size()) with_.resize(contents_.size());
    if (message >= with_[content].size()) with_[content].resize(message + 1, 0);
    std::vector<std::uint32_t> messages = contents_[content];
    messages.push_back(message);
    return with_[content][message] = number_of(std::move(messages));
  }

  void compute_takes_up_to(std::uint32_t content) {
    while (first_take_.size() <= content + 1) {
      compute_takes(static_cast<std::uint32_t>(first_take_.size() - 1));
    }
  }
  void compute_takes(std::uint32_t content) {
    const std::vector<std::uint32_t> messages = contents_[content];
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (i > 0 && (channels_ == Channels::fifo || messages[i] == messages[i - 1])) continue;
      std::vector<std::uint32_t> rest = messages;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      takes_.push_back({messages[i], number_of(std::move(rest))});
    }
    first_take_.push_back(static_cast<std::uint32_t>(takes_.size()));
  }

  Channels channels_;
  bool frozen_ = false;
  Parts<std::vector<std::uint32_t>> contents_;
  std::vector<std::vector<std::uint32_t>> with_;  // By content and message; 0: not seen before.
  std::vector<Take> takes_;                       // Of all contents, one after the other.
  std::vector<std::uint32_t> first_take_{0};      // By content; and where the last one's end.
};

}  // namespace hapax
