// What a client cannot get by the locks that stay with it: fences that nobody was granted, and
// entries when it may not lock any more.
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/testing/folder.h"
#include "client/connection.h"
#include "client/testing/engine_daemons.h"
#include "client/testing/eventually.h"
#include "daemon/daemon.h"
#include "hapax/hapax.h"
#include "loop/loop.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::Connection;
using client::testing::eventually;

// A file remembers the highest fence that wrote it: one that was made up would shut out all who
// come after.
TEST(KeptByAStranger, GivesNoFenceThatFilesBelieveInAndLaterHoldersDoNotReach) {
  EngineDaemons daemons{1};
  ASSERT_TRUE(eventually([&] { return daemons.are_in_one_view(); }));
  Connection hostile{
      net::Address{.host = "", .port = 0, .path = daemons.address(0).substr(5)}, {}, 1};
  detail::Holding holding;
  std::string why;
  ASSERT_FALSE(hostile.acquire("orders", Want::exclusive, std::chrono::steady_clock::now() + 20s,
                               {}, holding, why, hostile.words().take()));
  ASSERT_NE(holding.entry, 0u);
  kept::Word& word = *hostile.words().find(1);
  const auto claim = [&](std::uint64_t again) {
    word.store(kept::word_of(kept::State::used, holding.entry + again));
    return Fence{holding.fence.epoch, Turn{number(holding.fence.turn) + again}};
  };

  Client client{daemons.address(0)};
  File file{client, "orders"};
  try {
    file.write("by nobody", claim(std::uint64_t{1} << 50));
    FAIL() << "no such fence can be";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), Errc::stale_fence);
  }
  // It may have been inside that often: but then it has been.
  const auto locks = client.who("orders");
  ASSERT_TRUE(!locks.empty() && locks.front().holder && locks.front().holder->fence);
  const std::uint64_t told = number(locks.front().holder->fence->turn);
  std::this_thread::sleep_for(100ms);
  file.write("by one who was there often", claim(told - number(holding.fence.turn) + 1'000'000));
  (void)claim(0);
  hostile.release(holding);
  Mutex mutex{client, "orders"};
  ASSERT_TRUE(mutex.try_lock_for(20s));
  EXPECT_NO_THROW(file.write("by the next", mutex.fence()));
  mutex.unlock();
}

// Whether it still may is asked when it asks: so nobody goes on without asking. Of the daemon's own
// user, who always may, it can be seen all the same that it does ask.
TEST(KeptBySomeUser, IsAskedForAgainWhenTheRolesWereReadAgain) {
  const testing::Folder folder;
  Loop io;
  NodeConfig config;
  config.members = {{.host = "", .port = 0, .path = (folder / "member").string()}};
  config.clients = {{.host = "", .port = 0, .path = (folder / "clients").string()}};
  config.state.path = folder / "state";
  config.state.is_new_group = true;
  const auto daemon = Daemon::create(io, std::move(config), {}).value();
  ASSERT_TRUE(daemon->start().has_value());
  std::thread thread{[&] { daemon->run(); }};
  {
    Client client{"unix:" + (folder / "clients").string()};
    Mutex idle{client, "idle"}, used{client, "used"};
    for (Mutex* const mutex : {&idle, &used}) {
      for (int i = 0; i < 3; ++i) {
        const std::scoped_lock lock{*mutex};
      }
    }
    const auto is_held = [&](const char* name) {
      const auto locks = client.who(name);
      return !locks.empty() && locks.front().holder.has_value();
    };
    EXPECT_TRUE(is_held("idle")) << "it is kept";
    used.lock();
    io.post([&] { daemon->set_roles({}); });
    EXPECT_TRUE(eventually([&] { return !is_held("idle"); }));
    EXPECT_TRUE(is_held("used"));
    EXPECT_FALSE(used.lost().stop_requested()) << "what is held stays held";
    used.unlock();
    EXPECT_TRUE(eventually([&] { return !is_held("used"); }));
  }
  io.post([&] { daemon->stop(); });
  thread.join();
}

}  // namespace
}  // namespace hapax
