// Breadth-first search over all states of a model, so that what it finds is reached in as few steps
// as possible.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/desk.h"
#include "search/model.h"
#include "search/paged_rows.h"
#include "search/round_shares.h"
#include "search/slice.h"
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
  static constexpr std::uint32_t kSlice = 32;  // States whose steps stay in the cache.
  static constexpr std::size_t kBlock = 16;    // Shares that one thread takes at a time.

  using Slice = SearchSlice;
  using Share = SearchShare;
  using Desk = SearchDesk;
  using Mail = SearchMail;
  using Region = SearchRegion;

  bool go_on(std::uint32_t at, const SearchObserver& observer);
  void gather(Slice& slice);
  void look_for_finding(Slice& slice);
  bool is_finding(const Slice& slice, std::size_t nth) const;
  Finding finding_in(const Slice& slice, std::size_t nth);
  SearchStep step_between(std::uint32_t from, std::uint32_t to);

  // Each expands the states from `begin` up to `end`, or up to the one returned.
  std::uint32_t do_alone(std::uint32_t begin, std::uint32_t end);
  std::uint32_t do_together(std::uint32_t begin, std::uint32_t end);

  void insert(Desk& desk);
  void widen();
  void forget_recent();

  // --- search_together.cc ---
  void cut_into_shares(std::uint32_t begin, std::uint32_t end);
  void expand_share(unsigned thread, std::size_t nth);
  bool expand_rest();
  void mail(unsigned desk, Share& share);

  // --- search_regions.cc ---
  void for_each_block(const std::function<void(unsigned thread, std::size_t first)>& job);
  std::size_t end_of_block(std::size_t first) const { return std::min(count_, first + kBlock); }
  template <class Use>
  void for_each_mailed(unsigned region, std::size_t share, Use&& use) const;
  void look_up_together();
  void look_up_region(unsigned region);
  void announce_slots(unsigned region, std::size_t first) const;
  void announce_rows(unsigned region, std::size_t first);
  void look_up(Region& region, const Mail::Step& step, const std::uint64_t* row,
               States::Mark likely);
  void number_newcomers();
  void settle(std::vector<std::uint32_t>& next, std::size_t share);

  SearchModel& model_;
  std::uint64_t most_bytes_;
  Team team_;
  States states_;
  std::vector<Desk> desks_;      // One for each thread, and one for when one works alone.
  std::vector<Region> regions_;  // One for each thread.
  std::vector<Share> shares_;
  std::size_t count_ = 0;               // How many of them the round has.
  std::vector<States::Mark> likely_;    // By step that is to be looked up.
  PagedRows<std::uint32_t> came_from_;  // By state.
  std::optional<Finding> finding_;
  std::uint64_t transitions_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t level_end_ = 1;  // The first state of the next level.
  std::uint32_t next_report_ = 0;
  bool layered_ = true;
};

}  // namespace hapax
