// Anything that holds its items in sequence and grows at the end: std::vector, Boost's compact one.
#pragma once

#include <concepts>
#include <cstddef>

namespace hapax {

template <class C>
concept Sequence = requires(C c, std::size_t n) {
  typename C::value_type;
  c.reserve(n);
  c.emplace_back();
  c.clear();
  { c.size() } -> std::convertible_to<std::size_t>;
};

}  // namespace hapax
