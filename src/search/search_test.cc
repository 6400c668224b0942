#include "search/search.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <rapidcheck/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/conclusion.h"
#include "search/endings.h"
#include "search/fair_cycles.h"
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

// Whoever comes first: as one thread alone would have found it.
TEST(States, OfSeveralClaimsTheLowestStays) {
  States states{1};
  const std::uint64_t there = 7;
  states.insert(&there, states.hash(&there));
  const std::uint64_t row = 8;
  const auto rows = [&](std::uint32_t) { return &row; };
  const std::uint64_t hash = states.hash(&row);
  EXPECT_EQ(states.claim(&there, states.hash(&there), 0, rows).number, 0u);
  const States::Looked first = states.claim(&row, hash, 5, rows);
  EXPECT_EQ(first.number, States::kMine);
  EXPECT_EQ(states.claim(&row, hash, 9, rows).number, States::kOfAnother);
  EXPECT_EQ(states.claim(&row, hash, 3, rows).number, States::kMine);
  EXPECT_FALSE(states.is_claimed(first.slot, 5));
  ASSERT_TRUE(states.is_claimed(first.slot, 3));
  EXPECT_EQ(states.announce_row(hash), States::kNone);
  states.append(1);
  states.settle(first.slot, 1, &row);
  EXPECT_EQ(states.find(&row), 1u);
  EXPECT_EQ(states.announce_row(hash), 1u);
}

TEST(States, ForgetClaimsWhenTheyGrow) {
  States states{1};
  const std::uint64_t there = 7, row = 8;
  states.insert(&there, states.hash(&there));
  const std::uint64_t hash = states.hash(&row);
  const auto rows = [&](std::uint32_t) { return &row; };
  EXPECT_EQ(states.claim(&row, hash, 0, rows).number, States::kMine);
  EXPECT_FALSE(states.make_room(states.room()));
  EXPECT_TRUE(states.make_room(states.room() + 1));
  EXPECT_EQ(states.claim(&row, hash, 1, rows).number, States::kMine);
  EXPECT_EQ(states.find(&there), 0u);
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
