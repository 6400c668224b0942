// The search against the plainest one there can be: worlds as values, their encodings in a set. It
// shares no code with the search except the algorithms, so equal counts are more than one opinion.
#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <ostream>
#include <set>
#include <string_view>
#include <vector>

#include "check/explore.h"
#include "check/run.h"
#include "check/testing/plain_world.h"
#include "catalog/catalog.h"
#include "wire/codec.h"

namespace hapax {
namespace {

using testing::PlainWorld;
using testing::WorldStep;

struct Counts {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  bool two_inside = false;

  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << c.states << " states, " << c.transitions << " transitions, "
               << (c.two_inside ? "two inside" : "at most one inside");
  }
};

bool two_inside(const PlainWorld& world) {
  std::uint32_t inside = 0;
  for (std::uint32_t i = 0; i < world.size(); ++i) {
    const bool lives = !world.has_crashed(NodeId{i});
    if (lives && world.member(NodeId{i}).phase() == Phase::inside) ++inside;
  }
  return inside > 1;
}

// Over unordered links the order of sending says nothing, so it is no part of the state.
Bytes key_of(const PlainWorld& world, Channels channels) {
  Bytes key = encode(world.budget());
  for (std::uint32_t i = 0; i < world.size(); ++i) {
    const NodeId from{i};
    world.member(from).encode_to(key);
    encode_to(key, world.entries_left(from));
    encode_to(key, world.has_crashed(from));
    for (std::uint32_t to = 0; to < world.size(); ++to) {
      std::vector<Bytes> messages = world.under_way(from, NodeId{to});
      if (channels == Channels::unordered) std::sort(messages.begin(), messages.end());
      encode_to(key, messages);
    }
  }
  return key;
}

// Two equal messages on an unordered link: taking one or the other is the same step.
bool repeats_an_earlier_one(const PlainWorld& world, const WorldStep& step) {
  if (step.kind == WorldStep::Kind::request || step.kind == WorldStep::Kind::release ||
      step.kind == WorldStep::Kind::crash) {
    return false;
  }
  const auto& messages = world.under_way(step.node, step.to);
  const auto it = messages.begin() + step.nth;
  return std::find(messages.begin(), it, *it) != it;
}

Counts explore_plainly(const Operations& algorithm, const CheckOptions& o,
                       const MutexChoices& choices) {
  Counts counts;
  std::set<Bytes> seen;
  std::deque<PlainWorld> frontier;
  const auto reach = [&](const PlainWorld& world) {
    if (two_inside(world)) {
      counts.two_inside = true;
    } else if (seen.insert(key_of(world, o.channels)).second) {
      frontier.push_back(world);
    }
  };
  reach(PlainWorld{algorithm,
                   View{Epoch{1}, o.n, NodeId{}, o.holder, o.held},
                   choices,
                   o.channels,
                   {o.entries, o.duplicates, o.losses, o.crashes}});
  for (; !frontier.empty(); frontier.pop_front()) {
    for (const WorldStep& step : frontier.front().enabled()) {
      if (repeats_an_earlier_one(frontier.front(), step)) continue;
      PlainWorld next = frontier.front();
      next.apply(step);
      reach(next);
      ++counts.transitions;
    }
  }
  counts.states = seen.size();
  return counts;
}

class AgainstWorlds : public ::testing::TestWithParam<std::string_view> {};

void expect_equal_counts(std::string_view algorithm, const CheckOptions& options,
                         const MutexChoices& choices = {}) {
  const CheckReport report = check(algorithm, options, choices).value();
  ASSERT_EQ(report.verdict, Verdict::holds) << report.finding;
  EXPECT_EQ((Counts{report.states, report.transitions, false}),
            explore_plainly(*find_algorithm(algorithm), options, choices));
}

TEST_P(AgainstWorlds, SameCountsWithThreeThatAskOnce) {
  if (GetParam() == "lamport" || GetParam() == "bakery") return;  // Minutes, when done plainly.
  expect_equal_counts(GetParam(), {.fences = false});
}
TEST_P(AgainstWorlds, SameCountsWithTwoThatAskTwice) {
  expect_equal_counts(GetParam(), {.n = 2, .entries = 2, .holder = NodeId{1}, .fences = false});
}
TEST_P(AgainstWorlds, SameCountsWithALossAndACrash) {
  if (GetParam() == "lamport") return;  // A lost request lets two in.
  expect_equal_counts(GetParam(), {.n = 2, .fences = false, .losses = 1, .crashes = 1});
}

INSTANTIATE_TEST_SUITE_P(Mutex, AgainstWorlds,
                         ::testing::Values("central", "token-ring", "lamport", "ricart-agrawala",
                                           "carvalho-roucairol", "maekawa", "suzuki-kasami",
                                           "raymond", "naimi-trehel", "bakery"));

TEST(AgainstWorlds, SameCountsOverUnorderedLinksWithDuplicates) {
  expect_equal_counts("ricart-agrawala", {.channels = Channels::unordered, .fences = false});
  expect_equal_counts(
      "ricart-agrawala",
      {.n = 2, .entries = 2, .channels = Channels::unordered, .fences = false, .duplicates = 2});
  expect_equal_counts("naimi-trehel", {.channels = Channels::unordered, .fences = false});
}

TEST(AgainstWorlds, BothFindTwoInside) {
  const CheckOptions options{.n = 2, .channels = Channels::unordered};
  EXPECT_EQ(check("lamport", options).value().property, "exclusion");
  EXPECT_TRUE(explore_plainly(*find_algorithm("lamport"), options, {}).two_inside);
}

}  // namespace
}  // namespace hapax
