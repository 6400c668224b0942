#include "search/search.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <stdexcept>
#include <vector>

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
  States states{2, 4};
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
  States states{1, 1};
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

}  // namespace
}  // namespace hapax
