// A program's signals are its own: none of its handlers runs on a thread of the library, and none
// ends a wait for a lock.
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>

#include "base/testing/folder.h"
#include "client/testing/eventually.h"
#include "client/testing/group.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;
using client::testing::eventually;

std::set<std::string> thread_ids() {
  std::set<std::string> ids;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    ids.insert(task.path().filename());
  }
  return ids;
}

bool blocks(const std::string& thread, int signal) {
  std::ifstream file{"/proc/self/task/" + thread + "/status"};
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("SigBlk:")) continue;
    return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return true;  // It has ended.
}

bool has_ended(const std::string& thread) { return !thread_ids().contains(thread); }

// Those that came about since `before` take no signals.
void expect_quiet_threads_since(const std::set<std::string>& before) {
  std::size_t found = 0;
  for (const std::string& thread : thread_ids()) {
    if (before.contains(thread)) continue;
    ++found;
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD, SIGALRM, SIGUSR1}) {
      EXPECT_TRUE(blocks(thread, signal)) << thread << " takes signal " << signal;
    }
    // A thread that begins blocks all of them for a moment.
    EXPECT_TRUE(eventually([&] { return has_ended(thread) || !blocks(thread, SIGSEGV); }));
  }
  EXPECT_GT(found, 0u);
}

TEST(Signals, OfAProgramAreNotTakenByThreadsOfAClient) {
  Daemons daemons{1};
  const auto before = thread_ids();
  Client client{daemons.address(0)};
  expect_quiet_threads_since(before);
  EXPECT_FALSE(blocks(fmt::format("{}", gettid()), SIGINT));
}

TEST(Signals, OfAProgramAreNotTakenByThreadsOfANode) {
  const testing::Folder folder;
  const auto before = thread_ids();
  Node node{{.engine = "embedded:" + (folder / "group.db").string(),
             .listen = "unix:" + (folder / "member").string()}};
  expect_quiet_threads_since(before);
  EXPECT_FALSE(blocks(fmt::format("{}", gettid()), SIGINT));
}

std::atomic<int> signals_taken = 0;

TEST(Signals, DoNotEndAWait) {
  struct sigaction action {};
  action.sa_handler = [](int) { ++signals_taken; };  // Without SA_RESTART.
  struct sigaction former {};
  sigaction(SIGUSR1, &action, &former);

  Daemons daemons{1};
  Client client{daemons.address(0)};
  Mutex held{client, "one"};
  Mutex wanted{client, "one"};
  held.lock();
  std::atomic<bool> is_inside = false;
  std::jthread waiter{[&] {
    wanted.lock();
    is_inside = true;
    wanted.unlock();
  }};
  for (int i = 1; i <= 5; ++i) {
    pthread_kill(waiter.native_handle(), SIGUSR1);
    ASSERT_TRUE(eventually([&] { return signals_taken == i; }));
  }
  EXPECT_FALSE(is_inside);
  held.unlock();
  waiter.join();
  EXPECT_TRUE(is_inside);
  sigaction(SIGUSR1, &former, nullptr);
}

}  // namespace
}  // namespace hapax
