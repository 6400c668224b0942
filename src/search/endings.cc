#include "search/endings.h"

#include <cstdint>
#include <vector>

namespace hapax {

// Takes away, again and again, a state to which nothing leads from what is left. What cannot be
// taken away goes round, or comes after something that does.
bool every_run_ends(SearchModel& model, const States& states) {
  std::vector<std::uint32_t> ways_to(states.size());
  Steps steps;
  const auto for_each_next = [&](std::uint32_t state, auto&& use) {
    steps.clear(states.width());
    model.expand(states[state], steps);
    for (std::size_t s = 0; s < steps.size(); ++s) use(states.find(steps.row(s)));
  };
  for (std::uint32_t state = 0; state < states.size(); ++state) {
    for_each_next(state, [&](std::uint32_t next) { ++ways_to[next]; });
  }
  if (states.size() > 0 && ways_to[0] > 0) return false;
  std::vector<std::uint32_t> taken{0};  // All others come after the first.
  taken.reserve(states.size());
  for (std::size_t at = 0; at < taken.size(); ++at) {
    for_each_next(taken[at], [&](std::uint32_t next) {
      if (--ways_to[next] == 0) taken.push_back(next);
    });
  }
  return taken.size() == states.size();
}

}  // namespace hapax
