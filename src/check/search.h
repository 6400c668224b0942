// Breadth-first search over all states of a model, so that what it finds is reached in as few steps
// as possible.
//
// A Model has
//   Action                       what labels a step
//   width(), initial(row)        64-bit words of a row; the state to begin with
//   expand(row, sink)            sink.step(action, next) for each step possible, and
//                                sink.fail(action, property, text) for each that breaks a property;
//                                sink.enter(process) when one enters
//   waits(row)                   a bit for each process that waits
//   dead_end(row)                what to say of a state without steps in which somebody waits
//   fair_class(action)           steps that happen at last if they stay possible, by number
// and, if its rows can become too narrow, throws RowsTooNarrow from expand and has
//   widen(states)                which reshapes all rows
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "check/states.h"

namespace hapax {

struct SearchProgress {
  std::uint64_t states;
  std::uint64_t frontier;
  std::uint64_t bytes;
  std::uint32_t depth;
};
using SearchObserver = std::function<bool(const SearchProgress&)>;

struct RowsTooNarrow {};

template <class Model>
class Search {
 public:
  using Action = typename Model::Action;

  struct Finding {
    std::string property;
    std::string text;
    std::vector<Action> way;
  };

  Search(Model& model, std::uint64_t most_bytes)
      : model_(model), most_bytes_(most_bytes), states_(model.width()) {}

  // Explores everything. False if the memory or the observer ended it before.
  bool run(const SearchObserver& observer) {
    std::vector<std::uint64_t> row(model_.width());
    model_.initial(row.data());
    states_.insert(row.data(), states_.hash(row.data()));
    came_from_.push_back(0);
    for (std::uint32_t at = 0; !finding_; ++at) {
      if (at == level_end_) {
        insert_steps();
        if (at == states_.size()) break;
        ++depth_;
        level_end_ = states_.size();
      }
      if (at % kObserveEvery == 0 && !go_on(at, observer)) return false;
      expand(at);
      if (steps_.size() >= kBatch || finding_) insert_steps();
    }
    return true;
  }

  const std::optional<Finding>& finding() const { return finding_; }
  // A bit for each process that was ever seen to enter.
  std::uint64_t entered() const { return entered_; }
  const States& states() const { return states_; }
  std::uint64_t transitions() const { return transitions_; }
  std::uint32_t depth() const { return depth_; }
  // Every step leads one level deeper: then no run goes on for ever.
  bool is_layered() const { return layered_; }
  std::uint64_t bytes() const {
    return states_.bytes() + came_from_.capacity() * sizeof(std::uint32_t);
  }

  // The steps themselves are not kept: those on the way are found again.
  std::vector<Action> way_to(std::uint32_t state) {
    std::vector<Action> way;
    for (; state != 0; state = came_from_[state]) way.push_back(action_to(state));
    std::reverse(way.begin(), way.end());
    return way;
  }

 private:
  static constexpr std::uint32_t kObserveEvery = 1 << 14;
  static constexpr std::size_t kBatch = 128;

  struct Step {
    std::uint64_t hash;
    std::uint32_t from;
  };

  // Gathers steps, so that the table's memory is on its way before it is needed.
  struct Gather {
    Search& search;

    void step(const Action&, const std::uint64_t* next) {
      const std::uint64_t hash = search.states_.hash(next);
      search.states_.announce_slot(hash);
      const std::uint32_t width = search.states_.width();
      if (search.rows_.size() < (search.steps_.size() + 1) * width) {
        search.rows_.resize(2 * (search.steps_.size() + 1) * width);
      }
      std::uint64_t* row = search.rows_.data() + search.steps_.size() * width;
      for (std::uint32_t w = 0; w < width; ++w) row[w] = next[w];
      search.steps_.push_back({hash, search.current_});
    }
    void enter(std::uint32_t process) { search.entered_ |= std::uint64_t{1} << process; }
    void fail(const Action& action, std::string_view property, std::string text) {
      if (search.finding_) return;
      search.finding_ = Finding{std::string{property}, std::move(text), {action}};
    }
  };

  // Looks for the step that leads to `target`.
  struct Look {
    const States& states;
    const std::uint64_t* target;
    std::optional<Action> found{};

    void step(const Action& action, const std::uint64_t* next) {
      if (!found && std::equal(next, next + states.width(), target)) found = action;
    }
    void fail(const Action&, std::string_view, const std::string&) {}
    void enter(std::uint32_t) {}
  };

  Action action_to(std::uint32_t state) {
    Look look{states_, states_[state]};
    model_.expand(states_[came_from_[state]], look);
    HAPAX_CHECK(look.found.has_value());
    return *look.found;
  }

  bool go_on(std::uint32_t at, const SearchObserver& observer) {
    if (bytes() > most_bytes_) return false;
    return !observer || observer({states_.size(), states_.size() - at, bytes(), depth_});
  }

  void expand(std::uint32_t at) {
    current_ = at;
    const std::size_t before = steps_.size();
    Gather gather{*this};
    if constexpr (requires { model_.widen(states_); }) {
      try {
        model_.expand(states_[at], gather);
      } catch (const RowsTooNarrow&) {
        steps_.resize(before);
        insert_steps();
        model_.widen(states_);
        return expand(at);
      }
    } else {
      model_.expand(states_[at], gather);
    }
    if (finding_) {
      std::vector<Action> way = way_to(at);
      way.push_back(finding_->way.front());
      finding_->way = std::move(way);
    } else if (steps_.size() == before && model_.waits(states_[at]) != 0) {
      finding_ = Finding{"progress", model_.dead_end(states_[at]), way_to(at)};
    }
  }

  void insert_steps() {
    for (const Step& step : steps_) states_.announce_row(step.hash);
    const std::uint64_t* row = rows_.data();
    for (const Step& step : steps_) {
      const auto [number, is_new] = states_.insert(row, step.hash);
      row += states_.width();
      if (is_new) {
        came_from_.push_back(step.from);
      } else if (number < level_end_) {
        layered_ = false;
      }
    }
    transitions_ += steps_.size();
    steps_.clear();
  }

  Model& model_;
  std::uint64_t most_bytes_;
  States states_;
  std::vector<std::uint64_t> rows_;  // Of steps_, with room for more.
  std::vector<Step> steps_;
  std::vector<std::uint32_t> came_from_;  // By state.
  std::optional<Finding> finding_;
  std::uint64_t transitions_ = 0;
  std::uint64_t entered_ = 0;
  std::uint32_t current_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t level_end_ = 1;  // The first state of the next level.
  bool layered_ = true;
};

}  // namespace hapax
