// Who certainly held which lock when, and whether that was one at a time, with growing fences.
#pragma once

#include <vector>

#include "audit/judge.h"

namespace hapax::audit {

// It was granted between `call` and `ret`; held and valid at least from `ret` until before `end`.
struct Hold {
  ClientId client{};
  LockId lock{};
  Fence fence;
  Nanos call = 0, ret = 0, end = 0;

  // False for a grant that came too late to be of use.
  bool is_certain() const { return ret < end; }
};

// A hold ends when its client calls release, is told of the loss, or when the last validity that it
// knew of has passed; if it died, with the last event known of it. `events`: from
// History::in_order(). The holds are sorted by lock, then by `ret`.
std::vector<Hold> holds_of(const std::vector<Event>& events);

void judge_holds(const History& history, const std::vector<Hold>& holds, Report& report);

}  // namespace hapax::audit
