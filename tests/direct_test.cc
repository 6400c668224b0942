// Commands on an engine itself, with no daemon of ours, as people use them.
#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <signal.h>
#include <string>

#include "etcd_testing.h"
#include "run_testing.h"
#include "zookeeper/testing/ensemble.h"

namespace hapax::testing {
namespace {

using ::testing::HasSubstr;

class OnEngine : public Run {
 protected:
  // `hapax file` and `hapax fence` as people use them.
  void expect_files();
};

void OnEngine::expect_files() {
  const auto put = [&](const std::string& text, const Arguments& more) {
    Arguments words{"file"};
    words.insert(words.end(), more.begin(), more.end());
    const auto process = start(words);
    process->say(text);
    process->close_input();
    const int status = process->wait(20s);
    return Finished{status, process->out(), process->err()};
  };
  const auto first = put("one", {"put", "config/db"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(hapax({"file", "get", "config/db"}).out, "one");
  const auto watch = start({"file", "watch", "config"});
  ASSERT_TRUE(eventually([&] { return watch->out().find("begun") != std::string::npos; }, 20s))
      << watch->err();
  const std::string version = first.out.substr(0, first.out.size() - 1);
  const auto second = put("two", {"cas", "config/db", "--version", version});
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(put("three", {"cas", "config/db", "--version", version}).status, 1);
  EXPECT_TRUE(eventually(
      [&] { return watch->out().find("file-changed config/db version") != std::string::npos; },
      20s))
      << watch->out();
  EXPECT_THAT(hapax({"file", "ls"}).out, HasSubstr("config/db"));
  EXPECT_EQ(hapax({"file", "get", "config/db", "--engine-group", "other"}).status, 1);
  const auto job = hapax({"run", "config/db", "--", "sh", "-c",
                          "$0 fence check config/db $HAPAX_FENCE && "
                          "printf four | $0 file put config/db --fence $HAPAX_FENCE",
                          HAPAX_BINARY});
  EXPECT_EQ(job.status, 0) << job.err;
  EXPECT_EQ(hapax({"file", "get", "config/db"}).out, "four");
  EXPECT_EQ(hapax({"file", "rm", "config/db"}).status, 0);
  EXPECT_EQ(hapax({"file", "get", "config/db"}).status, 1);
}

class Direct : public OnEngine {
 protected:
  void SetUp() override {
    if (!EtcdServer::is_here(folder_)) GTEST_SKIP() << "no etcd to test against";
    ASSERT_TRUE(etcd_.start("data"));
    environment_ = {{"HAPAX_ADDRESS", etcd_.url()}, {"HAPAX_ENGINE_TTL", "2s"}};
  }
  EtcdServer etcd_{folder_};
};

TEST_F(Direct, RunHasTheCommandsStatusAndItsFenceAndConflictsLikeFlock) {
  const auto done = hapax({"run", "backup", "--", "sh", "-c", "echo $HAPAX_FENCE; exit 7"});
  EXPECT_EQ(done.status, 7) << done.err;
  EXPECT_THAT(done.out, ::testing::MatchesRegex("1\\.[0-9]+\n"));
  const auto job = start({"run", "backup", "--", "sleep", "60"});
  const Arguments who{"who", "backup", "--json"};
  const auto holders = [&] { return object_of(who).at("locks").as_array(); };
  ASSERT_TRUE(eventually([&] { return !holders().empty(); }, 20s)) << job->err();
  EXPECT_EQ(holders()[0].at("holder").at("pid").as_int64(), job->pid());
  EXPECT_EQ(hapax({"run", "-n", "backup", "--", "true"}).status, 1);
  EXPECT_EQ(hapax({"run", "-w", "0.2", "-E", "99", "backup", "--", "true"}).status, 99);
  EXPECT_EQ(hapax({"try", "backup"}).out, "backup is taken\n");
  job->signal(SIGTERM);
  EXPECT_EQ(job->wait(), 128 + SIGTERM);
  EXPECT_THAT(hapax({"try", "backup"}).out, HasSubstr("was free"));
}

// Another program's client says neither who it is nor since when: nor is that made up.
TEST_F(Direct, WhoIsNotOursIsShownWithWhatIsKnown) {
  const Process other{{"etcdctl", "lock", "backup", "sleep", "60"},
                      {{"ETCDCTL_API", "3"}, {"ETCDCTL_ENDPOINTS", etcd_.url().substr(7)}},
                      folder_};
  const Arguments who{"who", "backup", "--json"};
  const auto locks = [&] { return object_of(who).at("locks").as_array(); };
  ASSERT_TRUE(eventually([&] { return !locks().empty(); }, 20s)) << other.err();
  const auto holder = locks().at(0).at("holder");
  EXPECT_TRUE(holder.at("pid").is_null());
  EXPECT_TRUE(holder.at("since_ms").is_null());
  EXPECT_EQ(hapax({"who", "backup"}).out.find(" ms "), std::string::npos);
}

TEST_F(Direct, AWaitThatIsInterruptedStandsInNobodysWay) {
  const auto job = start({"run", "backup", "--", "sleep", "60"});
  const auto waits = [&] {
    const auto locks = object_of({"who", "backup", "--json"}).at("locks").as_array();
    return locks.empty() ? -1 : static_cast<int>(locks[0].at("waiters").as_array().size());
  };
  ASSERT_TRUE(eventually([&] { return waits() == 0; }, 20s));
  const auto waiting = start({"run", "backup", "--", "true"});
  ASSERT_TRUE(eventually([&] { return waits() == 1; }, 20s)) << waiting->err();
  waiting->signal(SIGINT);
  EXPECT_EQ(waiting->wait(), 128 + SIGINT);
  EXPECT_EQ(waits(), 0);
  job->signal(SIGTERM);
  EXPECT_EQ(job->wait(), 128 + SIGTERM);
}

TEST_F(Direct, TheCommandIsEndedBeforeItsSessionIs) {
  const auto job = start({"run", "backup", "--", "sleep", "60"});
  ASSERT_TRUE(eventually(
      [&] {
        return !object_of({"who", "backup", "--json"}).at("locks").as_array().empty();
      },
      20s));
  etcd_.pause();
  EXPECT_EQ(job->wait(), 75);
  EXPECT_THAT(job->err(), HasSubstr("has not renewed the session in time"));
  etcd_.go_on();
}

TEST_F(Direct, OneLeadsAndIsSeen) {
  const auto leader = start({"elect", "scheduler", "--value", "host-7"});
  ASSERT_TRUE(eventually([&] { return leader->out().find("leads") != std::string::npos; }, 20s))
      << leader->err();
  const auto observer = start({"elect", "scheduler", "--observe"});
  EXPECT_TRUE(eventually(
      [&] { return observer->out().find("is led by host-7") != std::string::npos; }, 20s));
  leader->signal(SIGTERM);
  EXPECT_EQ(leader->wait(), 0);
  EXPECT_TRUE(eventually([&] { return observer->out().find("VACANT") != std::string::npos; }, 20s));
}

TEST_F(Direct, KeepsFiles) { expect_files(); }

TEST_F(Direct, WhatOnlyAGroupHasIsRefused) {
  for (const char* command : {"status", "members", "settings", "stats"}) {
    const auto refused = hapax({command});
    EXPECT_EQ(refused.status, 64) << command;
    EXPECT_THAT(refused.err, HasSubstr("ask a daemon")) << command;
  }
  EXPECT_EQ(hapax({"run", "-s", "backup", "--", "true"}).status, 64);
  EXPECT_EQ(hapax({"run", "--engine-ttl", "1", "backup", "--", "true"}).status, 64);
  const auto nobody = hapax({"run", "--address", "etcd://127.0.0.1:1", "backup", "--", "true"});
  EXPECT_EQ(nobody.status, 69);
  EXPECT_THAT(nobody.err, HasSubstr("none of its servers has answered"));
  const auto no_file = hapax({"file", "get", "--address", "etcd://127.0.0.1:1", "config/db"});
  EXPECT_EQ(no_file.status, 69);
  EXPECT_THAT(no_file.err, HasSubstr("none of its servers has answered"));
}

class DirectZooKeeper : public OnEngine {
 protected:
  void SetUp() override {
#ifdef HAPAX_HAS_ZOOKEEPER
    if (!std::filesystem::exists(engine::testing::kJar)) GTEST_SKIP() << "no ZooKeeper";
    zookeeper_.emplace(1);
    environment_ = {{"HAPAX_ADDRESS", zookeeper_->url().text()},
                    {"HAPAX_ENGINE_TTL", "4s"},
                    { "HAPAX_ENGINE_UNITS",
                      "pool/*=2" }};
    // It takes Java a while.
    ASSERT_TRUE(eventually([&] { return hapax({"try", "warm-up"}).status == 0; }, 60s));
#else
    GTEST_SKIP() << "this build does not speak to ZooKeeper";
#endif
  }
  std::optional<engine::testing::Ensemble> zookeeper_;
};

TEST_F(DirectZooKeeper, KeepsFiles) { expect_files(); }

TEST_F(DirectZooKeeper, RunsAsManyAsThereAreUnits) {
  const auto one = start({"run", "pool/x", "--", "sleep", "60"});
  const auto other = start({"run", "pool/x", "--", "sleep", "60"});
  const auto inside = [&] {
    const auto locks = object_of({"who", "pool/x", "--json"}).at("locks").as_array();
    return locks.empty() ? 0 : static_cast<int>(locks[0].at("sharers").as_array().size());
  };
  ASSERT_TRUE(eventually([&] { return inside() == 2; }, 20s)) << one->err() << other->err();
  EXPECT_EQ(hapax({"run", "-n", "pool/x", "--", "true"}).status, 1);
  one->signal(SIGTERM);
  EXPECT_EQ(one->wait(), 128 + SIGTERM);
  EXPECT_EQ(hapax({"run", "-w", "10", "pool/x", "--", "true"}).status, 0);
  EXPECT_EQ(hapax({"run", "--engine-units", "pool", "pool/x", "--", "true"}).status, 64);
  other->signal(SIGTERM);
  EXPECT_EQ(other->wait(), 128 + SIGTERM);
}

}  // namespace
}  // namespace hapax::testing
