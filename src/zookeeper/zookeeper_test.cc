// The ZooKeeper engine against real servers: one for the suite, three to lose one of.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/testing/folder.h"
#include "engine/testing/conformance.h"
#include "engine/testing/leader_killed.h"
#include "engine/testing/process.h"
#include "zookeeper/ensemble.h"
#include "zookeeper/layout.h"
#include "zookeeper/testing/ensemble.h"
#include "zookeeper/zookeeper_engine.h"

#ifdef __SANITIZE_THREAD__
// It formats addresses for its log in one buffer for all threads.
extern "C" const char* __tsan_default_suppressions() { return "race:libzookeeper_mt.so"; }
#endif

namespace hapax::engine::testing {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using zookeeper::Head;
using zookeeper::Layout;

class Servers : public Ensemble {
 public:
  using Ensemble::Ensemble;
  std::unique_ptr<Engine> open(Loop& io, const Options& options,
                               const std::string& chroot = "") const {
    auto engine = open_zookeeper(io, url(chroot), options);
    if (!engine) ADD_FAILURE() << engine.error().message;
    return engine ? std::move(*engine) : nullptr;
  }
};

Options options_for(const std::string& group, milliseconds timeout = milliseconds{10'000}) {
  Options options;
  options.group = group;
  options.timeout = timeout;
  return options;
}

// The suite's server; started by the first test that needs it.
Servers& one() {
  static Servers servers{1};
  return servers;
}

class ZooKeeperBackend : public Backend {
 public:
  std::unique_ptr<Engine> open(Loop& io, const std::string& group) override {
    return one().open(io, options_for(group));
  }
  void forget(Bench& bench, Engine& engine) override {
    for (std::uint64_t i = 0; i < zookeeper::Ensemble::kCommitsKept; ++i) {
      bench.put(engine, {{"forget", ""}});
    }
  }
};

INSTANTIATE_TEST_SUITE_P(ZooKeeper, Conformance,
                         ::testing::Values(BackendMaker{
                             "zookeeper", [] { return std::make_unique<ZooKeeperBackend>(); }}));

TEST(ZooKeeperLayout, NamesAnyKey) {
  for (const std::string& key :
       {std::string{"beat/1"}, std::string{"."}, std::string{".."}, std::string{"%41"},
        std::string{"\0\xff", 2}, std::string{"zookeeper"}}) {
    const std::string name = Layout::escaped(key);
    EXPECT_EQ(name.find('/'), std::string::npos);
    EXPECT_EQ(name.find('.'), std::string::npos);
    EXPECT_EQ(Layout::unescaped(name), key);
  }
  for (const char* name : {"%", "%4", "%41", "%2F", "%zz", "%-1", "a/b", "."}) {
    EXPECT_FALSE(Layout::unescaped(name).has_value()) << name;
  }
}

TEST(ZooKeeperLayout, ReadsOnlyWhatItWrites) {
  EXPECT_EQ(Head::parse((Head{7, 3}).text()), (Head{7, 3}));
  EXPECT_EQ(Head::parse(Head{}.text()), Head{});
  for (const char* text : {"", "7", "7 ", " 7", "7 0", "7 9", "-1 1", "7 3 ", "7,3", "x y"}) {
    EXPECT_FALSE(Head::parse(text).has_value()) << text;
  }
  const Commit commit{5, {{"a", "1"}, {"b", std::nullopt}, {"c", ""}}};
  const std::string bytes = zookeeper::encode_commit(commit);
  EXPECT_EQ(zookeeper::decode_commit(5, bytes), commit);
  EXPECT_FALSE(zookeeper::decode_commit(5, bytes + "x").has_value());
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto part = zookeeper::decode_commit(5, bytes.substr(0, size));
    EXPECT_TRUE(!part || part->writes.size() < commit.writes.size()) << size;
  }
  EXPECT_EQ(zookeeper::decode_record("k", zookeeper::encode_record(9, "v")), (Record{"k", "v", 9}));
  EXPECT_FALSE(zookeeper::decode_record("k", "short").has_value());
  EXPECT_FALSE(zookeeper::decode_record("k", zookeeper::encode_record(0, "v")).has_value());
}

// The version that ZooKeeper takes for "any" is never the one that a commit is conditional on.
TEST(ZooKeeperLayout, HeadNeverRestsAtAnyVersion) {
  EXPECT_EQ(zookeeper::set_head("/head", {}, 7).size(), 1u);
  EXPECT_EQ(zookeeper::set_head("/head", {}, 7)[0].version, 7);
  const auto steps = zookeeper::set_head("/head", {}, -2);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].version, -2);
}

