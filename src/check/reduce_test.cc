// The reduced search against the full one: the same verdicts, and the same states in which every
// run ends. That it finds planted bugs, too, is asked with each of them (testing/caught.h).
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "catalog/catalog.h"
#include "check/mutex_model.h"
#include "check/run.h"
#include "search/searches.h"

namespace hapax {
namespace {

struct Ends {
  std::uint64_t states = 0;
  std::uint64_t ends = 0;  // Where nothing is possible any more.
};

Ends ends_of(std::string_view algorithm, CheckOptions options, bool reduce) {
  options.reduce = reduce;
  MutexModel model{*find_algorithm(algorithm), options};
  Searches searches{model, options.most_bytes};
  EXPECT_TRUE(searches.run({}));
  EXPECT_FALSE(searches.last().finding().has_value());
  const States& states = searches.last().states();
  Ends found{states.size()};
  Steps steps;
  for (std::uint32_t at = 0; at < states.size(); ++at) {
    steps.clear(states.width());
    model.expand_in_full(states[at], steps);
    if (steps.size() == 0) ++found.ends;
  }
  return found;
}

// How many times fewer states are expected at least.
void expect_same_ends(std::string_view algorithm, const CheckOptions& options, double fewer) {
  const Ends full = ends_of(algorithm, options, false);
  const Ends reduced = ends_of(algorithm, options, true);
  EXPECT_GT(full.ends, 0u);
  EXPECT_EQ(reduced.ends, full.ends);
  EXPECT_GE(static_cast<double>(full.states), fewer * static_cast<double>(reduced.states))
      << reduced.states << " of " << full.states;
}

struct Reducible {
  std::string_view algorithm;
  double fewer;
};
class Reduced : public ::testing::TestWithParam<Reducible> {};

TEST_P(Reduced, EndsAsTheFullSearchDoes) {
  expect_same_ends(GetParam().algorithm, {}, GetParam().fewer);
}
TEST_P(Reduced, EndsAsTheFullSearchDoesWhenTwoAskTwice) {
  for (const bool held : {false, true}) {
    expect_same_ends(GetParam().algorithm,
                     {.n = 2, .entries = 2, .holder = NodeId{1}, .held = held}, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Mutex, Reduced,
                         ::testing::Values(Reducible{"central", 1}, Reducible{"ricart-agrawala", 3},
                                           Reducible{"carvalho-roucairol", 1.5},
                                           Reducible{"maekawa", 1.5},
                                           Reducible{"suzuki-kasami", 1.5}, Reducible{"raymond", 1},
                                           Reducible{"naimi-trehel", 1}, Reducible{"bakery", 2},
                                           Reducible{"readers-writers", 3},
                                           Reducible{"semaphore-ra", 2}),
                         [](const auto& p) {
                           std::string name{p.param.algorithm};
                           std::erase(name, '-');
                           return name;
                         });

TEST(Reduced, EndsAsTheFullSearchDoesOverUnorderedLinks) {
  expect_same_ends("ricart-agrawala", {.channels = Channels::unordered}, 1.2);
  expect_same_ends("naimi-trehel", {.channels = Channels::unordered}, 1);
}

// Its token goes round for ever: a step that is put off might be put off for ever.
TEST(Reduced, DoesNotReduceWhatNeverEnds) {
  const CheckReport report = check("token-ring", {.reduce = true}).value();
  EXPECT_EQ(report.verdict, Verdict::holds);
  EXPECT_FALSE(report.reduced);
  EXPECT_EQ(report.states, check("token-ring", {}).value().states);
}

TEST(Reduced, ProvesRicartAgrawalaWithFour) {
  const CheckReport report = check("ricart-agrawala", {.n = 4, .reduce = true}).value();
  EXPECT_EQ(report.verdict, Verdict::holds);
  EXPECT_TRUE(report.reduced);
  EXPECT_LT(report.states, 50'000u);  // Of 1,605,757.
}

TEST(Reduced, RefusesWhereADeliveryMayBeTakenAwayOrPutOff) {
  EXPECT_FALSE(check("central", {.losses = 1, .reduce = true}).has_value());
  EXPECT_FALSE(check("central", {.crashes = 1, .reduce = true}).has_value());
  EXPECT_FALSE(check("central", {.duplicates = 1, .reduce = true}).has_value());
  EXPECT_FALSE(check("central", {.forever = true, .reduce = true}).has_value());
  EXPECT_FALSE(check("bully", {.reduce = true}).has_value());
  EXPECT_FALSE(check("dijkstra", {.reduce = true}).has_value());
}

}  // namespace
}  // namespace hapax
