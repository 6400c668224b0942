// Settings of a running group changed as operators do it, while locks are held and waited for
// through real daemons, one of which sleeps or dies meanwhile.
#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "etcd_testing.h"
#include "process_testing.h"

namespace hapax::testing {
namespace {

namespace settings_json = boost::json;
using ::testing::HasSubstr;

class RunningGroup : public ::testing::Test {
 protected:
  static constexpr int kLocks = 12;

  std::string place(int i) const {
    return "unix:" + (folder_ / ("c" + std::to_string(i))).string();
  }
  std::unique_ptr<Process> start(Arguments words) const {
    words.insert(words.begin(), HAPAX_BINARY);
    auto process = std::make_unique<Process>(words, Environment{}, folder_);
    process->close_input();
    return process;
  }
  void start_daemon(int i, const Arguments& more = {}) {
    const std::string number = std::to_string(i);
    Arguments words{"node",
                    "--engine",
                    engine_,
                    "--group",
                    "set",
                    "--listen",
                    "unix:" + (folder_ / ("m" + number)).string(),
                    "--clients",
                    place(i),
                    "--name",
                    "db" + number,
                    "--ttl",
                    "3s",
                    "--state",
                    (folder_ / ("s" + number)).string()};
    words.insert(words.end(), more.begin(), more.end());
    daemons_[i] = start(words);
  }
  void start_daemons() {
    for (int i = 1; i <= 3; ++i) start_daemon(i, {"--new-group"});
    ASSERT_TRUE(eventually([&] { return all_in_a_view_of(3); }, 30s)) << daemons_[1]->err();
  }
  int run(Arguments words, std::string* out = nullptr, int daemon = 1) const {
    words.insert(words.end(), {"--address", place(daemon)});
    const auto process = start(words);
    const int status = process->wait(60s);
    if (out != nullptr) *out = process->out() + process->err();
    return status;
  }
  settings_json::object settings(int i) const {
    std::string out;
    if (run({"settings", "--json"}, &out, i) != 0) return {};
    return settings_json::parse(out).as_object();
  }
  bool all_in_a_view_of(std::size_t size) const {
    for (const auto& [i, daemon] : daemons_) {
      std::string out;
      if (run({"status", "--json"}, &out, i) != 0) return false;
      if (settings_json::parse(out).at("size").to_number<std::size_t>() != size) return false;
    }
    return true;
  }

  // Each lock is held through one daemon and waited for through the two others.
  void take_locks() {
    for (int lock = 0; lock < kLocks; ++lock) {
      for (int turn = 0; turn < 3; ++turn) {
        const int daemon = (lock + turn) % 3 + 1;
        const std::string name = "lock-" + std::to_string(lock);
        jobs_.push_back({lock, daemon,
                         start({"run", "--address", place(daemon), name, "--", "sh", "-c",
                                "echo $HAPAX_FENCE $$; exec sleep 120"})});
        if (turn == 0) {
          ASSERT_TRUE(eventually([&] { return is_inside(jobs_.back()); }, 20s));
        }
      }
    }
  }
  struct Job {
    int lock, daemon;
    std::unique_ptr<Process> process;
  };
  // What a job has said: its fence, and which process it is.
  struct Word {
    std::uint64_t epoch = 0, turn = 0;
    pid_t pid = 0;
  };
  static Word word_of(const Job& job) {
    Word word;
    char dot = 0;
    std::istringstream{job.process->out()} >> word.epoch >> dot >> word.turn >> word.pid;
    return word;
  }
  // The command itself: `hapax run` may take its time to end when its command is gone.
  static bool is_inside(const Job& job) {
    const pid_t pid = word_of(job).pid;
    return pid != 0 && !is_gone(pid);
  }
  std::vector<const Job*> inside(int lock) const {
    std::vector<const Job*> all;
    for (const Job& job : jobs_) {
      if (job.lock == lock && is_inside(job)) all.push_back(&job);
    }
    return all;
  }
  std::string words_about(int lock) const {
    std::string words = "lock " + std::to_string(lock);
    for (const Job& job : jobs_) {
      if (job.lock == lock) words += "\n" + job.process->out() + job.process->err();
    }
    return words + "\n" + daemons_.at(1)->err();
  }
  void expect_one_inside_each() const {
    for (int lock = 0; lock < kLocks; ++lock) EXPECT_EQ(inside(lock).size(), 1u) << lock;
  }
  void expect_at_most_one_inside_each() const {
    for (int lock = 0; lock < kLocks; ++lock) EXPECT_LE(inside(lock).size(), 1u) << lock;
  }
  // What clients are told to rely on.
  std::int64_t lease_ms(int i) const {
    std::string out;
    if (run({"status", "--json"}, &out, i) != 0) return 0;
    return settings_json::parse(out).at("view").at("lease_ms").as_int64();
  }
  static std::pair<std::uint64_t, std::uint64_t> fence_of(const Job& job) {
    const Word word = word_of(job);
    return {word.epoch, word.turn};
  }
  // Ends each that is inside, until nobody waits: fences grow from one to the next.
  void let_all_pass(std::size_t left) {
    for (int lock = 0; lock < kLocks; ++lock) {
      std::pair<std::uint64_t, std::uint64_t> last{};
      for (std::size_t turn = 0; turn < left; ++turn) {
        ASSERT_TRUE(eventually([&] { return inside(lock).size() == 1; }, 30s)) << words_about(lock);
        const Job& job = *inside(lock).front();
        EXPECT_GT(fence_of(job), last) << lock;
        last = fence_of(job);
        job.process->signal(SIGTERM);
        job.process->wait();
      }
    }
  }

