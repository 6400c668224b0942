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
  static constexpr std::uint32_t kSlice = 64;  // States whose steps stay in the cache.

  // Of one state of a slice.
  struct Expanded {
    std::size_t end;                     // Where its steps end, among those of the slice.
    std::optional<std::size_t> failure;  // Its first, among the slice's.
    bool goes_on;                        // One of its steps happens eventually.
  };
  struct Fresh {
    std::uint32_t step;
    std::size_t slot;
  };
  // States that follow one another, and their steps.
  struct Slice {
    std::uint32_t begin = 0, end = 0;
    Steps steps;
    std::vector<Expanded> expanded;
    std::vector<std::uint64_t> hashes;  // By step.
    bool is_too_narrow = false;         // The rows are, for the state after the last expanded.
    // Of several threads:
    bool is_known = false;       // The model could tell without writing.
    bool is_claimed = false;     // All of its steps are claimed, where they lead to a new state.
    bool is_layered = true;      // As far as the states were there.
    std::vector<Fresh> fresh{};  // Claimed, and in the end, new.
    std::uint32_t first = 0;     // The number of the first new one.

    // Without those after a finding.
    std::size_t size() const { return expanded.empty() ? 0 : expanded.back().end; }
  };

  bool go_on(std::uint32_t at, const SearchObserver& observer);
  void gather(Slice& slice);
  void look_for_finding(Slice& slice);
  std::optional<Finding> finding_in(const Slice& slice, std::size_t nth);
  SearchStep step_between(std::uint32_t from, std::uint32_t to);

  // Each expands the states from `begin` up to `end`, or up to the one returned.
  std::uint32_t do_alone(std::uint32_t begin, std::uint32_t end);
  std::uint32_t do_together(std::uint32_t begin, std::uint32_t end);

  void insert(const Slice& slice);

  // --- search_together.cc ---
  void cut_into_slices(std::uint32_t begin, std::uint32_t end);
  void gather_if_known(Slice& slice);
  void gather_and_claim_together();
  void claim(std::size_t nth);
  void settle_together(std::size_t slices);
  void find_fresh(std::size_t nth);
  void settle(const Slice& slice);
  void for_each_together(std::size_t slices, const std::function<void(std::size_t)>& job);

  SearchModel& model_;
  std::uint64_t most_bytes_;
  Team team_;
  States states_;
  std::vector<Slice> slices_;             // Alone, one is enough.
  std::size_t count_ = 0;                 // How many of them the round has.
  std::vector<std::uint32_t> came_from_;  // By state.
  std::optional<Finding> finding_;
  std::uint64_t transitions_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t level_end_ = 1;  // The first state of the next level.
  std::uint32_t next_report_ = 0;
  bool layered_ = true;
};

}  // namespace hapax
