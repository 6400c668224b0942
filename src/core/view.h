// A view: an agreed, numbered list of members. Inside it nothing fails; that is what an algorithm
// may assume, and all it needs to start from.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/record.h"

namespace hapax {

struct View {
  Epoch epoch{};
  std::uint32_t size = 1;  // Members are 0 … size-1.
  NodeId self{};
  NodeId holder{};    // Where the idle token, permission or coordinator is as the view starts …
  bool held = false;  // … and whether that member is inside its critical section.

  HAPAX_RECORD(View, epoch, size, self, holder, held)

  bool starts_inside() const { return held && self == holder; }
};

}  // namespace hapax
