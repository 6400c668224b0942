// The binary heap as a tree over the members: the children of i are 2i+1 and 2i+2. Computed from
// the ids alone and never stored, so that a tree of a million members costs nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/ids.h"

namespace hapax {

class HeapTree {
 public:
  // REQUIRES: node is not the root, 0.
  static NodeId parent(NodeId node) {
    HAPAX_CHECK(number(node) > 0);
    return NodeId{(number(node) - 1) / 2};
  }

  static bool are_neighbours(NodeId a, NodeId b) {
    if (number(a) > number(b)) std::swap(a, b);
    return a != b && parent(b) == a;
  }

  // Levels below the root.
  static std::uint32_t depth(NodeId node) {
    return static_cast<std::uint32_t>(std::bit_width(place(node))) - 1;
  }
  // REQUIRES: levels_up <= depth(node).
  static NodeId ancestor(NodeId node, std::uint32_t levels_up) {
    return NodeId{static_cast<std::uint32_t>((place(node) >> levels_up) - 1)};
  }

  // The neighbour of `from` on the only path to `to`. REQUIRES: from != to.
  static NodeId neighbour_towards(NodeId from, NodeId to) {
    HAPAX_CHECK(from != to);
    if (depth(from) < depth(to)) {
      const NodeId child = ancestor(to, depth(to) - depth(from) - 1);
      if (parent(child) == from) return child;
    }
    return parent(from);
  }

  // Hops on the path from a to b.
  static std::uint32_t distance(NodeId a, NodeId b) {
    if (depth(a) > depth(b)) std::swap(a, b);
    const std::uint32_t down = depth(b) - depth(a);
    b = ancestor(b, down);
    // On one level the paths to the root differ up to the highest bit in which the places differ.
    const auto apart = static_cast<std::uint32_t>(std::bit_width(place(a) ^ place(b)));
    return down + 2 * apart;
  }

 private:
  // Counted from 1 the heap is plain binary: a bit more each level, dropping the last one climbs.
  static std::uint64_t place(NodeId node) { return std::uint64_t{number(node)} + 1; }
};

}  // namespace hapax
