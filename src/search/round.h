// A fair way round, step by step: what starvation looks like. From a state in which a process waits
// back to that state, all the while waiting, so that every delivery, exit or step that stays
// possible all along is also taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/states.h"

namespace hapax {

template <class Model>
class FairRound {
 public:
  using Action = typename Model::Action;

  FairRound(Model& model, const States& states, std::uint32_t process)
      : model_(model), states_(states), process_(process) {}

  // A shortest one; empty if there is none within some hundred thousand steps.
  std::vector<Action> from(std::uint32_t start) {
    visits_ = {{start, 0, 0, {}}};
    seen_ = {{start, 0}};
    for (at_ = 0; at_ < visits_.size() && visits_.size() < kMost; ++at_) {
      const Visit visit = visits_[at_];
      possible_ = 0;
      steps_.clear();
      model_.expand(states_[visit.state], *this);
      all_ |= possible_;
      for (const Step& step : steps_) {
        // A class is dealt with once it is taken, or was not possible on the way.
        const std::uint64_t dealt = visit.dealt | step.fair | ~possible_;
        if (step.to == start && (~dealt & all_) == 0) return way(step.action);
        visit_next(step, dealt);
      }
    }
    return {};
  }

  // Called by the model.
  void step(const Action& action, const std::uint64_t* next) {
    const std::optional<std::uint32_t> fair = model_.fair_class(action);
    const std::uint64_t bit = fair ? std::uint64_t{1} << *fair : 0;
    possible_ |= bit;
    const std::uint32_t to = states_.find(next);
    if ((model_.waits(next) >> process_ & 1) != 0) steps_.push_back({action, to, bit});
  }
  void fail(const Action&, std::string_view, const std::string&) {}
  void enter(std::uint32_t) {}

 private:
  static constexpr std::size_t kMost = 300'000;

  struct Step {
    Action action;
    std::uint32_t to;
    std::uint64_t fair;
  };
  struct Visit {
    std::uint32_t state;
    std::uint64_t dealt;  // The classes that the way so far is fair to.
    std::size_t from;
    Action action;
  };

  void visit_next(const Step& step, std::uint64_t dealt) {
    if (!seen_.emplace(step.to, dealt).second) return;
    visits_.push_back({step.to, dealt, at_, step.action});
  }

  std::vector<Action> way(const Action& last) const {
    std::vector<Action> way{last};
    for (std::size_t at = at_; at != 0; at = visits_[at].from) way.push_back(visits_[at].action);
    std::reverse(way.begin(), way.end());
    return way;
  }

  Model& model_;
  const States& states_;
  std::uint32_t process_;
  std::size_t at_ = 0;
  std::uint64_t all_ = 0;
  std::uint64_t possible_ = 0;
  std::vector<Step> steps_;
  std::vector<Visit> visits_;
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen_;
};

}  // namespace hapax
