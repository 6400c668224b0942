// What the tests of planted bugs ask of the checker: that it finds the bug, by which property and
// in how few steps; and that without the bug, under the very same options, it finds nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "catalog/operations.h"
#include "check/explore.h"
#include "check/options.h"
#include "check/run.h"
#include "core/mutex_choices.h"
#include "mutex/testing/mutant.h"
#include "search/report.h"

namespace hapax::testing {

struct Counterexample {
  std::string_view property;
  std::size_t steps;  // Of the shortest one.
};

inline std::string text_of(const CheckReport& report) {
  return fmt::format("{} {}: {}, in {} steps and {} states\n{}", name_of(report.verdict),
                     report.property, report.finding, report.commands.size(), report.states,
                     fmt::join(report.commands, "\n"));
}

inline void expect_violated(const CheckReport& report, const Counterexample& expected) {
  EXPECT_EQ(name_of(report.verdict), name_of(Verdict::violated));
  EXPECT_EQ(report.property, expected.property);
  EXPECT_EQ(report.commands.size(), expected.steps) << text_of(report);
  ::testing::Test::RecordProperty("property", report.property);
  ::testing::Test::RecordProperty("steps", std::to_string(report.commands.size()));
  ::testing::Test::RecordProperty("states", std::to_string(report.states));
}

inline void expect_holds(std::string_view algorithm, const CheckOptions& options,
                         const MutexChoices& choices = {}) {
  const CheckReport report = check(algorithm, options, choices).value();
  EXPECT_EQ(name_of(report.verdict), name_of(Verdict::holds)) << text_of(report);
}

// The reduced search comes to the same verdict as the full one, where it may be used.
inline void expect_same_when_reduced(const Operations& algorithm, CheckOptions options,
                                     const MutexChoices& choices, const CheckReport& full) {
  if (options.has_faults() || options.forever) return;
  options.reduce = true;
  const CheckReport reduced = check_mutex(algorithm, options, choices);
  EXPECT_EQ(name_of(reduced.verdict), name_of(full.verdict)) << text_of(reduced);
  EXPECT_LE(reduced.states, std::max<std::uint64_t>(full.states, 2'000)) << text_of(full);
}

template <MutexAlgorithm A, class Bug>
CheckReport check_mutant(const CheckOptions& options, const MutexChoices& choices = {}) {
  const Operations& mutant = OperationsOf<Mutant<A, Bug>>::kTable;
  const CheckReport report = check_mutex(mutant, options, choices);
  expect_same_when_reduced(mutant, options, choices, report);
  if (options.n == 2 && options.holdings.empty()) {
    CheckOptions three = options;
    three.n = 3;
    three.entries = 1;
    expect_same_when_reduced(mutant, three, choices, check_mutex(mutant, three, choices));
  }
  return report;
}

template <MutexAlgorithm A, class Bug>
void expect_caught(const Counterexample& expected, const CheckOptions& options,
                   const MutexChoices& choices = {}) {
  expect_holds(A::kInfo.name, options, choices);
  expect_violated(check_mutant<A, Bug>(options, choices), expected);
}

// The bug does not show under these options.
template <MutexAlgorithm A, class Bug>
void expect_not_caught(const CheckOptions& options, const MutexChoices& choices = {}) {
  const CheckReport report = check_mutant<A, Bug>(options, choices);
  EXPECT_EQ(name_of(report.verdict), name_of(Verdict::holds)) << text_of(report);
}

// What is caught is the bug, not the wrapper: without one there is the same to explore.
template <MutexAlgorithm A>
void expect_real_without_a_bug(const CheckOptions& options) {
  const CheckReport real = check(A::kInfo.name, options).value();
  const CheckReport wrapped = check_mutant<A, HandsAllOn<A>>(options);
  EXPECT_EQ(name_of(wrapped.verdict), name_of(real.verdict));
  EXPECT_EQ(wrapped.states, real.states);
  EXPECT_EQ(wrapped.transitions, real.transitions);
  EXPECT_GT(real.states, 10u);
}

// The bug is in the network: an algorithm that needs FIFO channels does not get them.
inline void expect_needs_fifo(std::string_view algorithm, const Counterexample& expected,
                              CheckOptions options, const MutexChoices& choices = {}) {
  options.channels = Channels::fifo;
  expect_holds(algorithm, options, choices);
  options.channels = Channels::unordered;
  expect_violated(check(algorithm, options, choices).value(), expected);
}

}  // namespace hapax::testing
