// A fair cycle, step by step: what starvation looks like. From a state in which a process waits
// back to that state, all the while waiting, so that every delivery, exit or step that stays
// possible all along is also taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "search/model.h"
#include "search/states.h"

namespace hapax {

class FairRound {
 public:
  FairRound(SearchModel& model, const States& states, std::uint32_t process)
      : model_(model), states_(states), process_(process) {}

  // A shortest one; empty if there is none within some hundred thousand steps.
  std::vector<SearchStep> from(std::uint32_t start);

 private:
  struct Step {
    SearchStep step;
    std::uint32_t to;
    std::uint64_t fair;
  };
  struct Visit {
    std::uint32_t state;
    std::uint64_t dealt;  // The classes that the way so far is fair to.
    std::size_t from;
    SearchStep step;
  };

  void expand(std::uint32_t state);
  void visit_next(const Step& step, std::uint64_t dealt);
  std::vector<SearchStep> way(const SearchStep& last) const;

  SearchModel& model_;
  const States& states_;
  std::uint32_t process_;
  std::size_t at_ = 0;
  std::uint64_t all_ = 0;
  std::uint64_t possible_ = 0;  // At the state that was expanded last …
  std::vector<Step> steps_;     // … and its steps after which the process still waits.
  std::vector<Visit> visits_;
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen_;
};

}  // namespace hapax
