// The number that every grant carries. It strictly grows from one critical section to the next, so
// that storage which remembers the highest one it has seen can refuse a holder that is late.
#pragma once

#include <compare>

#include "base/ids.h"
#include "base/record.h"

namespace hapax {

// Invariant: of two critical sections on one lock, the later one has the larger fence. Inside a
// view the algorithm sees to it by `turn`; across views `epoch` goes first.
struct Fence {
  Epoch epoch{};
  Turn turn{};

  HAPAX_RECORD(Fence, epoch, turn)

  friend constexpr auto operator<=>(const Fence&, const Fence&) = default;
};

// What stands before storage: lets an access pass unless a later holder has been here already.
// Reads raise the mark as well; otherwise a late write could slip in between a new holder's read
// and write.
class FenceGate {
 public:
  bool admit(Fence fence) {
    if (fence < highest_) return false;
    highest_ = fence;
    return true;
  }
  Fence highest() const { return highest_; }

 private:
  Fence highest_{};
};

}  // namespace hapax

template <>
struct fmt::formatter<hapax::Fence> : fmt::formatter<std::uint64_t> {
  template <class Context>
  auto format(hapax::Fence fence, Context& context) const {
    return fmt::format_to(context.out(), "{}.{}", fence.epoch, fence.turn);
  }
};
