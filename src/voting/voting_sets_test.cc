#include "voting/voting_sets.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <set>

#include "base/prng.h"
#include "voting/difference_cover.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Sets = std::vector<std::set<std::uint32_t>>;
using Cover = std::vector<std::uint32_t>;

// As on the blackboard: processes are counted from 1.
Sets blackboard(const VotingSets& sets) {
  Sets result(sets.processes());
  for (std::uint32_t i = 0; i < sets.processes(); ++i) {
    for (std::uint32_t s = 0; s < sets.size(NodeId{i}); ++s) {
      result[i].insert(number(sets.voter(NodeId{i}, VoterSeat{s})) + 1);
    }
  }
  return result;
}

bool meet(const std::set<std::uint32_t>& a, const std::set<std::uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint32_t x) { return b.contains(x); });
}

// M1 to M4 by their definition, against what was proved.
void expect_as_proved(const VotingSets& sets) {
  SCOPED_TRACE(sets.describe());
  const std::uint32_t n = sets.processes();
  const Sets all = blackboard(sets);
  std::vector<std::uint32_t> load(n + 1, 0);
  bool own_member = true;
  std::set<std::size_t> sizes;
  for (std::uint32_t i = 0; i < n; ++i) {
    ASSERT_EQ(all[i].size(), sets.size(NodeId{i})) << "a voter sits twice";
    ASSERT_TRUE(*all[i].begin() >= 1 && *all[i].rbegin() <= n);
    for (std::uint32_t j = 0; j < i; ++j) {
      ASSERT_TRUE(meet(all[i], all[j])) << "M1: " << i + 1 << " and " << j + 1;
    }
    own_member = own_member && all[i].contains(i + 1);
    sizes.insert(all[i].size());
    for (const std::uint32_t voter : all[i]) ++load[voter];
  }
  const bool equal_load =
      std::all_of(load.begin() + 1, load.end(), [&](std::uint32_t l) { return l == load[1]; });
  EXPECT_EQ(sets.proof().own_member, own_member) << "M2";
  EXPECT_EQ(sets.proof().equal_size, sizes.size() == 1) << "M3";
  EXPECT_EQ(sets.proof().equal_load, equal_load) << "M4";
  EXPECT_EQ(sets.proof().smallest, *sizes.begin());
  EXPECT_EQ(sets.proof().largest, *sizes.rbegin());
}

void expect_seats_and_voters_inverse(const VotingSets& sets) {
  for (std::uint32_t i = 0; i < sets.processes(); ++i) {
    std::set<std::uint32_t> seated;
    for (std::uint32_t s = 0; s < sets.size(NodeId{i}); ++s) {
      const NodeId voter = sets.voter(NodeId{i}, VoterSeat{s});
      ASSERT_EQ(sets.seat(NodeId{i}, voter), VoterSeat{s}) << sets.describe() << " of " << i;
      seated.insert(number(voter));
    }
    for (std::uint32_t j = 0; j < sets.processes(); ++j) {
      ASSERT_EQ(sets.contains(NodeId{i}, NodeId{j}), seated.contains(j))
          << sets.describe() << ": " << j << " in the set of " << i;
    }
  }
}

TEST(VotingSets, GridsOfEverySizeAreAsProved) {
  for (std::uint32_t n = 1; n <= 150; ++n) expect_as_proved(VotingSets::grid(n));
}

TEST(VotingSets, CyclicSetsOfEverySizeHaveAllFourProperties) {
  for (std::uint32_t n = 1; n <= 150; ++n) {
    const VotingSets sets = VotingSets::cyclic(n);
    expect_as_proved(sets);
    EXPECT_TRUE(sets.proof().own_member && sets.proof().equal_size && sets.proof().equal_load) << n;
  }
}

TEST(VotingSets, PlanesHaveAllFourPropertiesAndMeetInExactlyOne) {
  for (const std::uint32_t q : {2u, 3u, 4u, 5u, 7u, 8u, 9u}) {
    const std::uint32_t n = q * q + q + 1;
    const auto sets = VotingSets::plane(n);
    ASSERT_TRUE(sets.has_value()) << q;
    expect_as_proved(*sets);
    EXPECT_TRUE(sets->proof().own_member && sets->proof().equal_size && sets->proof().equal_load);
    EXPECT_EQ(sets->proof().largest, q + 1);
    const Sets lines = blackboard(*sets);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        std::vector<std::uint32_t> common;
        std::set_intersection(lines[i].begin(), lines[i].end(), lines[j].begin(), lines[j].end(),
                              std::back_inserter(common));
        ASSERT_EQ(common.size(), 1u) << i << " and " << j;
      }
    }
  }
}

TEST(VotingSets, ThereIsNoPlaneOfAnyOtherSize) {
  for (const std::uint32_t n : {1u, 2u, 4u, 10u, 43u, 111u, 1'000'000u}) {
    const auto sets = VotingSets::plane(n);
    ASSERT_FALSE(sets.has_value()) << n;
    EXPECT_THAT(sets.error().message, HasSubstr("--voting-sets cyclic"));
  }
}