TEST(ZooKeeperEngine, NobodyThereIsAnErrorInTime) {
  Bench bench;
  auto engine = open_zookeeper(bench.io(), Url{Kind::zookeeper, {{"127.0.0.1", free_port()}}, ""},
                               options_for("nobody", milliseconds{200}));
  ASSERT_TRUE(engine.has_value());
  const auto snapshot = bench.try_read(**engine);
  ASSERT_FALSE(snapshot.has_value());
  EXPECT_THAT(snapshot.error().message, ::testing::StartsWith("zookeeper: "));
  EXPECT_EQ(bench.commit(**engine, {}, {{"a", "1"}}).outcome, Outcome::unknown);
  EXPECT_FALSE((*engine)->health().reachable);
}

TEST(ZooKeeperEngine, AServerThatStopsInTheMiddleMakesItUnknown) {
  Bench bench;
  bench.put(*one().open(bench.io(), options_for("stopped")), {{"a", "1"}});
  auto engine = one().open(bench.io(), options_for("stopped", milliseconds{400}));
  bench.put(*engine, {{"a", "2"}});
  Told told;
  const auto watch = engine->watch("", bench.read(*engine).revision, told.handler());
  one().signal(0, SIGSTOP);
  EXPECT_EQ(bench.commit(*engine, {{"a", kExists}}, {{"a", "3"}}).outcome, Outcome::unknown);
  EXPECT_FALSE(bench.try_read(*engine).has_value());
  EXPECT_FALSE(engine->health().reachable);
  one().signal(0, SIGCONT);
  ASSERT_TRUE(bench.until([&] { return bench.try_read(*engine).has_value(); }));
  EXPECT_TRUE(engine->health().reachable);
  bench.put(*engine, {{"a", "4"}});
  ASSERT_TRUE(bench.until(
      [&] { return !told.commits.empty() && told.commits.back().writes[0].value == "4"; }));
}

TEST(ZooKeeperEngine, ShowsItsNameAndPasswordAndMakesItsChroot) {
  Bench bench;
  Options options = options_for("auth");
  options.user = "hapax";
  options.password = "secret";
  auto engine = one().open(bench.io(), options, "/some/where");
  bench.put(*engine, {{"a", "1"}});
  EXPECT_EQ(bench.read(*engine).records.size(), 1u);
  options.password = "wrong";
  const auto refused = bench.try_read(*one().open(bench.io(), options, "/some/where"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("not authenticated"));
  EXPECT_TRUE(bench.read(*one().open(bench.io(), options, "/elsewhere")).records.empty());
}

TEST(ZooKeeperEngine, SurvivesItsLeader) {
  Bench bench;
  Servers servers{3};
  ASSERT_TRUE(bench.until([&] { return servers.all_serve(); }));
  std::size_t leader = 3;
  expect_to_survive(
      bench, [&] { return servers.open(bench.io(), options_for("leader", milliseconds{5'000})); },
      [&] {
        leader = servers.leader();
        ASSERT_LT(leader, 3u);
        servers.kill(leader);
      },
      [&] { servers.start(leader); });
}

// ZooKeeper's client would wait for four seconds, and most of a lease of five would be gone.
TEST(ZooKeeperEngine, CommitsInTimeAlthoughItsServerIsSilent) {
  Bench bench;
  Servers servers{3};
  ASSERT_TRUE(bench.until([&] { return servers.all_serve(); }));
  const std::size_t follower = servers.leader() == 0 ? 1 : 0;
  bench.put(*servers.open(bench.io(), options_for("silent")), {{"a", "0"}});
  std::vector<std::unique_ptr<Engine>> engines;
  constexpr milliseconds kTimeout{3'000};  // Enough for servers on a machine that is busy.
  // Until some are connected to that server; who asks it is one of them.
  ASSERT_TRUE(bench.until([&] {
    engines.push_back(servers.open(bench.io(), options_for("silent", kTimeout)));
    return bench.until([&] { return bench.try_read(*engines.back()).has_value(); }) &&
           servers.connections(follower) > 2;
  }));
  servers.signal(follower, SIGSTOP);
  for (const auto& engine : engines) {
    EXPECT_EQ(bench.commit(*engine, {{"a", kExists}}, {{"a", "1"}}).outcome, Outcome::committed)
        << engine->health().said;
  }
  servers.signal(follower, SIGCONT);
}

[[maybe_unused]] const auto* const kNeedsZooKeeper =
    ::testing::AddGlobalTestEnvironment(new NeedsZooKeeper);

}  // namespace
}  // namespace hapax::engine::testing
