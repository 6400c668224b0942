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
//   fair_class(action)           steps that happen at last if they stay possible, by number
//   dead_end(row)                what to say of a state without such steps in which somebody waits
// If its rows can become too narrow, it throws RowsTooNarrow from expand and has
//   widen(states)                which reshapes all rows
// If several threads may expand at once, it throws Unknown when one of them would have to write and
// has
//   freeze(bool)                 which tells it when that is
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "search/states.h"
#include "search/team.h"

namespace hapax {

struct SearchProgress {
  std::uint64_t states;
  std::uint64_t frontier;
  std::uint64_t bytes;
  std::uint32_t depth;
};
using SearchObserver = std::function<bool(const SearchProgress&)>;

struct RowsTooNarrow {};
struct Unknown {};

template <class Model>
class Search {
 public:
  using Action = typename Model::Action;

  struct Finding {
    std::string property;
    std::string text;
    std::vector<Action> way;
  };

  Search(Model& model, std::uint64_t most_bytes, unsigned threads = 1)
      : model_(model),
        most_bytes_(most_bytes),
        team_(kParallel ? threads : 1),
        states_(model.width(), std::bit_ceil(team_.size())),
        gathered_(team_.size() + 1) {}

  // Explores everything. False if the memory or the observer ended it before.
  bool run(const SearchObserver& observer) {
    std::vector<std::uint64_t> row(model_.width());
    model_.initial(row.data());
    states_.insert(row.data(), states_.hash(row.data()));
    came_from_.push_back(0);
    std::uint32_t at = 0;
    while (!finding_) {
      if (at == level_end_) {
        if (at == states_.size()) break;
        ++depth_;
        level_end_ = states_.size();
      }
      if (!go_on(at, observer)) return false;
      const std::uint32_t most = team_.size() == 1 ? kRound : kRoundTogether * team_.size();
      at = do_round(at, std::min(level_end_, at + most));
    }
    return true;
  }

  const std::optional<Finding>& finding() const { return finding_; }
  // A bit for each process that was ever seen to enter.
  std::uint64_t entered() const {
    std::uint64_t entered = 0;
    for (const Gathered& g : gathered_) entered |= g.entered;
    return entered;
  }
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
    for (; state != 0; state = came_from_[state]) {
      way.push_back(action_between(came_from_[state], state));
    }
    std::reverse(way.begin(), way.end());
    return way;
  }

 private:
  static constexpr bool kParallel = requires(Model m) { m.freeze(true); };
  static constexpr std::uint32_t kRound = 512;  // States whose steps are gathered at a time …
  static constexpr std::uint32_t kRoundTogether = 8192;  // … for each thread: waking one is dear.
  static constexpr std::uint32_t kSlice = 32;            // Of them, for one thread at a time.
  static constexpr std::size_t kBatch = 64;              // Lookups whose cache misses overlap.

  struct Step {
    std::uint64_t hash;
    std::size_t slot;      // Reserved for it, if it is new.
    std::uint32_t number;  // What look-up said, and then the state's.
    bool is_new;
  };
  struct Failure {
    Action action;
    std::string_view property;
    std::string text;
  };
  // Where the steps of a state of the round are.
  struct Share {
    std::uint32_t gatherer = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    bool goes_on = false;   // One of them happens at last.
    bool is_known = false;  // The model could tell without writing.
  };
  // What one thread has gathered in this round.
  struct Gathered {
    const Model* model = nullptr;
    const States* states = nullptr;
    std::vector<std::uint64_t> rows;  // Of the steps, with room for more.
    std::vector<Step> steps;
    std::vector<std::pair<std::uint32_t, Failure>> failures;  // By state.
    std::uint32_t current = 0;
    std::uint64_t entered = 0;
    bool goes_on = false;

