// Whether all members that a value speaks of exist, wherever they lie in it. What a stranger wrote
// must not name a member that there is no place for.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/box.h"
#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "base/sequence.h"

namespace hapax {

class IdBounds {
 public:
  explicit IdBounds(std::uint32_t size) : size_(size) {}

  bool holds(NodeId id) const { return number(id) < size_; }
  template <class Id>
  bool holds(const IdSet<Id>& set) const {
    for (const Id id : set) {
      if (static_cast<std::uint32_t>(id) >= size_) return false;
    }
    return true;
  }
  template <class T>
  bool holds(const Box<T>& box) const {
    return !box || holds(*box);
  }
  template <class T>
  bool holds(const std::optional<T>& item) const {
    return !item || holds(*item);
  }
  template <class A, class B>
  bool holds(const std::pair<A, B>& pair) const {
    return holds(pair.first) && holds(pair.second);
  }
  template <Sequence C>
  bool holds(const C& items) const {
    for (const auto& item : items) {
      if (!holds(item)) return false;
    }
    return true;
  }
  template <Record R>
  bool holds(const R& record) const {
    return with_fields(record, [&](const auto&... field) { return (holds(field) && ...); });
  }
  template <class T>
  bool holds(const T&) const {
    return true;  // Speaks of nobody.
  }

 private:
  std::uint32_t size_;
};

template <class T>
bool has_ids_below(const T& value, std::uint32_t size) {
  return IdBounds{size}.holds(value);
}

}  // namespace hapax
