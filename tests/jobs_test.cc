// `hapax run` killed, asleep, or without its warden: nobody else has the lock while any process of
// its job runs. What happened is decided by the order of lines in one file that all append to.
#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <memory>
#include <sqlite3.h>
#include <sstream>
#include <thread>

#include "process_testing.h"

namespace hapax::testing {
namespace {

class Jobs : public ::testing::Test {
 protected:
  std::string address(int i) const {
    return "unix:" + (folder_ / ("c" + std::to_string(i))).string();
  }
  // As from another machine: the daemon ends no processes for those who come this way.
  std::string tcp_address(int i) {
    const auto [at, is_new] = tcp_addresses_.try_emplace(i);
    if (is_new) at->second = "127.0.0.1:" + std::to_string(free_port());
    return at->second;
  }
  std::unique_ptr<Process> start(Arguments words) const {
    words.insert(words.begin(), HAPAX_BINARY);
    return std::make_unique<Process>(words, Environment{}, folder_);
  }
  void start_group(int size) {
    for (int i = 1; i <= size; ++i) {
      nodes_.push_back(
          start({"node", "--engine", "embedded:" + (folder_ / "group.db").string(), "--group",
                 "test", "--listen", "unix:" + (folder_ / ("m" + std::to_string(i))).string(),
                 "--clients", address(i), "--clients", tcp_address(i), "--insecure", "--name",
                 "host" + std::to_string(i), "--ttl", "1s"}));
    }
    for (int i = 1; i <= size; ++i) {
      ASSERT_TRUE(eventually([&] { return members(i) == size; }, 20s)) << nodes_.back()->err();
    }
  }
  int members(int i) const {
    const auto process = start({"members", "--json", "--address", address(i)});
    process->close_input();
    if (process->wait(10s) != 0) return 0;
    const std::string out = process->out();
    int count = 0;
    for (std::size_t at = 0; (at = out.find("\"member\":true", at)) != std::string::npos; ++at) {
      ++count;
    }
    return count;
  }

  // A job whose command and child, deaf to SIGTERM, append `tick` to the log without end.
  std::unique_ptr<Process> start_ticking(const Arguments& options = {}) {
    return start_ticking_at(address(1), options);
  }
  std::unique_ptr<Process> start_ticking_at(const std::string& where, const Arguments& options) {
    Arguments words{"run", "--address", where};
    words.insert(words.end(), options.begin(), options.end());
    const std::string tick = "while :; do echo tick >> log; sleep 0.01; done";
    words.insert(words.end(), {"x", "--", "sh", "-c",
                               "cd '" + folder_.path().string() +
                                   "'; trap '' TERM; echo $$ > command; sh -c 'echo $$ > child; " +
                                   tick + "' & " + tick});
    auto job = start(words);
    EXPECT_TRUE(eventually([&] { return pid_in(folder_ / "child") > 0 && ticks() > 2; }))
        << job->err();
    return job;
  }
  // Appends `next` as it enters, and holds on for long enough that ticks would be seen.
  std::unique_ptr<Process> start_next(int i) const {
    return start({"run", "--address", address(i), "x", "--", "sh", "-c",
                  "cd '" + folder_.path().string() + "'; echo next >> log; sleep 0.3"});
  }
  bool is_locked() const {
    return start({"run", "-n", "--address", address(1), "x", "--", "true"})->wait() == 1;
  }