  Folder folder_;
  std::string engine_ = "embedded:" + (folder_ / "group.db").string();
  std::map<int, std::unique_ptr<Process>> daemons_;
  std::vector<Job> jobs_;
};

TEST_F(RunningGroup, TakesOtherAlgorithmsWhileLocksAreHeldAndWaitedFor) {
  start_daemons();
  take_locks();
  std::string out;
  EXPECT_EQ(run({"settings", "set", "--default-algorithm", "maekawa"}, &out), 0) << out;
  EXPECT_THAT(out, HasSubstr("all locks: maekawa"));
  EXPECT_EQ(run({"status"}, &out, 3), 0);
  EXPECT_THAT(out, HasSubstr("settings: TTL 3000 ms, 0 rules, others by maekawa, as set by"));
  expect_one_inside_each();
  EXPECT_EQ(run({"settings", "set", "--algorithm", "lock-1*=raymond"}, &out, 2), 0) << out;
  expect_one_inside_each();
  // One sleeps: the view waits for it, and says so. It is given up on, and the others go on.
  daemons_[3]->signal(SIGSTOP);
  EXPECT_EQ(run({"settings", "set", "--default-algorithm", "token-ring", "--wait", "200ms"}, &out),
            75)
      << out;
  EXPECT_THAT(out, HasSubstr("waits for db3"));
  EXPECT_TRUE(eventually([&] { return settings(1).at("default_algorithm") == "token-ring"; }, 20s));
  daemons_[3]->signal(SIGCONT);
  ASSERT_TRUE(eventually([&] { return all_in_a_view_of(3); }, 30s)) << daemons_[3]->err();
  EXPECT_EQ(settings(3).at("default_algorithm"), "token-ring");
  // One dies, and comes back with the flags that it had.
  daemons_[2]->signal(SIGKILL);
  daemons_[2]->wait();
  EXPECT_EQ(run({"settings", "set", "--default-algorithm", "lamport"}, &out), 0) << out;
  start_daemon(2);
  ASSERT_TRUE(eventually([&] { return all_in_a_view_of(3); }, 30s)) << daemons_[2]->err();
  EXPECT_EQ(settings(2).at("default_algorithm"), "lamport");
  EXPECT_THAT(daemons_[2]->err(), HasSubstr("which does not count"));
  std::erase_if(jobs_, [](const Job& job) { return job.daemon != 1; });  // The others were lost.
  let_all_pass(1);
  EXPECT_EQ(run({"settings", "set", "--ttl", "400ms"}, &out), 64);
  // Nothing of what makes no sense is changed.
  EXPECT_EQ(run({"settings", "set", "--default-algorithm", "best"}, &out), 64);
  EXPECT_THAT(out, HasSubstr("There is no algorithm \"best\""));
  EXPECT_EQ(run({"settings", "set"}, &out), 64);
  EXPECT_EQ(settings(1).at("default_algorithm"), "lamport");
}

// Shorter, with one asleep; longer, with one dead.
TEST_F(RunningGroup, TakesAnotherTtlWhileLocksAreHeldAndWaitedFor) {
  start_daemons();
  take_locks();
  std::string out;
  EXPECT_EQ(run({"settings", "set", "--ttl", "8s"}, &out), 0) << out;
  EXPECT_THAT(out, HasSubstr("TTL: 8000 ms"));
  ASSERT_TRUE(eventually([&] { return lease_ms(1) > 4'000 && lease_ms(3) > 4'000; }, 20s));
  expect_one_inside_each();
  EXPECT_EQ(run({"settings", "set", "--ttl", "3s"}, &out, 2), 0) << out;
  ASSERT_TRUE(eventually([&] { return lease_ms(1) < 3'000 && lease_ms(3) < 3'000; }, 30s));
  expect_one_inside_each();
  daemons_[3]->signal(SIGSTOP);
  EXPECT_EQ(run({"settings", "set", "--ttl", "2500ms", "--default-algorithm", "raymond"}, &out), 0)
      << out << "it is given up on while we wait";
  expect_at_most_one_inside_each();
  daemons_[3]->signal(SIGCONT);
  ASSERT_TRUE(eventually([&] { return all_in_a_view_of(3); }, 30s)) << daemons_[3]->err();
  daemons_[2]->signal(SIGKILL);
  daemons_[2]->wait();
  EXPECT_EQ(run({"settings", "set", "--ttl", "4s"}, &out), 0) << out;
  start_daemon(2);
  ASSERT_TRUE(eventually([&] { return all_in_a_view_of(3); }, 30s)) << daemons_[2]->err();
  EXPECT_EQ(settings(2).at("ttl_ms").as_int64(), 4'000);
  EXPECT_THAT(daemons_[2]->err(), HasSubstr("TTL 4000 ms"));
  std::erase_if(jobs_, [](const Job& job) { return job.daemon != 1; });  // The others were lost.
  let_all_pass(1);
}

TEST_F(RunningGroup, OnEtcdTakesOtherSettings) {
  if (!EtcdServer::is_here(folder_)) GTEST_SKIP() << "no etcd to test against";
  EtcdServer etcd{folder_};
  ASSERT_TRUE(etcd.start("data"));
  engine_ = etcd.url();
  start_daemons();
  take_locks();
  std::string out;
  EXPECT_EQ(run({"settings", "set", "--ttl", "8s", "--default-algorithm", "naimi-trehel",
                 "--algorithm", "lock-1*=maekawa"},
                &out),
            0)
      << out;
  ASSERT_TRUE(eventually([&] { return lease_ms(2) > 4'000; }, 20s));
  expect_one_inside_each();
  EXPECT_EQ(run({"settings", "set", "--ttl", "2500ms"}, &out, 3), 0) << out;
  daemons_[3]->signal(SIGKILL);
  daemons_[3]->wait();
  start_daemon(3);
  ASSERT_TRUE(eventually([&] { return all_in_a_view_of(3); }, 30s)) << daemons_[3]->err();
  EXPECT_EQ(settings(3).at("ttl_ms").as_int64(), 2'500);
  std::erase_if(jobs_, [](const Job& job) { return job.daemon == 3; });  // Lost with their daemon.
  expect_at_most_one_inside_each();
  let_all_pass(2);
}

// What is left of a group when its engine has lost everything, and all members are dead.
class BackedUp : public RunningGroup {
 protected:
  std::string fence() const {
    const auto job =
        start({"run", "--address", place(1), "one", "--", "sh", "-c", "echo $HAPAX_FENCE"});
    EXPECT_EQ(job->wait(30s), 0) << job->err();
    return job->out();
  }
  void lose_all(const std::function<void()>& wipe) {
    start_daemons();
    std::string out;
    EXPECT_EQ(run({"settings", "set", "--default-algorithm", "raymond", "--ttl", "4s"}, &out), 0)
        << out;
    EXPECT_EQ(run({"evict", "db3", "--ban", "--yes"}, &out), 0) << out;
    const std::string before = fence();
    const std::string file = folder_ / "backup.json";
    ASSERT_EQ(run({"backup", file}, &out), 0) << out;
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_THAT(contents_of(file), HasSubstr("\"release\""));
    for (auto& [i, daemon] : daemons_) {
      daemon->signal(SIGKILL);
      daemon->wait();
      fs::remove(folder_ / ("s" + std::to_string(i)));
    }
    daemons_.clear();
    wipe();

    start_daemon(1, {"--restore", file});
    ASSERT_TRUE(eventually([&] { return all_in_a_view_of(1); }, 40s)) << daemons_[1]->err();
    EXPECT_EQ(settings(1).at("default_algorithm"), "raymond");
    EXPECT_EQ(settings(1).at("ttl_ms").as_int64(), 4'000);
    EXPECT_EQ(run({"members"}, &out), 0);
    EXPECT_THAT(out, HasSubstr("banned: db3"));
    EXPECT_GT(std::stoull(fence()), std::stoull(before));
    start_daemon(2, {"--restore", file});
    EXPECT_NE(daemons_[2]->wait(30s), 0);
    EXPECT_THAT(daemons_[2]->err(), HasSubstr("start this member without --restore"));
    start_daemon(2);
    ASSERT_TRUE(eventually([&] { return all_in_a_view_of(2); }, 40s)) << daemons_[2]->err();
    EXPECT_EQ(settings(2).at("default_algorithm"), "raymond");
  }
};

TEST_F(BackedUp, GroupsAreRestoredOnAnEmbeddedEngine) {
  lose_all([&] {
    for (const char* name : {"group.db", "group.db-wal", "group.db-shm"})
      fs::remove(folder_ / name);
  });
}

TEST_F(BackedUp, GroupsAreRestoredOnEtcd) {
  if (!EtcdServer::is_here(folder_)) GTEST_SKIP() << "no etcd to test against";
  EtcdServer etcd{folder_};
  ASSERT_TRUE(etcd.start("data"));
  engine_ = etcd.url();
  lose_all([&] {
    etcd.kill();
    ASSERT_TRUE(etcd.start("other-data", "another"));
  });
}

}  // namespace
}  // namespace hapax::testing
