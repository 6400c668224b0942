#include "live/lock_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax::live {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Person person(std::uint32_t pid, Time since, std::optional<Turn> turn = std::nullopt) {
  Person one;
  one.host = "h";
  one.pid = pid;
  one.since = since;
  if (turn) one.fence = Fence{Epoch{1}, *turn};
  return one;
}
LockInfo held(const std::string& name, const Person& holder, std::vector<Person> waiters = {}) {
  return {name, "central", holder, {}, std::move(waiters)};
}
std::vector<std::string> names_of(const LockPicture::Change& change) {
  std::vector<std::string> names;
  for (const LockInfo* lock : change.changed) names.push_back(lock->name);
  return names;
}

TEST(LockPicture, TimeThatPassesIsNoChange) {
  LockPicture picture;
  EXPECT_THAT(names_of(picture.update({held("a", person(1, 5s, Turn{1}), {person(2, 3s)})}, 100s)),
              ElementsAre("a"));
  EXPECT_THAT(names_of(picture.update({held("a", person(1, 6s, Turn{1}), {person(2, 4s)})}, 101s)),
              IsEmpty());
  EXPECT_THAT(names_of(picture.update({held("a", person(1, 7s, Turn{1}), {person(2, 0s)})}, 102s)),
              ElementsAre("a"))
      << "it went and asked again";
}

TEST(LockPicture, SaysWhatChangedAndWhatIsGone) {
  LockPicture picture;
  picture.update({held("a", person(1, 0s, Turn{1})), held("b", person(2, 0s, Turn{1}))}, 1s);
  const auto change =
      picture.update({held("b", person(3, 0s, Turn{2})), held("c", person(2, 0s, Turn{1}))}, 2s);
  EXPECT_THAT(names_of(change), ElementsAre("b", "c"));
  EXPECT_THAT(change.gone, ElementsAre("a"));
  EXPECT_THAT(picture.locks(), SizeIs(2));
}

TEST(LockPicture, RemembersWhoHadALock) {
  LockPicture picture;
  picture.update({held("a", person(1, 9s, Turn{1}))}, 1s);
  EXPECT_THAT(picture.history_of("a"), IsEmpty()) << "it had it when we began to look";
  picture.update({held("a", person(2, 0s, Turn{2}))}, 2s);
  picture.update({}, 3s);
  const auto history = picture.history_of("a");
  ASSERT_THAT(history, SizeIs(3));
  EXPECT_EQ(history[0]->who.pid, 1u);
  EXPECT_FALSE(history[0]->is_taken);
  EXPECT_EQ(history[1]->who.pid, 2u);
  EXPECT_TRUE(history[1]->is_taken);
  EXPECT_EQ(history[2]->time, 3s);
  EXPECT_FALSE(history[2]->is_taken);
}

TEST(LockPicture, WhatHappenedWhileNobodyLookedIsNotMadeUp) {
  LockPicture picture;
  picture.update({held("a", person(1, 0s, Turn{1}))}, 1s);
  picture.forget();
  EXPECT_THAT(names_of(picture.update({held("a", person(2, 0s, Turn{2}))}, 60s)), ElementsAre("a"));
  EXPECT_THAT(picture.history_of("a"), IsEmpty());
}

TEST(LockPicture, ForgetsWhatIsLongAgo) {
  LockPicture picture;
  for (std::uint64_t i = 0; i < LockPicture::kMostHistory + 10; ++i) {
    picture.update({held("a", person(1, 0s, Turn{i}))}, Time{i});
  }
  EXPECT_THAT(picture.history_of("a"), SizeIs(LockPicture::kMostHistory));
}

}  // namespace
}  // namespace hapax::live
