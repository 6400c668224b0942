// Multicasts that are under way as one event each: whom they go to. An event of `to` below n is for
// that process; above, it is for all others or for a list that is kept here until it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace hapax {

class Multicasts {
 public:
  explicit Multicasts(std::uint32_t n) : n_(n) {}

  bool is_single(std::uint32_t to) const { return to < n_; }
  std::uint32_t to_others() const { return n_; }
  // A number for those of the list, until it is dropped.
  std::uint32_t to_listed(std::span<const NodeId> receivers) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(lists_.size()));
      lists_.emplace_back();
    }
    const std::uint32_t list = free_.back();
    free_.pop_back();
    lists_[list].assign(receivers.begin(), receivers.end());
    return n_ + 1 + list;
  }

  // Whom it goes to, in order, one after the other. REQUIRES: !is_single(to).
  class Receivers;
  Receivers of(std::uint32_t from, std::uint32_t to) const;
  void drop(std::uint32_t to) {
    if (to != n_) free_.push_back(to - n_ - 1);
  }

 private:
  std::uint32_t n_;
  std::vector<std::vector<NodeId>> lists_;
  std::vector<std::uint32_t> free_;  // Numbers of lists that nobody uses, to be used again.
};

// Stays valid while others are begun.
class Multicasts::Receivers {
 public:
  Receivers(std::span<const NodeId> listed, std::uint32_t from, std::uint32_t n)
      : listed_(listed), from_(from), size_(listed.empty() ? n - 1 : listed.size()) {}

  std::size_t size() const { return size_; }
  NodeId operator[](std::size_t i) const {
    if (!listed_.empty()) return listed_[i];
    const auto to = static_cast<std::uint32_t>(i);
    return NodeId{to < from_ ? to : to + 1};
  }

 private:
  std::span<const NodeId> listed_;  // Empty if it goes to all others.
  std::uint32_t from_;
  std::size_t size_;
};

inline Multicasts::Receivers Multicasts::of(std::uint32_t from, std::uint32_t to) const {
  return {to == n_ ? std::span<const NodeId>{} : std::span{lists_[to - n_ - 1]}, from, n_};
}

}  // namespace hapax