    void step(const Action& action, const std::uint64_t* next) {
      goes_on = goes_on || model->fair_class(action).has_value();
      const std::uint32_t width = states->width();
      if (rows.size() < (steps.size() + 1) * width) rows.resize(2 * (steps.size() + 1) * width);
      std::uint64_t* row = rows.data() + steps.size() * width;
      for (std::uint32_t w = 0; w < width; ++w) row[w] = next[w];
      steps.push_back({states->hash(next), 0, 0, false});
    }
    void fail(const Action& action, std::string_view property, std::string text) {
      failures.push_back({current, {action, property, std::move(text)}});
    }
    void enter(std::uint32_t process) { entered |= std::uint64_t{1} << process; }
    const std::uint64_t* row(std::uint32_t step) const {
      return rows.data() + std::size_t{step} * states->width();
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

  // A step from one state to another. REQUIRES: there is one.
  Action action_between(std::uint32_t from, std::uint32_t to) {
    Look look{states_, states_[to]};
    model_.expand(states_[from], look);
    HAPAX_CHECK(look.found.has_value());
    return *look.found;
  }

  bool go_on(std::uint32_t at, const SearchObserver& observer) {
    if (bytes() > most_bytes_) return false;
    if (!observer || at < next_report_) return true;
    next_report_ = at + kReportEvery;
    return observer({states_.size(), states_.size() - at, bytes(), depth_});
  }

  // Expands the states from `begin` up to `end`, or up to the one returned.
  std::uint32_t do_round(std::uint32_t begin, std::uint32_t end) {
    begin_ = begin;
    shares_.assign(end - begin, {});
    for (Gathered& g : gathered_) {
      g.model = &model_;
      g.states = &states_;
      g.steps.clear();
      g.failures.clear();
    }
    if (team_.size() > 1) gather_together();
    bool too_narrow = false;
    std::uint32_t at = begin;
    for (; at < end && !finding_ && !too_narrow; ++at) {
      if (!shares_[at - begin].is_known) too_narrow = !gather(gathered_.back(), team_.size(), at);
      if (too_narrow) break;
      look_for_failure(at);
    }
    shares_.resize(at - begin);
    team_.size() > 1 ? insert_together() : insert_alone();
    if constexpr (requires { model_.widen(states_); }) {
      if (too_narrow) model_.widen(states_);
    }
    return at;
  }

  // The steps of one state. False if the rows are too narrow for them.
  bool gather(Gathered& gathered, std::uint32_t gatherer, std::uint32_t at) {
    Share& share = shares_[at - begin_];
    share = {gatherer, static_cast<std::uint32_t>(gathered.steps.size()), 0, false, true};
    gathered.current = at;
    gathered.goes_on = false;
    try {
      model_.expand(states_[at], gathered);
    } catch (const RowsTooNarrow&) {
      gathered.steps.resize(share.first);
      return false;
    }
    share.count = static_cast<std::uint32_t>(gathered.steps.size()) - share.first;
    share.goes_on = gathered.goes_on;
    return true;
  }

  // All threads expand, as far as nothing has to be written for it.
  void gather_together() {
    if constexpr (kParallel) {
      std::atomic<std::uint32_t> next{begin_};
      const std::uint32_t end = begin_ + static_cast<std::uint32_t>(shares_.size());
      model_.freeze(true);
      team_.run([&](unsigned t) {
        for (std::uint32_t from = next.fetch_add(kSlice); from < end;
             from = next.fetch_add(kSlice)) {
          for (std::uint32_t at = from; at < std::min(end, from + kSlice); ++at) {
            gather_if_known(gathered_[t], t, at);
          }
        }
      });
      model_.freeze(false);
    }
  }
  void gather_if_known(Gathered& gathered, unsigned t, std::uint32_t at) {
    const std::size_t steps = gathered.steps.size();
    const std::size_t failures = gathered.failures.size();
    try {
      if (gather(gathered, t, at)) return;
    } catch (const Unknown&) {
      gathered.steps.resize(steps);
      gathered.failures.resize(failures);
    }
    shares_[at - begin_].is_known = false;
  }

  void look_for_failure(std::uint32_t at) {
    const Share& share = shares_[at - begin_];
    for (const auto& [state, failure] : gathered_[share.gatherer].failures) {
      if (state != at) continue;
      std::vector<Action> way = way_to(at);
      way.push_back(failure.action);
      finding_ = Finding{std::string{failure.property}, failure.text, std::move(way)};
      return;
    }
    // Nobody has to ask, and no fault has to strike.
    if (!share.goes_on && model_.waits(states_[at]) != 0) {
      finding_ = Finding{"progress", model_.dead_end(states_[at]), way_to(at)};
    }
  }

  void insert_alone() {
    Gathered& all = gathered_.back();
    states_.make_room(all.steps.size());
    std::uint32_t at = begin_;
    std::uint32_t left = shares_.empty() ? 0 : shares_.front().count;
    for (std::size_t first = 0; first < all.steps.size(); first += kBatch) {
      const std::size_t end = std::min(first + kBatch, all.steps.size());
      for (std::size_t s = first; s < end; ++s) states_.announce_slot(all.steps[s].hash);
      for (std::size_t s = first; s < end; ++s) states_.announce_row(all.steps[s].hash);
      for (std::size_t s = first; s < end; ++s, --left) {
        while (left == 0) left = shares_[++at - begin_].count;
        const auto [number, is_new] =
            states_.insert(all.row(static_cast<std::uint32_t>(s)), all.steps[s].hash);
        if (is_new) came_from_.push_back(at);
        layered_ &= number >= level_end_;
      }
    }
    transitions_ += all.steps.size();
  }

  // Calls f(state, gatherer, step) for every step of the round, in the order of one thread alone.
  template <class F>
  void for_each_step(F&& f) {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const Share& share = shares_[i];
      for (std::uint32_t s = share.first; s < share.first + share.count; ++s) {
        f(begin_ + static_cast<std::uint32_t>(i), share.gatherer, s);
      }
    }
  }

