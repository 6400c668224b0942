// Chubby's lock-delay, at a real daemon: what a client held that was killed stays taken for a
// while.
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "base/testing/folder.h"
#include "client/testing/other_process.h"
#include "daemon/daemon_thread.h"
#include "hapax/client.h"
#include "hapax/mutex.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::OtherProcess;

class LockDelay : public ::testing::Test {
 protected:
  LockDelay() {
    NodeConfig config;
    config.members = {{.host = "", .port = 0, .path = (folder_ / "member").string()}};
    config.clients = {{.host = "", .port = 0, .path = (folder_ / "clients").string()}};
    config.state.path = folder_ / "state";
    config.state.is_new_group = true;
    EXPECT_TRUE(config.lock_delays.add("slow/*=2s"));
    daemon_ = DaemonThread::start(std::move(config), {}).value();
  }
  std::string address() const { return "unix:" + (folder_ / "clients").string(); }

  // How long others have to wait after a holder was killed.
  std::chrono::milliseconds wait_after_a_kill(const OtherProcess& holder,
                                              const std::string& name) const {
    EXPECT_TRUE(holder.use_lock(address()));
    const auto killed = std::chrono::steady_clock::now();
    holder.signal(SIGKILL);
    Client client{address()};
    Mutex mutex{client, name};
    EXPECT_TRUE(mutex.try_lock_for(20s));
    const auto waited = std::chrono::steady_clock::now() - killed;
    return std::chrono::duration_cast<std::chrono::milliseconds>(waited);
  }

  const testing::Folder folder_;
  const OtherProcess slow_{"slow/a", [](Mutex& mutex) { mutex.lock(); }};
  const OtherProcess fast_{"fast", [](Mutex& mutex) { mutex.lock(); }};
  std::unique_ptr<DaemonThread> daemon_;
};

TEST_F(LockDelay, IsOfTheLocksThatHaveOne) {
  EXPECT_GE(wait_after_a_kill(slow_, "slow/a"), 1'900ms);
  EXPECT_LT(wait_after_a_kill(fast_, "fast"), 1'900ms);
}

TEST_F(LockDelay, IsNotOfWhatIsGivenBack) {
  Client one{address()}, other{address()};
  Mutex mutex{one, "slow/a"}, same{other, "slow/a"};
  const auto begun = std::chrono::steady_clock::now();
  mutex.lock();
  mutex.unlock();
  EXPECT_TRUE(same.try_lock_for(20s));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 1'900ms);
}

}  // namespace
}  // namespace hapax
