#include "search/search.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <rapidcheck/gtest.h>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/conclusion.h"
#include "search/endings.h"
#include "search/fair_cycles.h"
#include "search/recent_rows.h"
#include "search/reduction.h"
#include "search/row_layout.h"
#include "search/states.h"
#include "search/team.h"

namespace hapax {
namespace {

TEST(RowLayout, KeepsEveryFieldApartFromTheOthers) {
  const RowLayout layout{{10, 10, 31, 20, 1, 32, 32, 5}};
  EXPECT_EQ(layout.words(), 3u);
  std::vector<std::uint64_t> row(layout.words(), 0);
  for (std::uint32_t f = 0; f < 8; ++f) layout.set(row.data(), f, f % 2);
  layout.set(row.data(), 2, 0x7fff'ffff);
  layout.set(row.data(), 5, 0xffff'ffff);
  EXPECT_EQ(layout.get(row.data(), 1), 1u);
  EXPECT_EQ(layout.get(row.data(), 2), 0x7fff'ffffu);
  EXPECT_EQ(layout.get(row.data(), 3), 1u);
  EXPECT_EQ(layout.get(row.data(), 4), 0u);
  EXPECT_EQ(layout.get(row.data(), 5), 0xffff'ffffu);
  EXPECT_EQ(layout.get(row.data(), 6), 0u);
  EXPECT_EQ(layout.get(row.data(), 7), 1u);
}

RC_GTEST_PROP(States, GiveEachRowOneNumber, (const std::vector<std::uint8_t>& values)) {
  States states{2};
  std::vector<std::uint8_t> seen;
  for (const std::uint8_t value : values) {
    const std::uint64_t row[2] = {value, ~std::uint64_t{value}};
    const auto [number, is_new] = states.insert(row, states.hash(row));
    const auto at = std::find(seen.begin(), seen.end(), value);
    RC_ASSERT(is_new == (at == seen.end()));
    RC_ASSERT(number == static_cast<std::uint32_t>(at - seen.begin()));
    if (is_new) seen.push_back(value);
  }
  RC_ASSERT(states.size() == seen.size());
}

TEST(States, KeepTheirNumbersWhenTheyGrowAndChangeShape) {
  States states{1};
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    EXPECT_EQ(states.insert(&i, states.hash(&i)).first, i);
  }
  states.reshape(2, [](const std::uint64_t* old, std::uint64_t* row) {
    row[0] = 7;
    row[1] = *old;
  });
  for (std::uint64_t i = 0; i < 100'000; i += 99) {
    const std::uint64_t row[2] = {7, i};
    EXPECT_EQ(states.find(row), i);
  }
}

TEST(States, ClaimARowOnceUntilItIsNumbered) {
  States states{1};
  const std::uint64_t there = 7, row = 8;
  states.insert(&there, states.hash(&there));
  const std::uint64_t hash = states.hash(&row);
  const States::Claim known = states.claim(&there, states.hash(&there), 0, &row);
  EXPECT_FALSE(known.is_new);
  EXPECT_EQ(States::number_in(known.mark), 0u);
  const States::Claim first = states.claim(&row, hash, 0, &row);
  EXPECT_TRUE(first.is_new);
  EXPECT_GT(States::number_in(first.mark), 0u);
  EXPECT_EQ(states.announce_row(hash, &row), first.mark);
  EXPECT_FALSE(states.claim(&row, hash, 1, &row).is_new);
  states.append(1);
  states.settle(first.slot, 1, &row);
  EXPECT_EQ(states.find(&row), 1u);
  EXPECT_EQ(States::number_in(states.announce_row(hash)), 1u);
}

TEST(States, AreFoundAgainWhenTheirRegionWasFilled) {
  States states{1};
  std::vector<std::uint64_t> rows(100'000);
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    rows[i] = i;
    states.insert(&i, states.hash(&i));
  }
  EXPECT_FALSE(states.take_room(rows.size() / 10));
  ASSERT_TRUE(states.take_room(20 * rows.size()));
  std::uint32_t missing = 0;
  states.fill(1, 3);
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    const bool is_filled = States::region_of(states.hash(&i), 3) == 1;
    const bool is_new = states.claim(&i, states.hash(&i), missing, rows.data()).is_new;
    ASSERT_EQ(is_new, !is_filled);
    // The claims' rows, in order; those that were skipped are in the table.
    if (is_new) rows[missing++] = i;
  }
  EXPECT_GT(missing, rows.size() / 2);  // Two regions of three.
  EXPECT_LT(missing, 3 * rows.size() / 4);
}

RC_GTEST_PROP(RecentRows, HaveSeenWhatTheySayTheyHave, (const std::vector<std::uint8_t>& values)) {
  for (const std::uint32_t width : {1u, 2u, 3u}) {
    RecentRows recent;
    recent.clear(width);
    std::set<std::uint8_t> seen;
    for (const std::uint8_t value : values) {
      const std::vector<std::uint64_t> row(width, value);
      const bool is_seen = recent.see(row.data(), hash_of_row(row.data(), width));
      RC_ASSERT(!is_seen || seen.contains(value));
      RC_ASSERT(recent.see(row.data(), hash_of_row(row.data(), width)));
      seen.insert(value);
    }
  }
}

TEST(RecentRows, HaveSeenNothingOnceTheyAreCleared) {
  RecentRows recent;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    if (i % 1000 == 0) recent.clear(1);
    ASSERT_FALSE(recent.see(&i, hash_of_row(&i, 1)));
  }
}

TEST(Team, EverybodyDoesEveryJobAndWhatOneThrowsIsThrown) {
  Team team{3};
  std::vector<int> done(3);
  for (int round = 0; round < 100; ++round) team.run([&](unsigned t) { ++done[t]; });
  EXPECT_EQ(done, (std::vector<int>{100, 100, 100}));
  EXPECT_THROW(team.run([](unsigned t) {
    if (t == 1) throw std::runtime_error{"one"};
  }),
               std::runtime_error);
  team.run([&](unsigned t) { ++done[t]; });
  EXPECT_EQ(done[1], 101);
}

// Numbers, from each of which one counts on by one or by two; one of them must not be reached.
class Counting final : public SearchModel {
 public:
  struct Rules {
    std::uint64_t last = 9;  // There it ends …
    bool round = false;      // … or goes on with 0.
    std::uint64_t bad = 100;
    bool waiting = false;  // Process 0 waits all the time.
  };
  explicit Counting(const Rules& rules) : rules_(rules) {}

  std::uint32_t width() const override { return 1; }
  void initial(std::uint64_t* row) override { *row = 0; }
  void expand(const std::uint64_t* row, Steps& steps) override {
    for (std::uint8_t by = 1; by <= 2; ++by) {
      std::uint64_t next = *row + by;
      if (rules_.round) next %= rules_.last + 1;
      if (next == rules_.bad) steps.fail({by}, "bounds", "too far");
      if (next <= rules_.last && next != rules_.bad) steps.add({by}, &next);
    }
  }
  std::uint64_t waits(const std::uint64_t*) const override { return rules_.waiting ? 1 : 0; }
  std::optional<std::uint32_t> fair_class(const SearchStep&) const override { return 0; }
  std::string dead_end(const std::uint64_t*) const override { return "stuck"; }
  std::vector<std::string> tell(const std::vector<SearchStep>& way) override {
    std::vector<std::string> words;
    for (const SearchStep& step : way) words.push_back(std::to_string(step.kind));
    return words;
  }

 private:
  Rules rules_;
};

// Three numbers, each of which is counted up, one at a time; and a step back, if there is one. A
// sum has to be met unfrozen first; and rows become too narrow on the way.
class Grid final : public SearchModel {
 public:
  explicit Grid(std::uint64_t bad_sum = 0, bool back = false) : bad_sum_(bad_sum), back_(back) {}

  std::uint32_t width() const override { return width_; }
  void initial(std::uint64_t* row) override { *row = 0; }
  void expand(const std::uint64_t* row, Steps& steps) override {
    const std::uint64_t sum = (*row & 63) + (*row >> 6 & 63) + (*row >> 12);
    if (frozen_ && !met_.contains(sum)) return steps.find_unknown();
    if (!frozen_) met_.insert(sum);
    if (sum == 90 && width_ == 1) return steps.find_too_narrow();
    for (std::uint8_t digit = 0; digit < 3; ++digit) {
      if ((*row >> 6 * digit & 63) == 60) continue;
      std::uint64_t* next = steps.draft(row);
      *next += std::uint64_t{1} << 6 * digit;
      const bool is_bad = sum + 1 == bad_sum_ && (*next & 63) == 21;
      is_bad ? steps.fail({digit}, "sum", "bad") : steps.add_to_draft({digit});
    }
    if (back_ && sum == 100 && (*row & 63) > 0) {
      --*steps.draft(row);
      steps.add_to_draft({3});
    }
  }
  std::uint64_t waits(const std::uint64_t*) const override { return 0; }
  std::optional<std::uint32_t> fair_class(const SearchStep&) const override { return 0; }
  std::string dead_end(const std::uint64_t*) const override { return "stuck"; }
  std::vector<std::string> tell(const std::vector<SearchStep>&) override { return {}; }
  void widen(States& states) override {
    width_ = 2;
    states.reshape(2, [](const std::uint64_t* old, std::uint64_t* row) {
      row[0] = *old;
      row[1] = 0;
    });
  }
  bool can_freeze() const override { return true; }
  void freeze(bool on) override { frozen_ = on; }

 private:
  std::uint64_t bad_sum_;
  bool back_;
  std::uint32_t width_ = 1;
  bool frozen_ = false;
  std::set<std::uint64_t> met_;
};

// All that a search says, in the order in which it says it.
std::vector<std::uint64_t> told_by(Grid&& model, unsigned threads) {
  Search search{model, 1 << 30, threads};
  EXPECT_TRUE(search.run({}));
  std::vector<std::uint64_t> told{search.states().size(), search.transitions(), search.depth(),
                                  search.is_layered()};
  for (std::uint32_t state = 0; state < search.states().size(); ++state) {
    told.push_back(search.states()[state][0]);
    if (state % 1009 != 0) continue;
    for (const SearchStep& step : search.way_to(state)) told.push_back(step.kind);
  }
  if (const auto& finding = search.finding()) {
    for (const SearchStep& step : finding->way) told.push_back(step.kind);
  }
  return told;
}

TEST(Search, SaysTheSameWithAnyNumberOfThreads) {
  EXPECT_EQ(told_by(Grid{}, 1)[0], 61u * 61 * 61);
  EXPECT_EQ(told_by(Grid{}, 1)[1], 3u * 60 * 61 * 61);
  for (const unsigned threads : {2u, 3u, 5u}) {
    EXPECT_EQ(told_by(Grid{}, threads), told_by(Grid{}, 1));
    EXPECT_EQ(told_by(Grid{95}, threads), told_by(Grid{95}, 1));
    EXPECT_EQ(told_by(Grid{0, true}, threads), told_by(Grid{0, true}, 1));
  }
  EXPECT_EQ(told_by(Grid{}, 2)[3], 1u);
  EXPECT_EQ(told_by(Grid{0, true}, 2)[3], 0u);
}

CheckReport conclude(const Counting::Rules& rules) {
  Counting model{rules};
  Search search{model, 1 << 30};
  const bool finished = search.run({});
  Conclusion conclusion{model, search, finished};
  if (conclusion.is_open()) {
    if (const auto starved = FairCycles{model, search.states()}.find(1)) {
      conclusion.goes_round("starvation", "round and round", *starved);
    }
  }
  return conclusion.report;
}

TEST(Search, SeesEveryStateOnceAndEveryStep) {
  const CheckReport report = conclude({});
  EXPECT_EQ(report.verdict, Verdict::holds);
  EXPECT_EQ(report.states, 10u);
  EXPECT_EQ(report.transitions, 17u);
  EXPECT_EQ(report.depth, 5u);
}

TEST(Endings, AreThereUnlessSomethingGoesRound) {
  for (const bool round : {false, true}) {
    Counting model{{.round = round}};
    Search search{model, 1 << 30};
    ASSERT_TRUE(search.run({}));
    EXPECT_FALSE(search.is_layered());
    EXPECT_EQ(every_run_ends(model, search.states()), !round);
  }
}

// One member. It hears 1 and 2, which add that to its state, and 3, which doubles it; up to 9.
class Adding final : public Automata {
 public:
  std::uint32_t after(std::uint32_t, std::uint32_t local, std::uint32_t input) override {
    return input == 3 ? 2 * local : local + input;
  }
  Order order(std::uint32_t, std::uint32_t local, std::uint32_t first,
              std::uint32_t other) override {
    if (local + other > 9) return Order::is_given;
    const bool commute =
        after(0, after(0, local, first), other) == after(0, after(0, local, other), first);
    return commute ? Order::is_free : Order::matters;
  }
};

TEST(Reduction, LetsGoFirstWhatCommutesWithAllThatWasSeen) {
  Adding automata;
  Reduction reduction{automata, 1};
  reduction.note(0, 0, 2);
  EXPECT_TRUE(reduction.may_go_first(0, 0, 1));
  EXPECT_TRUE(reduction.held());
}

TEST(Reduction, BreaksAClaimWhenSomethingElseIsSeenWhereItLeads) {
  Adding automata;
  Reduction reduction{automata, 1};
  reduction.note(0, 0, 2);
  EXPECT_TRUE(reduction.may_go_first(0, 0, 1));
  reduction.note(0, 3, 3);  // After 1 and 2: in the other order it could have come before 1.
  EXPECT_FALSE(reduction.held());
  EXPECT_FALSE(reduction.may_go_first(0, 0, 1));
  EXPECT_TRUE(reduction.held());  // It was not used since.
}

TEST(Reduction, DoesNotMindWhatIsSeenElsewhere) {
  Adding automata;
  Reduction reduction{automata, 1};
  EXPECT_TRUE(reduction.may_go_first(0, 4, 1));
  reduction.note(0, 2, 3);
  EXPECT_TRUE(reduction.held());
}

TEST(Search, FindsAShortestWayToWhatMustNotBe) {
  const CheckReport report = conclude({.bad = 7});
  EXPECT_EQ(report.property, "bounds");
  EXPECT_EQ(report.finding, "too far");
  EXPECT_EQ(report.commands.size(), 4u);
}

TEST(Search, FindsWhereSomebodyWaitsAndNothingGoesOn) {
  const CheckReport report = conclude({.waiting = true});
  EXPECT_EQ(report.property, "progress");
  EXPECT_EQ(report.finding, "stuck");
  EXPECT_EQ(report.commands.size(), 5u);
}

TEST(Search, ShowsAFairWayRoundOnlyToThoseWhoWait) {
  EXPECT_EQ(conclude({.round = true}).verdict, Verdict::holds);
  const CheckReport report = conclude({.round = true, .waiting = true});
  EXPECT_EQ(report.property, "starvation");
  EXPECT_EQ(report.round, 5u);
}

}  // namespace
}  // namespace hapax
