// `hapax run` killed, asleep, or without its warden: nobody else has the lock while any process of
// its job runs. What happened is decided by the order of lines in one file that all append to.
#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <memory>
#include <sqlite3.h>
#include <sstream>
#include <thread>

#include "base/send_signal.h"
#include "nobody_testing.h"
#include "terminal_testing.h"

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
    words.insert(words.begin(), binary_);
    return std::make_unique<Process>(is_nobody_ ? by_nobody(words) : words, Environment{}, folder_);
  }
  void start_group(int size) {
    for (int i = 1; i <= size; ++i) {
      nodes_.push_back(
          start({"node", "--engine", "embedded:" + (folder_ / "group.db").string(), "--group",
                 "test", "--listen", "unix:" + (folder_ / ("m" + std::to_string(i))).string(),
                 "--clients", address(i), "--clients", tcp_address(i), "--insecure", "--name",
                 "host" + std::to_string(i), "--ttl", "1s", "--new-group", "--state",
                 (folder_ / ("s" + std::to_string(i))).string()}));
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
    signal_process(warden, SIGKILL);
    run.signal(SIGKILL);
    EXPECT_EQ(run.wait(), 128 + SIGKILL);
  }

  Folder folder_;
  bool is_nobody_ = false;  // Whom all commands are run as.
  std::string binary_ = HAPAX_BINARY;
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
  signal_process(pid_in(folder_ / "child"), SIGKILL);
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

// `hapax run` is stopped by its own command, before it can have looked after that even once: all
// processes on one processor, where the command is the first to run.
TEST_F(Jobs, AreEndedByTheWardenThoughTheirRunNeverGotToLookAfterThem) {
  start_group(2);
  const auto run = std::make_unique<Process>(
      Arguments{"taskset", "-c", "0", binary_, "run", "--insecure", "--address", tcp_address(1), "x",
                "--", "sh", "-c",
                "kill -STOP $PPID; cd '" + folder_.path().string() +
                    "'; echo $$ > command; while :; do echo tick >> log; sleep 0.01; done"},
      Environment{}, folder_);
  ASSERT_TRUE(eventually([&] { return ticks() > 2; })) << run->err();
  const auto next = start_next(2);
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

// A shell with job control, in which a job reads a line and notes it, is stopped by ^Z, and goes on
// when the test says so.
class StoppedJob {
 public:
  StoppedJob(const std::string& address, const Folder& folder) : facts_(folder / "facts") {
    EXPECT_TRUE(shell_.shows("what next? "));
    shell_.type("'" HAPAX_BINARY "' run --address " + address + " x -- sh -c 'echo started >> " +
                facts_ + "; read line; echo got $line >> " + facts_ + "'; echo stopped >> " +
                facts_ + "\n");
    EXPECT_TRUE(notes("started"));
    shell_.type("\x1a");
    EXPECT_TRUE(notes("stopped"));
    EXPECT_TRUE(shell_.shows("what next? "));
  }
  void go_on() { shell_.type("fg; echo status $? >> " + facts_ + "\n"); }
  void type(const std::string& keys) { shell_.type(keys); }
  bool has_noted(const std::string& text) const {
    return contents_of(facts_).find(text) != std::string::npos;
  }
  bool notes(const std::string& text) const {
    return eventually([&] { return has_noted(text); }, 20s);
  }

 private:
  const std::string facts_;
  Terminal shell_{{"bash", "--norc", "-i"}, {{"PS1", "what next? "}}};
};

// Longer than anybody relies on a daemon that it has not heard of.
constexpr auto kLongStop = 5s;

TEST_F(Jobs, GoOnAfterALongStopIfTheDaemonStillHoldsTheirLock) {
  start_group(1);
  StoppedJob job{address(1), folder_};
  std::this_thread::sleep_for(kLongStop);
  EXPECT_TRUE(is_locked());
  job.go_on();
  EXPECT_TRUE(eventually([&] {
    job.type("line\n");  // What the job does not read is for the shell, which does not mind.
    std::this_thread::sleep_for(100ms);
    return job.has_noted("got line") || job.has_noted("status");
  }));
  EXPECT_TRUE(job.has_noted("got line"));
  EXPECT_TRUE(job.notes("status 0"));
}

TEST_F(Jobs, DoNotGoOnAfterALongStopIfTheDaemonIsGone) {
  start_group(1);
  StoppedJob job{address(1), folder_};
  nodes_[0]->signal(SIGKILL);
  std::this_thread::sleep_for(kLongStop);
  job.go_on();
  EXPECT_TRUE(job.notes("status 75"));
  EXPECT_FALSE(job.has_noted("got"));
}

TEST_F(Jobs, HearTheSignalsThatAreForThem) {
  start_group(1);
  const std::string notes = folder_ / "notes";
  const auto run =
      start({"run", "--address", address(1), "x", "--", "sh", "-c",
             "trap 'echo one >> " + notes + "' USR1; trap 'echo two >> " + notes +
                 "; exit 7' USR2; echo ready >> " + notes + "; while :; do sleep 0.05; done"});
  const auto has_noted = [&](const std::string& text) {
    return contents_of(notes).find(text) != std::string::npos;
  };
  ASSERT_TRUE(eventually([&] { return has_noted("ready"); }, 20s)) << run->err();
  run->signal(SIGUSR1);
  EXPECT_TRUE(eventually([&] { return has_noted("one"); }));
  run->signal(SIGUSR2);
  EXPECT_EQ(run->wait(), 7) << run->err();
  EXPECT_TRUE(has_noted("two"));
}

TEST_F(Jobs, AreNotDisturbedByADaemonThatIsToldToReload) {
  start_group(1);
  const auto run = start_ticking();
  for (int i = 1; i <= 2; ++i) {
    nodes_[0]->signal(SIGHUP);
    const auto has_reloaded = [&] {
      const std::string err = nodes_[0]->err();
      int count = 0;
      for (std::size_t at = 0; (at = err.find("roles read again", at)) != std::string::npos; ++at)
        ++count;
      return count == i;
    };
    EXPECT_TRUE(eventually(has_reloaded)) << nodes_[0]->err();
  }
  EXPECT_TRUE(is_locked());
  EXPECT_FALSE(run->has_ended());
  nodes_[0]->signal(SIGTERM);  // It still ends when it is told to.
  EXPECT_EQ(run->wait(), 75);
  EXPECT_EQ(nodes_[0]->wait(), 0) << nodes_[0]->err();
}

// As nobody, whose job becomes root: by setpriv(1) as sudo would be installed.
class ForeignJobs : public Jobs {
 protected:
  void SetUp() override {
    if (getuid() != 0) GTEST_SKIP() << "only root can set this up";
    const std::string setpriv = contents_of_command("command -v setpriv");
    if (setpriv.empty()) GTEST_SKIP() << "there is no setpriv";
    fs::copy_file(setpriv, become_root());
    fs::permissions(become_root(), fs::perms::set_uid | fs::perms{0755});
    for (const fs::path& path : {folder_.path(), folder_ / "log"}) {
      if (path != folder_.path()) std::ofstream{path};
      ASSERT_EQ(chown(path.c_str(), kNobody, kNobody), 0);
    }
    Process becomes{by_nobody({become_root(), "--reuid=0", "id", "-u"}), {}, folder_};
    if (becomes.wait() != 0 || becomes.out() != "0\n") GTEST_SKIP() << "nosuid";
    binary_ = hapax_for_nobody(folder_);
    is_nobody_ = true;
    node_ = start({"node", "--engine", "embedded:" + (folder_ / "group.db").string(), "--listen",
                   "unix:" + (folder_ / "m1").string(), "--clients", address(1), "--ttl", "1s"});
    ASSERT_TRUE(eventually([&] { return members(1) == 1; }, 20s)) << node_->err();
  }
  std::string become_root() const { return folder_ / "become-root"; }
  std::string contents_of_command(const std::string& command) const {
    Process process{{"sh", "-c", command}, {}, folder_};
    if (process.wait() != 0) return "";
    const std::string out = process.out();
    return out.substr(0, out.find('\n'));
  }
  // A script with a process of root's; `then` is what the script does next.
  std::unique_ptr<Process> start_job(const std::string& then) {
    auto run = start({"run", "--address", address(1), "x", "--", "sh", "-c",
                      become_root() + " --reuid=0 sh -c 'echo $$ > " +
                          (folder_ / "child").string() + "; exec sleep 1000' & " + then});
    EXPECT_TRUE(eventually([&] { return pid_in(folder_ / "child") > 0; }, 20s)) << run->err();
    return run;
  }

  std::unique_ptr<Process> node_;
};

TEST_F(ForeignJobs, HoldTheLockAsLongAsTheyLive) {
  const auto run = start_job("sleep 0.2");
  EXPECT_TRUE(eventually([&] {
    return run->err().find("runs as another user") != std::string::npos;
  })) << run->err();
  EXPECT_TRUE(is_locked());
  signal_process(pid_in(folder_ / "child"), SIGKILL);
  EXPECT_EQ(run->wait(), 0) << run->err();
}

TEST_F(ForeignJobs, AreNotSaidToHaveEndedWhileTheyLive) {
  const auto run = start_job("wait");
  node_->signal(SIGKILL);
  EXPECT_TRUE(
      eventually([&] { return run->err().find("runs as another user") != std::string::npos; }, 20s))
      << run->err();
  EXPECT_EQ(run->err().find("was ended"), std::string::npos);
  EXPECT_FALSE(run->has_ended());
  signal_process(pid_in(folder_ / "child"), SIGKILL);
  EXPECT_EQ(run->wait(), 75) << run->err();
  EXPECT_NE(run->err().find("was ended"), std::string::npos);
}

}  // namespace
}  // namespace hapax::testing
