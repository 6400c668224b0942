// Strong ids. None converts to another, so a clock is never passed where a node is meant.
#pragma once

#include <cstdint>
#include <fmt/format.h>

#include "hapax/fence.h"  // Epoch, Turn

namespace hapax {

enum class NodeId : std::uint32_t {};  // A member of the view: 0 … size-1.
enum class Clock : std::uint64_t {};   // A Lamport clock.

constexpr std::uint32_t number(NodeId node) { return static_cast<std::uint32_t>(node); }
constexpr std::uint64_t number(Clock clock) { return static_cast<std::uint64_t>(clock); }

template <class Id>
constexpr Id next(Id id) {
  return Id{number(id) + 1};
}

}  // namespace hapax

// A node prints as #7, so that code showing the text to a person can put the node's own name there.
template <>
struct fmt::formatter<hapax::NodeId> : fmt::formatter<std::uint32_t> {
  template <class Context>
  auto format(hapax::NodeId node, Context& context) const {
    return fmt::format_to(context.out(), "#{}", hapax::number(node));
  }
};

template <class Id>
struct PlainNumber : fmt::formatter<std::uint64_t> {
  template <class Context>
  auto format(Id id, Context& context) const {
    return fmt::formatter<std::uint64_t>::format(hapax::number(id), context);
  }
};
template <>
struct fmt::formatter<hapax::Epoch> : PlainNumber<hapax::Epoch> {};
template <>
struct fmt::formatter<hapax::Clock> : PlainNumber<hapax::Clock> {};
template <>
struct fmt::formatter<hapax::Turn> : PlainNumber<hapax::Turn> {};
