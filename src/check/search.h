// Breadth-first search over all states of a model, so that what it finds is reached in as few steps
// as possible.
//
// A Model has
//   Word, Action                        numbers that make a row; what labels a step
//   width(), initial(row)
//   expand(row, sink)                   sink.step(action, next) for each step, sink.fail(action,
//   property, text) waits(row)                          a bit per process: who waits entered() a
//   bit per process: who was ever seen to enter is_fair(action), fair_class(action) steps that
//   happen at last if they stay possible, and which go together
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/states.h"

namespace hapax {

struct SearchProgress {
  std::uint64_t states;
  std::uint64_t frontier;
  std::uint64_t bytes;
  std::uint32_t depth;
};
using SearchObserver = std::function<bool(const SearchProgress&)>;

template <class Model>
class Search {
 public:
  using Word = typename Model::Word;
  using Action = typename Model::Action;

  struct Finding {
    std::string property;
    std::string text;
    std::vector<Action> way;
  };

  Search(Model& model, std::uint64_t most_bytes)
      : model_(model), most_bytes_(most_bytes), states_(model.width()), row_(model.width()) {}

  // Explores everything. False if the memory or the observer ended it before.
  bool run(const SearchObserver& observer) {
    model_.initial(row_.data());
    states_.insert(row_.data(), states_.hash(row_.data()));
    came_from_.push_back({0, Action{}});
    for (std::uint32_t at = 0; at < states_.size() && !finding_; ++at) {
      if (at == level_end_) {
        ++depth_;
        level_end_ = states_.size();
      }
      if (at % kObserveEvery == 0 && !go_on(at, observer)) return false;
      expand(at);
    }
    return true;
  }

  const std::optional<Finding>& finding() const { return finding_; }
  const States<Word>& states() const { return states_; }
  std::uint64_t transitions() const { return transitions_; }
  std::uint32_t depth() const { return depth_; }
  // Every step leads one level deeper: then no run goes on for ever.
  bool is_layered() const { return layered_; }
  std::uint64_t bytes() const { return states_.bytes() + came_from_.capacity() * sizeof(Origin); }

  std::vector<Action> way_to(std::uint32_t state) const {
    std::vector<Action> way;
    for (; state != 0; state = came_from_[state].parent) way.push_back(came_from_[state].action);
    std::reverse(way.begin(), way.end());
    return way;
  }

 private:
  static constexpr std::uint32_t kObserveEvery = 1 << 14;

  struct Origin {
    std::uint32_t parent;
    Action action;
  };
  struct Step {
    Action action;
    std::uint64_t hash;
  };

  // Gathers the steps of one state, so that the table's memory is on its way before it is needed.
  struct Sink {
    Search& search;

    void step(const Action& action, const Word* next) {
      search.rows_.insert(search.rows_.end(), next, next + search.states_.width());
      const std::uint64_t hash = search.states_.hash(next);
      search.states_.prefetch(hash);
      search.steps_.push_back({action, hash});
    }
    void fail(const Action& action, std::string_view property, std::string text) {
      if (search.finding_) return;
      search.finding_ =
          Finding{std::string{property}, std::move(text), search.way_to(search.current_)};
      search.finding_->way.push_back(action);
    }
  };

  bool go_on(std::uint32_t at, const SearchObserver& observer) {
    if (bytes() > most_bytes_) return false;
    return !observer || observer({states_.size(), states_.size() - at, bytes(), depth_});
  }

  void expand(std::uint32_t at) {
    current_ = at;
    rows_.clear();
    steps_.clear();
    Sink sink{*this};
    model_.expand(states_[at], sink);
    if (steps_.empty() && !finding_ && model_.waits(states_[at]) != 0) {
      finding_ = Finding{"progress", model_.dead_end(states_[at]), way_to(at)};
      return;
    }
    const Word* row = rows_.data();
    for (const Step& step : steps_) {
      const auto [number, is_new] = states_.insert(row, step.hash);
      row += states_.width();
      ++transitions_;
      if (is_new) {
        came_from_.push_back({at, step.action});
      } else if (number < level_end_) {
        layered_ = false;
      }
    }
  }

  Model& model_;
  std::uint64_t most_bytes_;
  States<Word> states_;
  std::vector<Word> row_;
  std::vector<Word> rows_;
  std::vector<Step> steps_;
  std::vector<Origin> came_from_;
  std::optional<Finding> finding_;
  std::uint64_t transitions_ = 0;
  std::uint32_t current_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t level_end_ = 1;  // The first state of the next level.
  bool layered_ = true;
};

}  // namespace hapax
