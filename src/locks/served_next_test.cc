// Where permission stays, an entry of the algorithm serves those who waited at its member when it
// began.
#include <gtest/gtest.h>
#include <vector>

#include "locks/testing/table_group.h"

namespace hapax {
namespace {

using Waiter = TableGroup::Waiter;

class ServedNext : public ::testing::Test {
 protected:
  // All of one member ask, and are known to everybody.
  std::vector<Waiter> ask(std::uint32_t member, int count) {
    std::vector<Waiter> asked;
    for (int i = 0; i < count; ++i) asked.push_back(group_.acquire(member, "one"));
    EXPECT_TRUE(group_.drain());
    return asked;
  }
  void leave(const Waiter& waiter) {
    ASSERT_TRUE(group_.is_inside(waiter));
    group_.release(waiter);
    EXPECT_TRUE(group_.drain());
  }

  TableGroup group_{3, all_by("carvalho-roucairol")};  // Checks that fences grow.
};

TEST_F(ServedNext, ThoseWhoWaitedHereEnterOneAfterTheOtherWithoutAMessage) {
  const auto inside = ask(0, 1);
  const auto here = ask(1, 3);
  const auto elsewhere = ask(2, 2);
  leave(inside[0]);
  const auto before = group_.messages();
  leave(here[0]);
  leave(here[1]);
  EXPECT_TRUE(group_.is_inside(here[2]));
  EXPECT_EQ(group_.messages(), before);
  leave(here[2]);
  leave(elsewhere[0]);
  leave(elsewhere[1]);
}

TEST_F(ServedNext, WhoComesLaterWaitsForTheOthers) {
  const auto inside = ask(0, 1);
  const auto here = ask(1, 2);
  const auto elsewhere = ask(2, 1);
  leave(inside[0]);
  const auto late = ask(1, 1);
  leave(here[0]);
  leave(here[1]);
  EXPECT_TRUE(group_.is_inside(elsewhere[0]));
  leave(elsewhere[0]);
  leave(late[0]);
}

TEST_F(ServedNext, OthersWaitForAFewOnly) {
  const auto inside = ask(0, 1);
  const auto here = ask(1, 40);
  const auto elsewhere = ask(2, 1);
  leave(inside[0]);
  std::size_t served = 0;
  while (!group_.is_inside(elsewhere[0]) && served < here.size()) leave(here[served++]);
  EXPECT_EQ(served, 9u) << "the first and eight more";
  EXPECT_TRUE(group_.serve_all());
}

TEST_F(ServedNext, WhoGivesUpIsPassedOver) {
  const auto inside = ask(0, 1);
  const auto here = ask(1, 3);
  leave(inside[0]);
  group_.abandon(here[1]);
  leave(here[0]);
  leave(here[2]);
  EXPECT_TRUE(group_.serve_all());
}

TEST_F(ServedNext, WhoComesLaterIsNotServedForOneWhoGaveUp) {
  const auto inside = ask(0, 1);
  const auto here = ask(1, 3);
  const auto elsewhere = ask(2, 1);
  leave(inside[0]);
  group_.abandon(here[1]);
  group_.abandon(here[2]);
  const auto late = ask(1, 2);
  leave(here[0]);
  EXPECT_TRUE(group_.is_inside(elsewhere[0]));
  EXPECT_TRUE(group_.serve_all());
}

// Their turns are no stamps: those of who waits elsewhere are given by now.
TEST_F(ServedNext, IsNotForRicartAgrawala) {
  TableGroup group{2, all_by("ricart-agrawala")};
  const Waiter first = group.acquire(0, "one");
  ASSERT_TRUE(group.drain());
  const Waiter second = group.acquire(0, "one");
  const Waiter elsewhere = group.acquire(1, "one");
  ASSERT_TRUE(group.drain());
  group.release(first);
  ASSERT_TRUE(group.drain());
  EXPECT_TRUE(group.is_inside(elsewhere));
  EXPECT_FALSE(group.is_inside(second));
  EXPECT_TRUE(group.serve_all());
}

}  // namespace
}  // namespace hapax
