#include "engine/fake.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "engine/testing/bench.h"
#include "engine/testing/counter.h"

namespace hapax::engine {
namespace {

using testing::Bench;
using testing::Committed;
using testing::Counter;
using testing::Told;

TEST(FakeEngine, LosesWhatItIsTold) {
  Bench bench;
  FakeServer server;
  auto engine = open_fake(bench.io(), server);
  Fate fate = Fate::request_lost;
  server.fate = [&] { return fate; };
  EXPECT_EQ(bench.commit(*engine, {}, {{"a", "1"}}).outcome, Outcome::unknown);
  EXPECT_EQ(server.store.version_of("a"), kAbsent);
  fate = Fate::answer_lost;
  EXPECT_EQ(bench.commit(*engine, {}, {{"a", "1"}}).outcome, Outcome::unknown);
  EXPECT_EQ(server.store.version_of("a"), 1u);
}

TEST(FakeEngine, IsUnreachableWhileDown) {
  Bench bench;
  FakeServer server;
  auto engine = open_fake(bench.io(), server);
  Told told;
  const auto watch = engine->watch("", 0, told.handler());
  server.up = false;
  EXPECT_FALSE(bench.try_read(*engine).has_value());
  EXPECT_EQ(bench.commit(*engine, {}, {{"a", "1"}}).outcome, Outcome::unknown);
  EXPECT_FALSE(engine->health().reachable);
  server.up = true;
  bench.put(*engine, {{"a", "1"}});
  EXPECT_TRUE(engine->health().reachable);
  EXPECT_TRUE(bench.until([&] { return told.size() == 1; }));
}

// The suite's own judge: with every third answer lost, a count is off by the unknown ones at most.
TEST(FakeEngine, UnknownCountsOnceOrNotAtAll) {
  Bench bench;
  FakeServer server;
  int commits = 0;
  server.fate = [&] {
    ++commits;
    return commits % 3 == 0   ? Fate::answer_lost
           : commits % 5 == 0 ? Fate::request_lost
                              : Fate::answered;
  };
  auto one = open_fake(bench.io(), server);
  Counter counter{bench.io(), *one, 30};
  counter.start();
  bench.until([&] { return counter.done(); });
  EXPECT_EQ(counter.committed, 30u);
  EXPECT_GT(counter.unknown, 5u);
  const auto value = Counter::value_in(bench.read(*one));
  EXPECT_GT(value, counter.committed);
  EXPECT_LT(value, counter.committed + counter.unknown);
}

}  // namespace
}  // namespace hapax::engine
