#include "files/fence_standing.h"

#include <gtest/gtest.h>

namespace hapax {
namespace {

using Standing = session::FenceTold::Standing;

Fence turn(std::uint64_t number) { return {Epoch{1}, Turn{number}}; }
session::Person holder(std::uint64_t number) {
  session::Person person;
  person.fence = turn(number);
  return person;
}
session::Locks told_of(const std::vector<std::uint64_t>& alone,
                       const std::vector<std::uint64_t>& shared, bool is_one_silent) {
  session::Lock lock;
  lock.name = "l";
  for (const std::uint64_t number : alone) lock.holder = holder(number);
  for (const std::uint64_t number : shared) lock.sharers.push_back(holder(number));
  session::Locks locks;
  if (!alone.empty() || !shared.empty()) locks.locks.push_back(lock);
  if (is_one_silent) locks.silent.push_back(1);
  return locks;
}
Standing standing(std::uint64_t fence, const session::Locks& told) {
  return standing_of(turn(fence), "l", told).standing;
}

TEST(FenceStanding, IsKnownOnlyByWhoHoldsItOrIfAllAnswer) {
  EXPECT_EQ(standing(3, told_of({3}, {}, false)), Standing::present);
  EXPECT_EQ(standing(3, told_of({3}, {}, true)), Standing::present);
  EXPECT_EQ(standing(3, told_of({4}, {}, true)), Standing::past) << "somebody came later";
  EXPECT_EQ(standing(3, told_of({}, {}, false)), Standing::past);
  EXPECT_EQ(standing(3, told_of({}, {}, true)), Standing::unknown);
  EXPECT_EQ(standing(3, told_of({2}, {}, true)), Standing::unknown) << "that was before";
}

TEST(FenceStanding, OfASharedLockIsThatOfAnyWhoShareIt) {
  EXPECT_EQ(standing(3, told_of({}, {5, 3}, true)), Standing::present);
  EXPECT_EQ(standing(4, told_of({}, {5, 3}, true)), Standing::unknown);
  EXPECT_EQ(standing(4, told_of({}, {5, 3}, false)), Standing::past);
}

TEST(FenceStanding, IsNotThatOfALockThatLooksLikeIt) {
  session::Locks told = told_of({3}, {}, false);
  told.locks[0].name = "lx";
  EXPECT_EQ(standing_of(turn(3), "l*", told).standing, Standing::past);
}

}  // namespace
}  // namespace hapax