TEST(VotingSets, SeatsAndVotersAreInverse) {
  for (std::uint32_t n = 1; n <= 60; ++n) {
    expect_seats_and_voters_inverse(VotingSets::grid(n));
    expect_seats_and_voters_inverse(VotingSets::cyclic(n));
  }
  expect_seats_and_voters_inverse(*VotingSets::plane(57));
  expect_seats_and_voters_inverse(*VotingSets::lecture(7));
}

TEST(VotingSets, AFullGridHasTwoRootNMinusOneVoters) {
  for (const std::uint32_t root : {1u, 2u, 3u, 5u, 10u}) {
    const VotingSets sets = VotingSets::grid(root * root);
    EXPECT_EQ(sets.proof().largest, 2 * root - 1);
    EXPECT_TRUE(sets.proof().equal_size);
  }
}

TEST(VotingSets, TheLecturesSetsOfThree) {
  EXPECT_EQ(blackboard(*VotingSets::lecture(3)), (Sets{{1, 2}, {2, 3}, {1, 3}}));
}

TEST(VotingSets, TheLecturesGridOfFourIsTheGrid) {
  const Sets four{{1, 2, 3}, {1, 2, 4}, {1, 3, 4}, {2, 3, 4}};
  EXPECT_EQ(blackboard(*VotingSets::lecture(4)), four);
  EXPECT_EQ(blackboard(VotingSets::grid(4)), four);
}

TEST(VotingSets, TheLecturesSetsOfSeven) {
  EXPECT_EQ(blackboard(*VotingSets::lecture(7)),
            (Sets{{1, 2, 3}, {2, 4, 6}, {3, 5, 6}, {1, 4, 5}, {2, 5, 7}, {1, 6, 7}, {3, 4, 7}}));
}

TEST(VotingSets, TheLecturesSetsAreAsProved) {
  for (const std::uint32_t n : {3u, 4u, 7u}) expect_as_proved(*VotingSets::lecture(n));
  EXPECT_THAT(VotingSets::lecture(5).error().message, HasSubstr("use grid or cyclic"));
}

TEST(VotingSets, SmallestIsTheSmallerOfGridAndCyclic) {
  for (std::uint32_t n = 1; n <= 60; ++n) {
    const VotingSets sets = VotingSets::smallest(n);
    EXPECT_EQ(sets.proof().largest,
              std::min(VotingSets::grid(n).proof().largest, VotingSets::cyclic(n).proof().largest));
  }
  EXPECT_EQ(VotingSets::smallest(10).proof().largest, 4u) << "the lecture's K at N = 10";
}

TEST(VotingSets, AMillionProcessesNeedSmallSetsAndNoTables) {
  constexpr std::uint32_t kMillion = 1'000'000;
  const VotingSets grid = VotingSets::grid(kMillion);
  EXPECT_EQ(grid.proof().largest, 1999u);
  const VotingSets cyclic = VotingSets::cyclic(kMillion);
  EXPECT_LE(cyclic.proof().largest, 1230u);
  Prng prng{7};
  const auto some = [&] { return NodeId{static_cast<std::uint32_t>(prng.below(kMillion))}; };
  for (const VotingSets* sets : {&grid, &cyclic}) {
    for (int pair = 0; pair < 50; ++pair) {
      const NodeId a = some();
      const NodeId b = some();
      bool have_common = false;
      for (std::uint32_t s = 0; s < sets->size(a); ++s) {
        const NodeId voter = sets->voter(a, VoterSeat{s});
        ASSERT_LT(number(voter), kMillion);
        ASSERT_EQ(sets->seat(a, voter), VoterSeat{s});
        have_common = have_common || sets->contains(b, voter);
      }
      EXPECT_TRUE(have_common) << number(a) << " and " << number(b);
    }
  }
}

TEST(VotingSets, DescribeSaysWhatHoldsAndWhatDoesNot) {
  EXPECT_EQ(VotingSets::cyclic(7).describe(), "cyclic, K = 3; proved: M1 M2 M3 M4");
  EXPECT_EQ(VotingSets::plane(13)->describe(), "plane, K = 4; proved: M1 M2 M3 M4");
  EXPECT_EQ(VotingSets::grid(5).describe(), "grid, K = 3 … 4; proved: M1 M2; not: M3 M4");
  EXPECT_EQ(VotingSets::parse("1: 1 2\n2: 1 2\n3: 1 2\n")->describe(),
            "listed, K = 2; proved: M1 M3; not: M2 M4");
}

TEST(VotingSets, AFileHasOneSetALine) {
  const auto sets = VotingSets::parse(
      "# three of a kind\n"
      "1: 1 2   # comment\n"
      "\n"
      "2: {2,3}\r\n"
      "3: 3 1 1");
  ASSERT_TRUE(sets.has_value()) << sets.error().message;
  EXPECT_EQ(blackboard(*sets), (Sets{{1, 2}, {2, 3}, {1, 3}}));
}

