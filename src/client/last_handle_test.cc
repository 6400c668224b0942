// A program may drop its last handle wherever it is called back, and ask there for something new.
#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/testing/folder.h"
#include "client/testing/eventually.h"
#include "client/testing/group.h"
#include "client/testing/node_views.h"
#include "client/testing/scripted_daemon.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::eventually;
using client::testing::NodeViews;
using client::testing::Outage;
using client::testing::ScriptedDaemon;

// The last two, of a Client or a Node.
template <class Way>
struct LastHandles {
  LastHandles(std::unique_ptr<Way> w, const std::string& name)
      : way(std::move(w)), mutex(std::make_unique<Mutex>(*way, name)) {}
  void drop() {
    way.reset();
    mutex.reset();
    dropped.set_value();
  }
  void drop_when_granted() {
    mutex->async_acquire([this](std::error_code error) {
      EXPECT_FALSE(error);
      drop();
    });
  }
  bool are_dropped() { return dropped.get_future().wait_for(20s) == std::future_status::ready; }

  std::unique_ptr<Way> way;
  std::unique_ptr<Mutex> mutex;
  std::promise<void> dropped;
};

TEST(LastHandle, OfAClientGoesWhenALockIsGranted) {
  Daemons daemons{1};
  LastHandles<Client> handles{std::make_unique<Client>(daemons.address(0)), "one"};
  handles.drop_when_granted();
  EXPECT_TRUE(handles.are_dropped());
  Client other{daemons.address(0)};
  Mutex same{other, "one"};
  EXPECT_TRUE(same.try_lock_for(20s));
}

TEST(LastHandle, OfAClientGoesWhenALockIsLost) {
  const testing::Folder folder;
  ScriptedDaemon daemon{(folder / "socket").string()};
  LastHandles<Client> handles{std::make_unique<Client>("unix:" + (folder / "socket").string()),
                              "one"};
  handles.mutex->lock();
  const std::stop_callback drop{handles.mutex->lost(), [&] { handles.drop(); }};
  daemon.tell(session::Lost{daemon.granted().back()});
  EXPECT_TRUE(handles.are_dropped());
}

TEST(LastHandle, OfANodeGoesWhenALockIsGranted) {
  const testing::Folder folder;
  const NodeOptions options{.members = {"unix:" + (folder / "member").string()},
                            .state = (folder / "state").string(),
                            .new_group = true};
  LastHandles<Node> handles{std::make_unique<Node>(options), "one"};
  handles.drop_when_granted();
  EXPECT_TRUE(handles.are_dropped());
  // Its place is free in the end.
  EXPECT_TRUE(eventually([&] {
    try {
      Node next{options};
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }));
}

TEST_F(NodeViews, MayBeDroppedWhenALockIsLost) {
  LastHandles<Node> handles{std::make_unique<Node>(options(0)), "one"};
  handles.mutex->lock();
  const std::stop_callback drop{handles.mutex->lost(), [&] { handles.drop(); }};
  const Outage outage{file()};
  EXPECT_TRUE(handles.are_dropped());
}

// The connection that is lost goes when the next one is made, which may be on its own thread.
TEST(LastHandle, OfAConnectionGoesWhenItsLossMakesTheProgramAskAgain) {
  Daemons daemons{2};
  Client client{daemons.address(0) + ',' + daemons.address(1)};
  Mutex mutex{client, "one"};
  Mutex other{client, "other"};
  mutex.lock();
  std::promise<std::error_code> told;
  const std::stop_callback again{
      mutex.lost(),
      [&] { other.async_acquire([&](std::error_code error) { told.set_value(error); }); }};
  daemons.stop(0);
  auto answer = told.get_future();
  ASSERT_EQ(answer.wait_for(20s), std::future_status::ready);
  (void)
      answer.get();  // Whether a group of two grants anything with one of them gone is its matter.
}

TEST(Misuse, SaysWhichCallWasWrong) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // The client has threads.
  Daemons daemons{1};
  Client client{daemons.address(0)};
  Mutex mutex{client, "one"};
  EXPECT_DEATH(mutex.unlock(), "hapax: Mutex::unlock on one: it is not held");
  Semaphore pool{client, "two"};
  EXPECT_DEATH(pool.release(), "hapax: Semaphore::release on two: it is not held");
  const auto code_of = [](auto call) {
    try {
      call();
    } catch (const std::system_error& e) {
      return e.code();
    }
    return std::error_code{};
  };
  EXPECT_EQ(code_of([&] { (void)mutex.fence(); }), Errc::not_held);
  EXPECT_EQ(code_of([&] { (void)pool.fence(); }), Errc::not_held);
  Election election{client, "lead"};
  EXPECT_EQ(code_of([&] { (void)election.fence(); }), Errc::not_held);
  EXPECT_EQ(code_of([&] { election.resign(); }), Errc::not_held);
  EXPECT_EQ(election.hand_over("you"), Errc::not_held);
  election.campaign("me");
  EXPECT_EQ(election.campaign_until("me", Mutex::Clock::now() + 1s, {}),
            std::errc::operation_in_progress);
  EXPECT_TRUE(election.is_leader());
}

TEST_F(NodeViews, HandOverNothingThatTheyHaveLost) {
  start(1);
  Election election{(*this)[0], "lead"};
  election.campaign("me");
  const std::stop_token lost = election.lost();
  {
    const Outage outage{file()};
    ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
    EXPECT_EQ(election.hand_over("you"), Errc::not_held);
  }
  ASSERT_TRUE(eventually([&] { return (*this)[0].is_complete(); }));
  EXPECT_EQ(election.hand_over("you"), Errc::not_held);
  election.resign();
  election.campaign("me");
  EXPECT_TRUE(election.is_leader());
}

}  // namespace
}  // namespace hapax
