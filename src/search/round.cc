#include "search/round.h"

#include <algorithm>
#include <optional>

namespace hapax {
namespace {

constexpr std::size_t kMost = 300'000;

}  // namespace

std::vector<SearchStep> FairRound::from(std::uint32_t start) {
  visits_ = {{start, 0, 0, {}}};
  seen_ = {{start, 0}};
  for (at_ = 0; at_ < visits_.size() && visits_.size() < kMost; ++at_) {
    const Visit visit = visits_[at_];
    expand(visit.state);
    all_ |= possible_;
    for (const Step& step : steps_) {
      // A class is dealt with once it is taken, or was not possible along the way.
      const std::uint64_t dealt = visit.dealt | step.fair | ~possible_;
      if (step.to == start && (~dealt & all_) == 0) return way(step.step);
      visit_next(step, dealt);
    }
  }
  return {};
}

void FairRound::expand(std::uint32_t state) {
  Steps found;
  found.clear(states_.width());
  model_.expand(states_[state], found);
  possible_ = 0;
  steps_.clear();
  for (std::size_t s = 0; s < found.size(); ++s) {
    const std::optional<std::uint32_t> fair = model_.fair_class(found[s]);
    const std::uint64_t bit = fair ? std::uint64_t{1} << *fair : 0;
    possible_ |= bit;
    if ((model_.waits(found.row(s)) >> process_ & 1) == 0) continue;
    steps_.push_back({found[s], states_.find(found.row(s)), bit});
  }
}

void FairRound::visit_next(const Step& step, std::uint64_t dealt) {
  if (!seen_.emplace(step.to, dealt).second) return;
  visits_.push_back({step.to, dealt, at_, step.step});
}

std::vector<SearchStep> FairRound::way(const SearchStep& last) const {
  std::vector<SearchStep> way{last};
  for (std::size_t at = at_; at != 0; at = visits_[at].from) way.push_back(visits_[at].step);
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace hapax
