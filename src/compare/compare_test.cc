#include "compare/compare.h"

#include <gtest/gtest.h>
#include <map>

#include "catalog/catalog.h"
#include "compare/elections.h"
#include "voting/voting_sets.h"
#include "voting/voting_theory.h"

namespace hapax {
namespace {

constexpr double kOfAMean = 0.02;

void expect_as_theory_says(double measured, const Expected& expected, std::string_view what) {
  const double tolerance = expected.exact ? 1e-9 : kOfAMean * expected.value;
  EXPECT_NEAR(measured, expected.value, tolerance) << what << " should be " << expected.formula;
}

class Compare : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Compare, MeasuresWhatTheFormulasSay) {
  const std::uint32_t n = GetParam();
  const CompareOptions options{.n = n};
  const Comparison comparison = compare(options, VotingSets::smallest(n));
  ASSERT_GE(comparison.rows.size(), 11u);
  const auto in_t = [&](const Spread& spread) {
    return spread.mean() / static_cast<double>(options.latency);
  };
  for (const ComparisonRow& row : comparison.rows) {
    SCOPED_TRACE(row.algorithm);
    expect_as_theory_says(row.messages(), row.theory.messages, "messages");
    ASSERT_GT(row.low.client_delay.count, 0u);
    expect_as_theory_says(in_t(row.low.client_delay), row.theory.client_delay, "client delay");
    ASSERT_GT(row.pairs.sync_delay.count, 0u);
    expect_as_theory_says(in_t(row.pairs.sync_delay), row.theory.sync_delay, "sync delay");
    EXPECT_EQ(row.violations(), 0u);
    EXPECT_EQ(row.deadlocked(), row.theory.may_deadlock);
    if (row.deadlocked()) continue;
    EXPECT_NEAR(row.high.throughput, row.throughput_expected,
                (row.theory.sync_delay_high.exact ? 1e-6 : kOfAMean) * row.throughput_expected);
    EXPECT_EQ(row.order.overtakes == 0, row.theory.in_request_order);
    EXPECT_GT(row.high.fairness, 0.99);
  }
}

TEST_P(Compare, ElectionsTakeExactlyWhatTheFormulasSay) {
  const auto rows = compare_elections(GetParam(), kMillisecond);
  ASSERT_EQ(rows.size(), 6u);
  for (const ElectionRow& row : rows) {
    EXPECT_EQ(row.report.sent, row.expected) << row.algorithm << ": " << row.situation;
    EXPECT_DOUBLE_EQ(row.turnaround, static_cast<double>(row.expected_turnaround))
        << row.algorithm << ": " << row.situation;
    EXPECT_TRUE(row.report.violations.empty()) << row.algorithm << ": " << row.situation;
  }
}

INSTANTIATE_TEST_SUITE_P(Processes, Compare, ::testing::Values(3, 7, 10, 13, 25, 57, 100));

// The figures that the lectures give for ten processes, written down, not computed.
TEST(CompareTen, HasTheLecturesFigures) {
  const Comparison comparison = compare({.n = 10}, VotingSets::cyclic(10));
  std::map<std::string_view, const ComparisonRow*> rows;
  for (const ComparisonRow& row : comparison.rows) rows[row.algorithm] = &row;
  EXPECT_EQ(rows["central"]->messages(), 3);
  EXPECT_EQ(rows["token-ring"]->messages(), 1);
  EXPECT_EQ(rows["lamport"]->messages(), 27);
  EXPECT_EQ(rows["ricart-agrawala"]->messages(), 18);
  EXPECT_EQ(rows["maekawa"]->messages(), 9);
  EXPECT_EQ(rows["maekawa-basic"]->messages(), 9);
  EXPECT_EQ(rows["suzuki-kasami"]->messages(), 10);
  EXPECT_EQ(rows["bakery"]->messages(), 54);
  EXPECT_NEAR(rows["naimi-trehel"]->messages(), 2.83, 0.06);
  EXPECT_NEAR(rows["carvalho-roucairol"]->messages(), 9, 0.18);
  EXPECT_NEAR(rows["ricart-agrawala"]->high.throughput, 1000 / (1 + 5.0), 1e-3);
  EXPECT_NEAR(rows["central"]->high.throughput, 1000 / (2 + 5.0), 1e-3);
  // With multicast: N to enter and 1 to leave; without contention nobody is answered on leaving.
  EXPECT_EQ(rows["ricart-agrawala"]->multicasts(), 10);
  const auto elections = compare_elections(10, kMillisecond);
  EXPECT_EQ(elections[0].report.sent, 8u) << "bully, best";
  EXPECT_EQ(elections[2].report.sent, 20u) << "ring election";
}

TEST(CompareOne, AloneNothingIsSentAndNobodyWaits) {
  const Comparison comparison = compare({.n = 1}, VotingSets::grid(1));
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.messages(), 0) << row.algorithm;
    EXPECT_EQ(row.low.client_delay.most, 0) << row.algorithm;
    EXPECT_EQ(row.violations(), 0u) << row.algorithm;
    EXPECT_NEAR(row.high.throughput, 200, 1e-6) << row.algorithm;
  }
}

TEST(CompareObserver, IsToldHowFarItIsAndMayStopBetweenRows) {
  double last = 0;
  const Comparison comparison =
      compare({.n = 3}, VotingSets::grid(3), [&](const CompareProgress& p) {
        const double now = static_cast<double>(p.row) + p.done;
        EXPECT_GE(now, last);
        EXPECT_LE(p.done, 1);
        EXPECT_GT(p.rows, 2u);
        last = now;
        return p.row < 2;
      });
  EXPECT_EQ(comparison.rows.size(), 2u);
  EXPECT_EQ(last, 2);
}

Theory of(std::string_view algorithm, std::uint32_t n) {
  return theory_of(find_algorithm(algorithm)->info, n, {});
}

TEST(Theory, ClosedFormsAtTen) {
  EXPECT_NEAR(of("naimi-trehel", 10).messages.value, 2.8290, 1e-4);
  EXPECT_NEAR(of("naimi-trehel", 100).messages.value, 5.1774, 1e-4);
  EXPECT_EQ(of("bakery", 10).client_delay.value, 6);
  EXPECT_TRUE(of("maekawa-basic", 10).may_deadlock);
  EXPECT_FALSE(of("maekawa", 10).may_deadlock);
}

TEST(Theory, EveryAlgorithmHasOne) {
  for (const Operations* algorithm : algorithms()) {
    SCOPED_TRACE(algorithm->info.name);
    ASSERT_NE(algorithm->info.theory, nullptr);
    EXPECT_GT(of(algorithm->info.name, 10).messages.value, 0);
    EXPECT_EQ(of(algorithm->info.name, 1).messages.value, 0);
    EXPECT_EQ(of(algorithm->info.name, 10).may_deadlock, algorithm->info.can_deadlock);
  }
}

TEST(Theory, HopsAreTwoOverAThirdAndOneOverOneOfTheTwo) {
  const VotingSets seven = *VotingSets::lecture(7);
  EXPECT_EQ(hops_between(seven, 7, NodeId{0}, NodeId{4}), 2u) << "{1,2,3} and {2,5,7}: 2";
  EXPECT_EQ(hops_between(seven, 7, NodeId{0}, NodeId{3}), 1u) << "{1,2,3} and {1,4,5}: 1 itself";
  EXPECT_TRUE(has_arbiter(seven, 7));
  EXPECT_FALSE(has_arbiter(*VotingSets::lecture(3), 3));
}

}  // namespace
}  // namespace hapax
