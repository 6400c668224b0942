// The fence as users see it, for the rest of the house.
#pragma once

#include <fmt/core.h>

#include "base/ids.h"
#include "hapax/fence.h"

template <>
struct fmt::formatter<hapax::Fence> : fmt::formatter<std::uint64_t> {
  template <class Context>
  auto format(hapax::Fence fence, Context& context) const {
    return fmt::format_to(context.out(), "{}.{}", fence.epoch, fence.turn);
  }
};
