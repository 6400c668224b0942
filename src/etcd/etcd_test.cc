// The etcd engine against real etcd servers: one for the suite, three to lose one of.
#include "etcd/etcd.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/folder.h"
#include "engine/testing/conformance.h"
#include "engine/testing/leader_killed.h"
#include "engine/testing/process.h"
#include "etcd/testing/cluster.h"
#include "etcd/testing/tls_files.h"

namespace hapax::engine::testing {
namespace {

using std::chrono::milliseconds;

std::unique_ptr<Engine> engine_of(const Cluster& cluster, Loop& io, const Options& options) {
  auto engine = open_etcd(io, cluster.url(), options);
  if (!engine) ADD_FAILURE() << engine.error().message;
  return engine ? std::move(*engine) : nullptr;
}

Options options_for(const std::string& group) {
  Options options;
  options.group = group;
  options.timeout = milliseconds{10'000};  // Others may keep this machine busy.
  return options;
}

// The suite's server; started by the first test that needs it.
Cluster& one() {
  static Cluster cluster{1};
  return cluster;
}

class EtcdBackend : public Backend {
 public:
  std::unique_ptr<Engine> open(Loop& io, const std::string& group) override {
    return engine_of(one(), io, options_for(group));
  }
  void forget(Bench& bench, Engine& engine) override {
    const Revision now = bench.read(engine).revision;
    EXPECT_THAT(one().ctl(0, fmt::format("compact {}", now)), ::testing::HasSubstr("compacted"));
  }
};

INSTANTIATE_TEST_SUITE_P(Etcd, Conformance,
                         ::testing::Values(BackendMaker{
                             "etcd", [] { return std::make_unique<EtcdBackend>(); }}));

TEST(EtcdEngine, NobodyThereIsAnErrorInTime) {
  Bench bench;
  Options options;
  options.timeout = milliseconds{200};
  auto engine = open_etcd(bench.io(), Url{Kind::etcd, {{"127.0.0.1", free_port()}}, ""}, options);
  ASSERT_TRUE(engine.has_value());
  const auto snapshot = bench.try_read(**engine);
  ASSERT_FALSE(snapshot.has_value());
  EXPECT_THAT(snapshot.error().message, ::testing::StartsWith("etcd: "));
  EXPECT_EQ(bench.commit(**engine, {}, {{"a", "1"}}).outcome, Outcome::unknown);
  EXPECT_FALSE((*engine)->health().reachable);
}

TEST(EtcdEngine, AServerThatStopsInTheMiddleMakesItUnknown) {
  Bench bench;
  Options options = options_for("stopped");
  options.timeout = milliseconds{400};
  bench.put(*engine_of(one(), bench.io(), options_for("stopped")), {{"a", "0"}});
  auto engine = engine_of(one(), bench.io(), options);
  ASSERT_TRUE(bench.until([&] { return bench.try_read(*engine).has_value(); }));
  one().signal(0, SIGSTOP);
  EXPECT_EQ(bench.commit(*engine, {{"a", kExists}}, {{"a", "2"}}).outcome, Outcome::unknown);
  EXPECT_FALSE(bench.try_read(*engine).has_value());
  EXPECT_FALSE(engine->health().reachable);
  one().signal(0, SIGCONT);
  ASSERT_TRUE(bench.until([&] { return bench.try_read(*engine).has_value(); }));
  EXPECT_TRUE(engine->health().reachable);
}

TEST(EtcdEngine, AWatchGoesOnAfterARestart) {
  Bench bench;
  Cluster cluster{1};
  auto engine = engine_of(cluster, bench.io(), options_for("restart"));
  const Revision start = bench.put(*engine, {{"a", "0"}});
  Told told;
  const auto watch = engine->watch("", start, told.handler());
  bench.put(*engine, {{"a", "1"}});
  ASSERT_TRUE(bench.until([&] { return told.size() == 1; }));
  cluster.kill(0);
  bench.run_for(milliseconds{100});
  cluster.start(0);
  ASSERT_TRUE(bench.until([&] {
    return bench.commit(*engine, {}, {{"a", "2"}}).outcome == Outcome::committed;
  }));
  ASSERT_TRUE(bench.until([&] { return told.size() >= 2 || told.resync; }));
  EXPECT_EQ(told.commits.back().writes, (std::vector<Write>{{"a", "2"}}));
}

TEST(EtcdEngine, SurvivesItsLeader) {
  Bench bench;
  Cluster cluster{3};
  std::size_t leader = 3;
  ASSERT_TRUE(bench.until([&] { return (leader = cluster.leader()) < 3; }));
  Options options = options_for("leader");
  options.timeout = milliseconds{2'000};
  expect_to_survive(
      bench, [&] { return engine_of(cluster, bench.io(), options); },
      [&] {
        leader = cluster.leader();
        ASSERT_LT(leader, 3u);
        cluster.kill(leader);
      },
      [&] { cluster.start(leader); });
}

TEST(EtcdEngine, ShowsItsNameAndPassword) {
  Bench bench;
  Cluster cluster{1};
  Options options = options_for("auth");
  bench.put(*engine_of(cluster, bench.io(), options), {{"a", "0"}});
  cluster.ctl(0, "user add root:secret");
  cluster.ctl(0, "user grant-role root root");
  ASSERT_THAT(cluster.ctl(0, "auth enable"), ::testing::HasSubstr("Enabled"));
  options.timeout = milliseconds{1'000};
  EXPECT_FALSE(bench.try_read(*engine_of(cluster, bench.io(), options)).has_value());
  options.user = "root";
  options.password = "wrong";
  const auto refused = bench.try_read(*engine_of(cluster, bench.io(), options));
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("authentication failed"));
  options.password = "secret";
  auto engine = engine_of(cluster, bench.io(), options);
  const Revision start = bench.put(*engine, {{"a", "1"}});
  Told told;
  const auto watch = engine->watch("", start, told.handler());
  bench.put(*engine, {{"a", "2"}});
  EXPECT_TRUE(bench.until([&] { return told.size() == 1; }));
}

// A signed token is good for one revision of the auth store.
TEST(EtcdEngine, GoesOnWhenUsersChange) {
  hapax::testing::Folder keys;
  ASSERT_TRUE(run({"sh", "-ec",
                   "cd " + keys.path().string() +
                       "; openssl genrsa -out private.pem 2048"
                       "; openssl rsa -in private.pem -pubout -out public.pem"},
                  keys / "log"));
  Cluster cluster{1,
                  {"--auth-token",
                   fmt::format("jwt,pub-key={},priv-key={},sign-method=RS256,ttl=1h",
                               (keys / "public.pem").string(), (keys / "private.pem").string())}};
  Bench bench;
  Options options = options_for("jwt");
  bench.put(*engine_of(cluster, bench.io(), options), {{"a", "0"}});
  cluster.ctl(0, "user add root:secret");
  cluster.ctl(0, "user grant-role root root");
  ASSERT_THAT(cluster.ctl(0, "auth enable"), ::testing::HasSubstr("Enabled"));
  options.user = "root";
  options.password = "secret";
  auto engine = engine_of(cluster, bench.io(), options);
  const Revision start = bench.put(*engine, {{"a", "1"}});
  Told told;
  const auto watch = engine->watch("", start, told.handler());
  ASSERT_THAT(cluster.ctl(0, "--user root:secret role add guests"),
              ::testing::HasSubstr("created"));
  EXPECT_EQ(bench.commit(*engine, {{"a", kExists}}, {{"a", "2"}}).outcome, Outcome::committed)
      << engine->health().said;
  EXPECT_TRUE(bench.until([&] { return told.size() == 1; }));
  ASSERT_THAT(cluster.ctl(0, "--user root:secret user add guest:pass"),
              ::testing::HasSubstr("created"));
  EXPECT_TRUE(bench.try_read(*engine).has_value()) << engine->health().said;
}

TEST(EtcdEngine, SpeaksTlsOnBothSides) {
  const TlsFolder certs;
  ASSERT_TRUE(certs.is_good());
  Cluster cluster{1, certs.server(), "https"};
  Bench bench;
  Options options = options_for("tls");
  options.tls = certs.client();
  auto engine = engine_of(cluster, bench.io(), options);
  ASSERT_TRUE(bench.until([&] { return bench.try_read(*engine).has_value(); }));
  bench.put(*engine, {{"a", "1"}});
  options.timeout = milliseconds{500};
  options.tls = {certs.client().authority, "", ""};
  EXPECT_FALSE(bench.try_read(*engine_of(cluster, bench.io(), options)).has_value());
  options.tls.reset();
  EXPECT_FALSE(bench.try_read(*engine_of(cluster, bench.io(), options)).has_value());
  options.tls = {certs.client().authority + "-none", "", ""};
  EXPECT_FALSE(check_options(cluster.url(), options).has_value());
}

[[maybe_unused]] const auto* const kNeedsEtcd = ::testing::AddGlobalTestEnvironment(new NeedsEtcd);

}  // namespace
}  // namespace hapax::engine::testing
