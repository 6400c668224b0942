// A fixed list holds, and each of its rules is there for a reason.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "listcheck/run_lists.h"

namespace hapax {
namespace {

std::string list_text_of(const CheckReport& report) {
  return fmt::format("{} {}: {}, {} states\n{}", name_of(report.verdict), report.property,
                     report.finding, report.states, fmt::join(report.commands, "\n"));
}

class InLists : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, InLists,
                         ::testing::Values("central", "token-ring", "lamport", "ricart-agrawala",
                                           "carvalho-roucairol", "maekawa", "suzuki-kasami",
                                           "raymond", "naimi-trehel", "bakery"),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(InLists, HoldsForTwoWithTwoRestarts) {
  const CheckReport report =
      check_lists_of(GetParam(), {.n = 2, .restarts = 2, .files_may_go = false}).value();
  EXPECT_EQ(name_of(report.verdict), name_of(Verdict::holds)) << list_text_of(report);
  EXPECT_GT(report.states, 1'000u);
}

TEST_P(InLists, HoldsForTwoWhenAFileAndALinkGo) {
  const CheckReport report =
      check_lists_of(GetParam(), {.n = 2, .restarts = 1, .flaps = 1, .files_may_go = true}).value();
  EXPECT_EQ(name_of(report.verdict), name_of(Verdict::holds)) << list_text_of(report);
}

struct WithoutRule {
  std::string_view rule;
  std::string_view algorithm;
  std::string_view property;
  std::uint32_t n = 2;
  std::uint32_t restarts = 1;
};
constexpr WithoutRule kWithout[] = {
    {"report", "naimi-trehel", "exclusion"},
    {"barrier", "naimi-trehel", "epochs"},
    {"all-agree", "naimi-trehel", "exclusion"},
    {"epoch-kept", "ricart-agrawala", "epochs", 2, 2},
    {"old-life-dropped", "naimi-trehel", "protocol"},
    {"settings-compared", "token-ring", "progress"},
    {"clients-notice", "ricart-agrawala", "exclusion"},
};

TEST(Lists, NeedEachOfTheirRules) {
  for (const WithoutRule& left_out : kWithout) {
    ListCheckOptions options{.n = left_out.n, .restarts = left_out.restarts};
    options.without = list_rule_named(left_out.rule);
    ASSERT_TRUE(options.without.has_value());
    const CheckReport report = check_lists_of(left_out.algorithm, options).value();
    EXPECT_EQ(name_of(report.verdict), name_of(Verdict::violated)) << left_out.rule;
    EXPECT_EQ(report.property, left_out.property) << left_out.rule << list_text_of(report);
  }
  EXPECT_EQ(std::size(kWithout), kListRules.size());
}

}  // namespace
}  // namespace hapax
