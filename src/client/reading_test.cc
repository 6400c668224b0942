// Who waits for an answer reads it, and what else comes meanwhile finds its way.
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "client/reading_turns.h"
#include "client/testing/eventually.h"
#include "client/testing/group.h"
#include "handles/held_grants.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::ReadingTurns;
using client::testing::eventually;

// --- whose turn it is ---

class Turns : public ::testing::Test {
 protected:
  Turns() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0);
    turns_.emplace(ends_[0]);
  }
  ~Turns() override {
    turns_.reset();
    for (const int end : ends_) close(end);
  }
  void say_something() { EXPECT_EQ(write(ends_[1], "x", 1), 1); }

  std::array<int, 2> ends_{};
  std::optional<ReadingTurns> turns_;
};

TEST_F(Turns, AreTheResidentsWhileNobodyElseReads) {
  EXPECT_FALSE(turns_->await(0ms)) << "there is nothing";
  say_something();
  ASSERT_TRUE(turns_->await(10s));
  EXPECT_FALSE(turns_->take()) << "the resident reads";
  turns_->done();
  EXPECT_TRUE(turns_->take());
}

TEST_F(Turns, ACallerThatReadsWakesNobody) {
  ASSERT_TRUE(turns_->take());
  EXPECT_FALSE(turns_->take()) << "one at a time";
  say_something();
  EXPECT_FALSE(turns_->await(50ms));
  turns_->give_back(false);
  EXPECT_TRUE(turns_->await(10s)) << "what it left in the socket";
}

TEST_F(Turns, WhatACallerHasReadForTheResidentComesFirst) {
  ASSERT_TRUE(turns_->take());
  turns_->give_back(true);
  EXPECT_FALSE(turns_->take()) << "not before the resident has dealt with it";
  ASSERT_TRUE(turns_->await(10s)) << "although there is nothing in the socket";
  turns_->done();
  EXPECT_FALSE(turns_->await(0ms)) << "once";
  EXPECT_TRUE(turns_->take());
}

TEST_F(Turns, AHangUpDoesNotKeepTheResidentBusy) {
  ASSERT_TRUE(turns_->take());
  shutdown(ends_[1], SHUT_RDWR);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_FALSE(turns_->await(50ms)) << "the caller finds it";
  EXPECT_GE(std::chrono::steady_clock::now() - began, 50ms);
  turns_->give_back(true);
  EXPECT_TRUE(turns_->await(10s));
}

// One that comes after the end is lost, however late who has read it notes it.
TEST(HeldGrants, WhatIsAddedAfterTheEndIsLost) {
  client::HeldGrants held;
  EXPECT_FALSE(held.add(1).stop_requested());
  held.lose_all(false);
  EXPECT_FALSE(held.add(2).stop_requested()) << "another matter";
  held.lose_all(true);
  EXPECT_TRUE(held.add(3).stop_requested());
}

// --- a client that waits ---

std::set<std::string> threads_of_this_process() {
  std::set<std::string> all;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
    all.insert(task.path().string());
  }
  return all;
}

// How often it has gone to sleep by itself.
long sleeps_of(const std::string& thread) {
  std::ifstream status{thread + "/status"};
  for (std::string word; status >> word;) {
    if (word != "voluntary_ctxt_switches:") continue;
    long count = 0;
    status >> count;
    return count;
  }
  return -1;
}

TEST(WhoWaits, ReadsForItselfAndWakesNoOtherThread) {
  const Daemons daemons{1};
  const auto before = threads_of_this_process();
  Client client{daemons.address(0)};
  std::set<std::string> residents = threads_of_this_process();
  for (const std::string& thread : before) residents.erase(thread);
  ASSERT_EQ(residents.size(), 1u);
  const long slept = sleeps_of(*residents.begin());
  ASSERT_GE(slept, 0);
  constexpr int kAsked = 400;
  for (int i = 0; i < kAsked; ++i) (void)client.who("nothing");
  // Now and then it looks at the time, and at signs of life.
  EXPECT_LT(sleeps_of(*residents.begin()) - slept, kAsked / 4);
}

class Reading : public ::testing::Test {
 protected:
  // Another thread of `client_` waits for a lock, and so reads.
  Reading() {
    taken_.lock();
    waits_ = std::async(std::launch::async, [this] {
      Mutex wanted{client_, "taken"};
      wanted.lock();
      wanted.unlock();
    });
    EXPECT_TRUE(eventually([&] { return other_.who("taken").at(0).waiters.size() == 1; }));
  }
  ~Reading() override {
    taken_.unlock();
    waits_.get();
  }

  Daemons daemons_{1};
  Client client_{daemons_.address(0)};
  Client other_{daemons_.address(0)};
  Mutex taken_{other_, "taken"};
  std::future<void> waits_;
};

TEST_F(Reading, OthersGetTheirAnswers) {
  for (int i = 0; i < 100; ++i) {
    Mutex own{client_, "own-" + std::to_string(i)};
    ASSERT_TRUE(own.try_lock_for(10s));
    own.unlock();
  }
  EXPECT_EQ(client_.who("taken").size(), 1u);
}

TEST_F(Reading, TheProgramIsCalledByTheThreadThatResides) {
  std::promise<std::thread::id> called;
  Mutex later{client_, "later"};
  later.async_acquire([&](std::error_code error) {
    EXPECT_FALSE(error);
    called.set_value(std::this_thread::get_id());
  });
  auto caller = called.get_future();
  ASSERT_EQ(caller.wait_for(10s), std::future_status::ready);
  EXPECT_NE(caller.get(), std::this_thread::get_id());
  later.unlock();
}

TEST_F(Reading, ALossIsTold) {
  Mutex held{client_, "held"};
  held.lock();
  other_.break_lock("held");
  EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
  held.unlock();
}

TEST_F(Reading, WhoGivesUpIsNotInTheWay) {
  Mutex also{client_, "taken"};
  EXPECT_FALSE(also.try_lock_for(50ms));
  Mutex own{client_, "own"};
  EXPECT_TRUE(own.try_lock_for(10s));
  own.unlock();
}

TEST_F(Reading, PromisesAreKeptUp) {
  Mutex held{client_, "held"};
  held.lock();
  // Longer than a daemon may be silent: its signs of life are read while the other thread waits.
  std::this_thread::sleep_for(Client::kSilence + 500ms);
  EXPECT_FALSE(held.lost().stop_requested());
  EXPECT_GT(held.valid_for(), 0ms);
  held.unlock();
}

}  // namespace
}  // namespace hapax
