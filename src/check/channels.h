// What is under way on a link, as numbered parts: the empty link is 0. Adding and taking a message
// are looked up, not computed, once they have been seen.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "check/parts.h"
#include "core/mutex_algorithm.h"

namespace hapax {

class LinkContents {
 public:
  // A message that can be taken now, and what the link holds then.
  struct Take {
    std::uint32_t message;
    std::uint32_t rest;
  };

  LinkContents(Channels channels, std::uint32_t limit) : channels_(channels), contents_(limit) {
    number_of({});
  }

  std::uint32_t with(std::uint32_t content, std::uint32_t message) {
    const std::uint64_t key = std::uint64_t{content} << 32 | message;
    if (const auto found = with_.find(key); found != with_.end()) return found->second;
    std::vector<std::uint32_t> messages = contents_[content];
    // Without order only what is there counts, so equal contents must look equal.
    const auto at = channels_ == Channels::fifo
                        ? messages.end()
                        : std::upper_bound(messages.begin(), messages.end(), message);
    messages.insert(at, message);
    return with_[key] = number_of(std::move(messages));
  }

  // The oldest message over FIFO channels, else each kind of message once.
  std::span<const Take> takes(std::uint32_t content) {
    while (takes_.size() <= content) compute_takes(static_cast<std::uint32_t>(takes_.size()));
    return takes_[content];
  }

 private:
  std::uint32_t number_of(std::vector<std::uint32_t> messages) {
    const std::string_view key{reinterpret_cast<const char*>(messages.data()),
                               messages.size() * sizeof(std::uint32_t)};
    return contents_.number_of(key, [&] { return messages; });
  }

  void compute_takes(std::uint32_t content) {
    std::vector<Take> takes;
    const std::vector<std::uint32_t> messages = contents_[content];
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (i > 0 && (channels_ == Channels::fifo || messages[i] == messages[i - 1])) continue;
      std::vector<std::uint32_t> rest = messages;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      takes.push_back({messages[i], number_of(std::move(rest))});
    }
    takes_.push_back(std::move(takes));
  }

  Channels channels_;
  Parts<std::vector<std::uint32_t>> contents_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> with_;
  std::vector<std::vector<Take>> takes_;
};

}  // namespace hapax