  std::vector<std::string> log() const {
    std::istringstream text{contents_of(folder_ / "log")};
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  std::ptrdiff_t ticks() const {
    const auto lines = log();
    return std::count(lines.begin(), lines.end(), "tick");
  }
  void expect_no_tick_after_next() const {
    const auto lines = log();
    const auto next = std::find(lines.begin(), lines.end(), "next");
    ASSERT_NE(next, lines.end());
    EXPECT_EQ(std::count(next, lines.end(), "tick"), 0);
    for (const char* name : {"command", "child"}) {
      EXPECT_TRUE(is_gone(pid_in(folder_ / name))) << name;
    }
  }
  // The child of `hapax run` that is not its command.
  pid_t warden_of(const Process& run) const {
    const std::string pid = std::to_string(run.pid());
    std::ifstream children{"/proc/" + pid + "/task/" + pid + "/children"};
    const pid_t command = pid_in(folder_ / "command");
    for (pid_t child = 0; children >> child;) {
      if (child != command) return child;
    }
    return -1;
  }
  // The warden first: it acts on the end of `hapax run`.
  void kill_with_warden(Process& run) const {
    const pid_t warden = warden_of(run);
    ASSERT_GT(warden, 1);
    kill(warden, SIGKILL);
    run.signal(SIGKILL);
    EXPECT_EQ(run.wait(), 128 + SIGKILL);
  }

  Folder folder_;
  std::map<int, std::string> tcp_addresses_;
  std::vector<std::unique_ptr<Process>> nodes_;
};

TEST_F(Jobs, EndBeforeTheLockOfARunThatIsKilledIsFree) {
  start_group(2);
  const auto run = start_ticking();
  const auto next = start_next(2);
  run->signal(SIGKILL);
  EXPECT_EQ(next->wait(), 0) << next->err();
  expect_no_tick_after_next();
}

// As with flock: a process that has inherited the descriptor has the lock.
TEST_F(Jobs, KeepTheLockWithoutRunAndWarden) {
  start_group(1);
  const auto run = start_ticking();
  kill_with_warden(*run);
  EXPECT_TRUE(eventually([&] { return is_gone(pid_in(folder_ / "command")); }));
  EXPECT_TRUE(is_locked());
  const auto next = start_next(1);
  const auto before = ticks();
  ASSERT_TRUE(eventually([&] { return ticks() > before + 20; })) << "its child lives on";
  kill(pid_in(folder_ / "child"), SIGKILL);
  EXPECT_EQ(next->wait(), 0) << next->err();
  expect_no_tick_after_next();
}

// It has inherited nothing, but the daemon knows its group.
TEST_F(Jobs, AreEndedByTheDaemonIfNobodyElseCan) {
  start_group(2);
  const auto run = start_ticking({"-o"});
  const auto next = start_next(2);
  kill_with_warden(*run);
  EXPECT_EQ(next->wait(), 0) << next->err();
  expect_no_tick_after_next();
}

TEST_F(Jobs, WithCloseLeaveBehindWhoLivesOnWithoutTheLock) {
  start_group(1);
  const auto run = start(
      {"run", "-o", "--address", address(1), "x", "--", "sh", "-c",
       "cd '" + folder_.path().string() +
           "'; sh -c 'echo $$ > child; ls -l /proc/self/fd > open; while ! test -e enough; do "
           "sleep 0.01; done; echo over >> log' & while ! test -s open; do sleep 0.01; done"});
  EXPECT_EQ(run->wait(), 0) << run->err();
  EXPECT_FALSE(is_gone(pid_in(folder_ / "child")));
  EXPECT_EQ(contents_of(folder_ / "open").find("socket:"), std::string::npos);
  const auto next = start_next(1);
  EXPECT_EQ(next->wait(), 0) << next->err();
  std::ofstream{folder_ / "enough"};
  ASSERT_TRUE(eventually([&] { return log().size() == 2; }));
  EXPECT_EQ(log().back(), "over");
}

TEST_F(Jobs, EndBeforeTheLeaseOfADaemonThatSleeps) {
  start_group(2);
  const auto run = start_ticking();
  const auto next = start_next(2);
  nodes_[0]->signal(SIGSTOP);
  EXPECT_EQ(next->wait(), 0) << next->err();
  nodes_[0]->signal(SIGCONT);
  EXPECT_EQ(run->wait(), 75);
  expect_no_tick_after_next();
}

// `hapax run` sleeps, so that it cannot end its job; the daemon, whose lease ends, does.
TEST_F(Jobs, AreEndedByADaemonWhoseLeaseEnds) {
  start_group(2);
  const auto run = start_ticking();
  const auto next = start_next(2);
  run->signal(SIGSTOP);
  const auto evict = start({"evict", "--address", address(2), "host1", "--yes"});
  EXPECT_EQ(evict->wait(), 0) << evict->err();
  EXPECT_EQ(next->wait(), 0) << next->err();
  run->signal(SIGCONT);
  EXPECT_EQ(run->wait(), 75);
  expect_no_tick_after_next();
}

// Far from its daemon, which frees the lock of a client that is silent: the warden looks at the
// clock.
TEST_F(Jobs, AreEndedByTheWardenWhenTheDaemonIsFarAway) {
  start_group(2);
  const auto run = start_ticking_at(tcp_address(1), {"--insecure"});
  const auto next = start_next(2);
  run->signal(SIGSTOP);
  EXPECT_EQ(next->wait(), 0) << next->err();
  run->signal(SIGCONT);
  EXPECT_EQ(run->wait(), 75);
  expect_no_tick_after_next();
}

// `hapax run` sleeps, and its daemon is no more: the warden sees that the connection is broken.
TEST_F(Jobs, AreEndedByTheWardenWhenTheDaemonIsDead) {
  start_group(2);
  const auto run = start_ticking();
  const auto next = start_next(2);
  run->signal(SIGSTOP);
  nodes_[0]->signal(SIGKILL);
  EXPECT_EQ(next->wait(), 0) << next->err();
  run->signal(SIGCONT);
  EXPECT_EQ(run->wait(), 75);
  expect_no_tick_after_next();
}

// One that is granted a lock about to end with its lease has nothing to end yet.
TEST_F(Jobs, WaitOnWhenTheyAreGrantedTheirLockDuringAnOutage) {
  start_group(1);
  const auto run = start({"run", "--address", address(1), "x", "--", "sleep", "60"});
  ASSERT_TRUE(eventually([&] { return is_locked(); }));
  const auto next = start_next(1);
  {
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "group.db").c_str(), &file), SQLITE_OK);
    sqlite3_busy_timeout(file, 5'000);
    ASSERT_EQ(sqlite3_exec(file, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(run->wait(), 75)
        << "it ends its job, and gives the lock back, while there is a lease";
    std::this_thread::sleep_for(1s);
    EXPECT_THAT(log(), ::testing::Not(::testing::Contains("next")));
    sqlite3_close(file);
  }
  EXPECT_EQ(next->wait(), 0) << next->err();
  EXPECT_THAT(log(), ::testing::Contains("next"));
}

TEST_F(Jobs, EndBeforeADaemonThatIsStoppedLetsTheLockGo) {
  start_group(2);
  const auto run = start_ticking();
  const auto next = start_next(2);
  nodes_[0]->signal(SIGTERM);
  EXPECT_EQ(next->wait(), 0) << next->err();
  EXPECT_EQ(run->wait(), 75);
  expect_no_tick_after_next();
}

}  // namespace
}  // namespace hapax::testing
