// The number that every grant carries. It strictly grows from one critical section to the next, so
// that storage which remembers the highest one it has seen can refuse a holder that is late.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace hapax {

// The number of a view.
enum class Epoch : std::uint64_t {};
// The place of a critical section within its view.
enum class Turn : std::uint64_t {};

// As a plain number.
constexpr std::uint64_t number(Epoch epoch) { return static_cast<std::uint64_t>(epoch); }
// As a plain number.
constexpr std::uint64_t number(Turn turn) { return static_cast<std::uint64_t>(turn); }

// Invariant: of two critical sections on one lock that exclude each other, the later one has the
// larger fence. Inside a view the algorithm ensures it by `turn`; across views `epoch` comes first.
struct Fence {
  Epoch epoch{};  // Of the view that granted it.
  Turn turn{};    // Its place within that view.

  // Earlier is less.
  friend constexpr auto operator<=>(const Fence&, const Fence&) = default;

  // @cond What HAPAX_RECORD would write; this header stands alone.
  static constexpr std::string_view kRecordName = "Fence";
  static constexpr std::string_view kFieldNames = "epoch, turn";
  template <class F, class Use>
  static constexpr decltype(auto) with_fields_of(F& fence, Use&& use) {
    return use(fence.epoch, fence.turn);
  }
  // @endcond
};

// As everybody writes it, and parse_fence() reads it: epoch.turn, as in "3.17". hapax/format.h has
// the same for fmt and std::format.
std::string to_string(Fence fence);
// The same text.
std::ostream& operator<<(std::ostream& out, Fence fence);
// Nothing if it is no such text, to the last character.
std::optional<Fence> parse_fence(std::string_view text);

// What a gate remembers: two marks, because holders that share a lock come in any order and must
// not shut each other out.
struct FenceMarks {
  Fence alone{};   // The highest of those who held the lock alone …
  Fence shared{};  // … and of those who shared it.

  // Both marks are.
  friend constexpr bool operator==(const FenceMarks&, const FenceMarks&) = default;

  // Of both.
  constexpr Fence highest() const { return alone < shared ? shared : alone; }
  // False, and nothing changes, if a later holder that this one excludes has been here.
  constexpr bool admit(Fence fence) {
    if (fence < highest()) return false;
    alone = fence;
    return true;
  }
  // The same for one that shares the lock: only a later one that held it alone shuts it out.
  constexpr bool admit_shared(Fence fence) {
    if (fence < alone) return false;
    if (shared < fence) shared = fence;
    return true;
  }
};

// What stands before storage: lets an access pass unless a later holder has been here already.
// Reads raise the mark as well; otherwise a late write could slip in between a new holder's read
// and write.
class FenceGate {
 public:
  // An access by one that holds the lock alone.
  bool admit(Fence fence) { return marks_.admit(fence); }
  // A read by one that shares it (SharedMutex::lock_shared): refused only after a later writer.
  bool admit_shared(Fence fence) { return marks_.admit_shared(fence); }
  // That it has let pass.
  Fence highest() const { return marks_.highest(); }

 private:
  FenceMarks marks_;
};

}  // namespace hapax
