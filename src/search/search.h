// Breadth-first search over all states of a model, so that what it finds is reached in as few steps
// as possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/model.h"
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

class Search {
 public:
  struct Finding {
    std::string property;
    std::string text;
    std::vector<SearchStep> way;
  };

  Search(SearchModel& model, std::uint64_t most_bytes, unsigned threads = 1);

  // Explores everything. False if the memory or the observer ended it early.
  bool run(const SearchObserver& observer);

  const std::optional<Finding>& finding() const { return finding_; }
  // A bit for each process that was ever seen to enter.
  std::uint64_t entered() const;
  const States& states() const { return states_; }
  std::uint64_t transitions() const { return transitions_; }
  std::uint32_t depth() const { return depth_; }
  // Every step leads one level deeper: then no run goes on for ever.
  bool is_layered() const { return layered_; }
  std::uint64_t bytes() const;

  // The steps themselves are not kept: those on the path are found again.
  std::vector<SearchStep> way_to(std::uint32_t state);

 private:
  struct Lookup {
    std::uint64_t hash;
    std::size_t slot = 0;      // Reserved for it, if it is new.
    std::uint32_t number = 0;  // What the table said, and then the state's.
    bool is_new = false;
  };
  // What one thread has gathered in this round.
  struct Gathered {
    Steps steps;
    std::vector<Lookup> lookups;  // By step.
  };
  // Where the steps of a state of the round are.
  struct Share {
    std::uint32_t gatherer = 0;
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t failures = 0;  // How many its gatherer had before.
    bool fails = false;
    bool goes_on = false;   // One of its steps happens eventually.
    bool is_known = false;  // The model could tell without writing.
  };
  struct Ordered {
    std::uint32_t state, gatherer;
    std::size_t step;
  };

  bool go_on(std::uint32_t at, const SearchObserver& observer);
  std::uint32_t do_round(std::uint32_t begin, std::uint32_t end);
  bool gather(std::uint32_t gatherer, std::uint32_t at);
  void gather_if_known(std::uint32_t gatherer, std::uint32_t at);
  void gather_together();
  void look_for_failure(std::uint32_t at);
  SearchStep step_between(std::uint32_t from, std::uint32_t to);

  void insert_alone();
  void insert_together();
  void look_up_mine(unsigned t);
  void look_up(std::uint32_t k);
  bool is_mine(unsigned t, std::uint64_t hash) const {
    return states_.shard_of(hash) % team_.size() == t;
  }
  Lookup& lookup(const Ordered& o) { return gathered_[o.gatherer].lookups[o.step]; }
  const std::uint64_t* row_at(std::uint32_t k) const {
    return gathered_[order_[k].gatherer].steps.row(order_[k].step);
  }

  SearchModel& model_;
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