  void insert_together() {
    order_.clear();
    for_each_step([&](std::uint32_t state, std::uint32_t gatherer, std::uint32_t step) {
      order_.push_back({state, gatherer, step});
    });
    states_.make_room(order_.size());
    team_.run([&](unsigned t) { look_up_mine(t); });
    const std::uint32_t before = states_.size();
    std::uint32_t fresh = 0;
    for (const Ordered& o : order_) {
      Step& step = gathered_[o.gatherer].steps[o.step];
      if (step.is_new) {
        step.number = before + fresh++;
        came_from_.push_back(o.state);
      } else if (!States::is_reserved(step.number)) {
        layered_ &= step.number >= level_end_;
      }
    }
    states_.append(fresh);
    team_.run([&](unsigned t) {
      for (const Ordered& o : order_) {
        const Step& step = gathered_[o.gatherer].steps[o.step];
        if (!step.is_new || !is_mine(t, step.hash)) continue;
        states_.settle(step.slot, step.hash, step.number, gathered_[o.gatherer].row(o.step));
      }
    });
    transitions_ += order_.size();
  }

  bool is_mine(unsigned t, std::uint64_t hash) const {
    return states_.shard_of(hash) % team_.size() == t;
  }
  void look_up_mine(unsigned t) {
    std::array<std::uint32_t, kBatch> batch;
    std::size_t count = 0;
    const auto do_batch = [&] {
      for (std::size_t b = 0; b < count; ++b) states_.announce_row(step_at(batch[b]).hash);
      for (std::size_t b = 0; b < count; ++b) look_up(batch[b]);
      count = 0;
    };
    for (std::uint32_t k = 0; k < order_.size(); ++k) {
      const std::uint64_t hash = step_at(k).hash;
      if (!is_mine(t, hash)) continue;
      states_.announce_slot(hash);
      batch[count++] = k;
      if (count == kBatch) do_batch();
    }
    do_batch();
  }
  Step& step_at(std::uint32_t k) { return gathered_[order_[k].gatherer].steps[order_[k].step]; }
  const std::uint64_t* row_at(std::uint32_t k) const {
    return gathered_[order_[k].gatherer].row(order_[k].step);
  }
  void look_up(std::uint32_t k) {
    Step& step = step_at(k);
    const States::Place place =
        states_.look_up(row_at(k), step.hash, [&](std::uint32_t other) { return row_at(other); });
    step.slot = place.slot;
    step.number = place.number;
    step.is_new = !place.is_known;
    if (step.is_new) states_.reserve(place.slot, step.hash, k);
  }

  static constexpr std::uint32_t kReportEvery = 1 << 14;

  struct Ordered {
    std::uint32_t state, gatherer, step;
  };

  Model& model_;
  std::uint64_t most_bytes_;
  Team team_;
  States states_;
  std::vector<Gathered> gathered_;        // By thread; the last one's steps were gathered alone.
  std::vector<Share> shares_;             // By state of the round.
  std::vector<Ordered> order_;            // The steps of the round.
  std::vector<std::uint32_t> came_from_;  // By state.
  std::optional<Finding> finding_;
  std::uint64_t transitions_ = 0;
  std::uint32_t begin_ = 0;  // The first state of the round.
  std::uint32_t depth_ = 0;
  std::uint32_t level_end_ = 1;  // The first state of the next level.
  std::uint32_t next_report_ = 0;
  bool layered_ = true;
};

}  // namespace hapax
