// Parts of a state under small numbers. The same part always has the same number and different
// parts have different ones, so a state that is a row of numbers is the state itself, not a hash of
// it.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace hapax {

// Numbers the distinct values of T by their encodings.
template <class T>
class Parts {
 public:
  // The number of the part that `key` encodes; make() gives its value the first time.
  template <class Make>
  std::uint32_t number_of(std::string_view key, Make&& make) {
    if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(values_.size());
    keys_.emplace_back(key);
    values_.push_back(make());
    numbers_.emplace(keys_.back(), number);
    return number;
  }

  const T& operator[](std::uint32_t number) const { return values_[number]; }
  std::string_view key(std::uint32_t number) const { return keys_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }

 private:
  std::deque<std::string> keys_;  // A deque, because numbers_ refers to its strings.
  std::deque<T> values_;
  boost::unordered_flat_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace hapax
