// The view change holds, and each of its rules is there for a reason: without it the search finds a
// counterexample. Larger explorations: docs/views.md says which, and how long they take.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>

#include "viewcheck/run_views.h"

namespace hapax {
namespace {

std::string text_of(const CheckReport& report) {
  return fmt::format("{} {}: {}, {} states\n{}", name_of(report.verdict), report.property,
                     report.finding, report.states, fmt::join(report.commands, "\n"));
}

ViewCheckOptions with_faults(std::string_view kinds, std::uint32_t most = 1) {
  const auto has = [&](std::string_view kind) {
    return kinds.find(kind) != std::string_view::npos;
  };
  ViewCheckOptions options;
  options.faults = most;
  options.crash = has("crash");
  options.pause = has("pause");
  options.restart = has("restart");
  options.leave = has("leave");
  options.evict = has("evict");
  options.cut = has("cut");
  options.deletion = has("delete");
  options.wiped = has("wiped");
  options.restored = has("restored");
  options.lost_answer = has("answer");
  options.settings = has("settings");
  options.death = has("client");
  return options;
}

// --- what holds ---

class InViews : public ::testing::TestWithParam<const char*> {};

void expect_holds(std::string_view algorithm, const ViewCheckOptions& options,
                  std::uint64_t at_least) {
  const CheckReport report = check_views_of(algorithm, options).value();
  EXPECT_EQ(name_of(report.verdict), name_of(Verdict::holds)) << text_of(report);
  EXPECT_GT(report.states, at_least);
}

TEST_P(InViews, HoldsForTwoWithEveryFault) {
  ViewCheckOptions options = with_faults("crash pause restart leave evict delete cut answer");
  options.n = 2;
  expect_holds(GetParam(), options, 3'000);
}

TEST_P(InViews, HoldsWhenTheSecondJoins) {
  ViewCheckOptions options = with_faults("crash pause answer");
  options.n = 2;
  options.joiners = 1;
  expect_holds(GetParam(), options, 500);
}

TEST_P(InViews, HoldsForTwoThoughTheEngineForgets) {
  ViewCheckOptions options = with_faults("wiped restored crash pause leave");
  options.n = 2;
  options.joiners = 1;
  expect_holds(GetParam(), options, 500);
}

INSTANTIATE_TEST_SUITE_P(All, InViews,
                         ::testing::Values("central", "token-ring", "lamport", "ricart-agrawala",
                                           "carvalho-roucairol", "maekawa", "suzuki-kasami",
                                           "raymond", "naimi-trehel", "bakery", "readers-writers",
                                           "semaphore-ra"),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Views, HoldForTwoThoughTheEngineForgetsAllSinceTheLastHadLeft) {
  ViewCheckOptions options = with_faults("restored");
  options.n = 2;
  options.joiners = 2;
  expect_holds("naimi-trehel", options, 500);
}
TEST(Views, HoldForThreeWhenOneLeaves) {
  expect_holds("naimi-trehel", with_faults("leave"), 1'000);
}
TEST(Views, HoldForThreeThatShare) {
  ViewCheckOptions options = with_faults("", 0);
  options.joiners = 1;
  expect_holds("readers-writers", options, 1'000);
  options.units = 2;
  expect_holds("semaphore-ra", options, 1'000);
}
TEST(Views, HoldForTwoWithTwoFaults) {
  ViewCheckOptions options = with_faults("crash pause restart leave evict delete cut answer", 2);
  options.n = 2;
  expect_holds("carvalho-roucairol", options, 20'000);
}
// Somebody sets another algorithm at any moment, and another fault strikes at any other.
TEST(Views, HoldForTwoWhoseAlgorithmIsExchanged) {
  for (const char* algorithm :
       {"central", "token-ring", "lamport", "ricart-agrawala", "carvalho-roucairol", "maekawa",
        "suzuki-kasami", "raymond", "naimi-trehel", "bakery"}) {
    SCOPED_TRACE(algorithm);
    ViewCheckOptions options = with_faults("settings");
    options.n = 2;
    expect_holds(algorithm, options, 100);
  }
}
TEST(Views, HoldForTwoWhoseAlgorithmIsExchangedAndOneOfWhichFails) {
  ViewCheckOptions options = with_faults("settings crash pause", 2);
  options.n = 2;
  expect_holds("central", options, 2'000);
}
TEST(Views, HoldForTwoWhoseAlgorithmIsExchangedAsTheSecondJoins) {
  ViewCheckOptions options = with_faults("settings answer");
  options.n = 2;
  options.joiners = 1;
  expect_holds("carvalho-roucairol", options, 200);
}
TEST(Views, HoldBehindAGate) {
  ViewCheckOptions options = with_faults("pause");
  options.n = 2;
  options.gate = true;
  expect_holds("naimi-trehel", options, 1'000);
}

// A lock that has stayed with a client is entered again: before, after and while anything happens.
TEST(Views, HoldForTwoWithClientsThatKeep) {
  ViewCheckOptions options =
      with_faults("crash pause restart leave evict delete cut answer client");
  options.n = 2;
  options.again = 2;
  expect_holds("carvalho-roucairol", options, 10'000);
}
TEST(Views, HoldForTwoWithClientsThatKeepThoughTheEngineForgets) {
  ViewCheckOptions options = with_faults("wiped restored crash pause leave client");
  options.n = 2;
  options.joiners = 1;
  options.again = 1;
  expect_holds("carvalho-roucairol", options, 1'000);
}
TEST(Views, HoldForTwoWithClientsThatKeepAndTwoFaults) {
  ViewCheckOptions options = with_faults("crash pause restart leave client settings", 2);
  options.n = 2;
  options.again = 1;
  expect_holds("carvalho-roucairol", options, 20'000);
}

// --- what every rule is for ---

struct LeftOut {
  std::string_view rule;
  std::string_view algorithm;
  std::string_view property;
  std::string_view faults;
  std::uint32_t most = 1;
  std::uint32_t joiners = 0;
  bool gate = false;
  std::uint32_t again = 0;
};

constexpr LeftOut kLeftOut[] = {
    {"lease-before-removal", "naimi-trehel", "exclusion", "", 0},
    {"lease-before-removal", "readers-writers", "exclusion", "", 0},
    {"barrier", "naimi-trehel", "exclusion", "crash pause"},
    {"barrier", "carvalho-roucairol", "exclusion", "crash pause"},
    {"old-epoch-dropped", "naimi-trehel", "protocol", "evict pause"},
    {"old-epoch-dropped", "raymond", "protocol", "evict pause"},
    {"report-for-its-view", "naimi-trehel", "exclusion", "leave", 1, 1},
    {"messages-stop", "ricart-agrawala", "exclusion", "pause"},
    {"entries-stop", "carvalho-roucairol", "exclusion", "pause"},
    {"one-proposer-wins", "naimi-trehel", "protocol", "leave pause", 1, 1},
    {"new-life", "naimi-trehel", "progress", "crash restart", 2},
    {"rejoin-empty", "naimi-trehel", "exclusion", "crash restart", 2},
    {"evict-waits", "naimi-trehel", "exclusion", "evict"},
    {"instance-kept", "naimi-trehel", "exclusion", "", 0},
    {"sent-once", "naimi-trehel", "protocol", ""},
    {"sent-at-least-once", "naimi-trehel", "progress", ""},
    {"release-remembered", "naimi-trehel", "progress", "crash pause"},
    {"asked-again", "naimi-trehel", "progress", "crash pause"},
    {"home-is-idle", "naimi-trehel", "progress", "crash pause"},
    {"lease-at-entry", "naimi-trehel", "lease", "pause"},
    {"epoch-in-fence", "naimi-trehel", "fences", "crash pause"},
    {"gate-minds-reads", "naimi-trehel", "updates", "pause", 1, 0, true},
    {"loop-beats", "naimi-trehel", "progress", "crash"},
    {"later-kept", "naimi-trehel", "progress", "crash pause"},
    {"promise-kept", "naimi-trehel", "exclusion", "leave"},
    {"promise-kept", "ricart-agrawala", "exclusion", "cut"},
    {"missing-waits", "naimi-trehel", "exclusion", "delete"},
    {"first-view-waits", "naimi-trehel", "exclusion", "wiped"},
    {"first-view-waits", "ricart-agrawala", "exclusion", "restored", 1, 3},
    {"back-ends", "naimi-trehel", "progress", "restored", 1, 1},
    {"later-epoch", "naimi-trehel", "fences", "wiped"},
    {"lapse-ends", "carvalho-roucairol", "exclusion", "pause restored", 2},
    {"lapse-ends", "naimi-trehel", "exclusion", "pause restored", 2, 1},
    {"settings-by-view", "carvalho-roucairol", "protocol", "settings"},
    {"kept-promise", "carvalho-roucairol", "lease", "pause", 1, 0, false, 1},
    {"kept-taken-back", "carvalho-roucairol", "exclusion", "", 0, 0, false, 1},
    {"kept-in-its-view", "carvalho-roucairol", "exclusion", "crash pause", 1, 0, false, 1},
    {"kept-turns-told", "carvalho-roucairol", "fences", "", 0, 0, false, 1},
    {"kept-turns-at-loss", "carvalho-roucairol", "fences", "pause", 1, 0, false, 1},
};

class LeavingOut : public ::testing::TestWithParam<LeftOut> {};

TEST_P(LeavingOut, ShowsWhatItIsFor) {
  const LeftOut& p = GetParam();
  ViewCheckOptions options = with_faults(p.faults, p.most);
  options.joiners = p.joiners;
  options.gate = p.gate;
  options.again = p.again;
  options.without = view_rule_named(p.rule);
  ASSERT_TRUE(options.without.has_value());
  const CheckReport report = check_views_of(p.algorithm, options).value();
  EXPECT_EQ(name_of(report.verdict), name_of(Verdict::violated));
  EXPECT_EQ(report.property, p.property) << text_of(report);
  EXPECT_FALSE(report.commands.empty());
}

INSTANTIATE_TEST_SUITE_P(EachRule, LeavingOut, ::testing::ValuesIn(kLeftOut), [](const auto& p) {
  std::string name = fmt::format("{}_{}", p.param.rule, p.param.algorithm);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

// fresh-list needs seven million states until its counterexample: not here, see docs/views.md.
TEST(Views, EveryOtherRuleIsLeftOutOnce) {
  std::set<std::string_view> tried{"fresh-list"};
  for (const LeftOut& p : kLeftOut) tried.insert(p.rule);
  for (const ViewRuleInfo& info : kViewRules) EXPECT_TRUE(tried.contains(info.name)) << info.name;
}

TEST(Views, RefuseWhatIsOutOfRange) {
  EXPECT_FALSE(check_views_of("no-such", {}).has_value());
  EXPECT_FALSE(check_views_of("central", {.n = 1}).has_value());
  EXPECT_FALSE(check_views_of("central", {.n = 9}).has_value());
  EXPECT_FALSE(check_views_of("central", {.n = 2, .joiners = 3}).has_value());
  EXPECT_FALSE(check_views_of("central", {.entries = 0}).has_value());
  EXPECT_FALSE(check_views_of("central", {.again = 1}).has_value());
}

}  // namespace
}  // namespace hapax