TEST(VotingSets, AFileThatMakesNoSenseIsRefusedWithAReason) {
  const auto message = [](std::string_view text) {
    const auto sets = VotingSets::parse(text);
    return sets.has_value() ? std::string{"accepted"} : sets.error().message;
  };
  EXPECT_THAT(message("1: 1\n2: 2\n"), HasSubstr("violate M1: those of processes 1 and 2"));
  EXPECT_THAT(message("1: 1 2\n2: 2 3\n3: 3 4\n4: 2 3 4\n"),
              HasSubstr("those of processes 1 and 3 do not meet"));
  EXPECT_THAT(message(""), HasSubstr("write one line a process"));
  EXPECT_THAT(message("# nothing\n"), HasSubstr("write one line a process"));
  EXPECT_THAT(message("1: 1 2\n2:\n"), HasSubstr("set of process 2 is empty"));
  EXPECT_THAT(message("1: 1 2\n"), HasSubstr("names process 2, but there are only 1 sets"));
  EXPECT_THAT(message("2: 1 2\n"), HasSubstr("line 1: expected '1: …'"));
  EXPECT_THAT(message("1: 1\n1: 1\n"), HasSubstr("line 2: expected '2: …'"));
  EXPECT_THAT(message("1 1 2\n"), HasSubstr("line 1: expected '1: …'"));
  EXPECT_THAT(message("1: 1 x\n"), HasSubstr("line 1: 'x' is not a process"));
  EXPECT_THAT(message("1: 0\n"), HasSubstr("'0' is not a process"));
  EXPECT_THAT(message("1: -1\n"), HasSubstr("'-1' is not a process"));
  EXPECT_THAT(message("1: 99999999999999999999\n"), HasSubstr("is not a process"));
  EXPECT_THAT(message(std::string_view{"1: 1\0 2", 7}), HasSubstr("is not a process"));
}

TEST(DifferenceCover, TheKnownOnes) {
  EXPECT_EQ(difference_cover(7), (Cover{0, 1, 3}));
  EXPECT_EQ(difference_cover(13), (Cover{0, 1, 3, 9}));
  EXPECT_EQ(difference_cover(10), (Cover{0, 1, 2, 5}));
}

TEST(DifferenceCover, WhatIsNoCoverIsToldApart) {
  EXPECT_TRUE(is_difference_cover({0, 1, 3}, 7));
  EXPECT_FALSE(is_difference_cover({0, 1, 2}, 7));
  EXPECT_FALSE(is_difference_cover({0, 1, 3}, 8));
  EXPECT_FALSE(is_difference_cover({}, 1));
  EXPECT_TRUE(is_difference_cover({0}, 1));
}

TEST(DifferenceCover, NoSmallerOneExistsWhereAllCanBeTried) {
  for (std::uint32_t n = 1; n <= 14; ++n) {
    std::size_t smallest = n;
    for (std::uint32_t bits = 1; bits < (1u << n); bits += 2) {
      Cover cover;
      for (std::uint32_t i = 0; i < n; ++i) {
        if ((bits >> i & 1) != 0) cover.push_back(i);
      }
      if (cover.size() < smallest && is_difference_cover(cover, n)) smallest = cover.size();
    }
    EXPECT_EQ(difference_cover(n).size(), smallest) << n;
  }
}

TEST(DifferenceCover, EverySizeHasOneThatIsSortedBeginsWithZeroAndIsSmall) {
  for (std::uint32_t n = 1; n <= 1500; ++n) {
    const Cover cover = difference_cover(n);
    ASSERT_TRUE(is_difference_cover(cover, n)) << n;
    ASSERT_TRUE(std::is_sorted(cover.begin(), cover.end())) << n;
    ASSERT_EQ(cover.front(), 0u) << n;
    ASSERT_LT(cover.back(), n) << n;
    ASSERT_LE(static_cast<double>(cover.size()), 1.23 * std::sqrt(n) + 2) << n;
  }
}

TEST(DifferenceCover, SingerSetsArePerfect) {
  for (const std::uint32_t q : {2u, 3u, 4u, 5u, 7u, 8u, 9u, 11u, 13u, 16u, 25u, 27u, 32u}) {
    const std::uint32_t n = q * q + q + 1;
    const auto line = singer_difference_set(n);
    ASSERT_TRUE(line.has_value()) << q;
    EXPECT_EQ(line->size(), q + 1);
    EXPECT_TRUE(is_difference_cover(*line, n)) << "and so every difference but 0 occurs once";
  }
  for (const std::uint32_t q : {6u, 10u, 12u, 15u}) {
    EXPECT_FALSE(singer_difference_set(q * q + q + 1).has_value()) << q;
  }
}

}  // namespace
}  // namespace hapax
