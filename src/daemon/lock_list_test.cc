#include "session/lock_list.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "campaigns/peer_message.h"
#include "core/lock_name.h"
#include "session/frames.h"

namespace hapax {
namespace {

session::Person longest_person(std::uint32_t member) {
  return {member,
          std::string(session::kLongestMemberName, 'm'),
          std::string(session::kLongestText, 'h'),
          UINT32_MAX,
          std::string(session::kLongestText, 'c'),
          UINT64_MAX,
          Fence{Epoch{UINT64_MAX}, Turn{UINT64_MAX}},
          true};
}

session::Person person_at(std::uint32_t member) {
  session::Person person;
  person.member = member;
  return person;
}

session::Lock longest_lock(int i) {
  const std::string number = std::to_string(i);
  return {number + std::string(kLongestLockName - number.size(), 'n'),
          std::string(session::kLongestText, 'a'),
          std::nullopt,
          {},
          {}};
}

// The worst that members can know: locks without a holder first, the holders later.
TEST(LockList, FitsWhateverIsAdded) {
  LockList all{LockList::kOfAll};
  LockList member{LockList::kOfMember};
  std::uint64_t waiters = 0;
  for (std::uint32_t m = 0; m < 64; ++m) {
    for (int i = 0; i < 1'200; ++i) {
      session::Lock lock = longest_lock(i);
      if (m > 0) lock.holder = longest_person(m);
      lock.waiters.assign(3, longest_person(m));
      lock.more_waiters = 2;
      waiters += 5;
      ASSERT_TRUE(LockList::is_sound(lock));
      all.add(lock);
      if (m == 1) member.add(lock);
    }
  }
  const std::uint64_t left_out = all.more_locks();
  session::Locks answer{1, all.take(), {}, left_out};
  EXPECT_GT(answer.locks.size(), 100u);
  EXPECT_EQ((answer.locks.size() * 64) + left_out, 64u * 1'200u);
  std::uint64_t listed = left_out * 5;
  for (const session::Lock& lock : answer.locks) listed += lock.waiters.size() + lock.more_waiters;
  EXPECT_EQ(listed, waiters);
  Bytes frame;
  EXPECT_TRUE(session::write_frame(frame, session::Answer{answer}));
  EXPECT_LT(payload_of(TellLocks{1, member.take(), 1}).size(), std::size_t{1} << 20);
}

TEST(LockList, PutsTogetherWhatMembersKnow) {
  LockList list{LockList::kOfAll};
  session::Lock here{"x", "central", std::nullopt, {}, {person_at(2)}};
  session::Lock there{"x", "central", person_at(1), {}, {person_at(1)}};
  there.more_waiters = 4;
  list.add(here);
  list.add(there);
  const auto locks = list.take();
  ASSERT_EQ(locks.size(), 1u);
  EXPECT_EQ(locks[0].holder->member, 1u);
  ASSERT_EQ(locks[0].waiters.size(), 2u);
  EXPECT_EQ(locks[0].waiters[0].member, 1u);
  EXPECT_EQ(locks[0].more_waiters, 4u);
}

TEST(LockList, IsNotForWhatNoMemberSays) {
  session::Lock lock{"x", "central", std::nullopt, {}, {}};
  EXPECT_TRUE(LockList::is_sound(lock));
  lock.holder = session::Person{};
  lock.holder->command = std::string(session::kLongestText + 1, 'x');
  EXPECT_FALSE(LockList::is_sound(lock));
  EXPECT_FALSE(LockList::is_sound({"", "central", std::nullopt, {}, {}}));
  EXPECT_FALSE(LockList::is_sound({"x", std::string(5'000, 'x'), std::nullopt, {}, {}}));
}

}  // namespace
}  // namespace hapax
