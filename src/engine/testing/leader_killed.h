// What every replicated engine must survive: its leader is killed in the middle of commits.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/testing/bench.h"
#include "engine/testing/counter.h"

namespace hapax::engine::testing {

// Clients count up, one watches. Then `kill_leader`; they must get on again, and after `restore`
// too. At the end: nothing acknowledged is lost, nothing unknown counts twice, and the watch has
// seen each number once, in order.
inline void expect_to_survive(Bench& bench, const std::function<std::unique_ptr<Engine>()>& open,
                              const std::function<void()>& kill_leader,
                              const std::function<void()>& restore) {
  constexpr std::uint64_t kEndless = 1'000'000'000;
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<std::unique_ptr<Counter>> counters;
  auto watcher = open();
  Told told;
  const auto watch = watcher->watch("counter", bench.read(*watcher).revision, told.handler());
  for (int i = 0; i < 4; ++i) {
    engines.push_back(open());
    counters.push_back(std::make_unique<Counter>(bench.io(), *engines.back(), kEndless));
    counters.back()->start();
  }
  const auto all_got_on = [&](std::uint64_t by) {
    std::vector<std::uint64_t> goals;
    for (const auto& counter : counters) goals.push_back(counter->committed + by);
    return bench.until([&] {
      for (std::size_t i = 0; i < counters.size(); ++i) {
        if (counters[i]->committed < goals[i]) return false;
      }
      return true;
    });
  };
  ASSERT_TRUE(all_got_on(5));
  kill_leader();
  ASSERT_TRUE(all_got_on(5)) << engines[0]->health().said;
  restore();
  ASSERT_TRUE(all_got_on(5)) << engines[0]->health().said;
  for (const auto& counter : counters) counter->stop();
  ASSERT_TRUE(bench.until([&] {
    return std::all_of(counters.begin(), counters.end(), [](auto& c) { return c->done(); });
  }));
  std::uint64_t committed = 0;
  std::uint64_t unknown = 0;
  for (const auto& counter : counters) {
    committed += counter->committed;
    unknown += counter->unknown;
    EXPECT_FALSE(counter->went_back);
  }
  bench.put(*engines[0], {{"counter of its own", "end"}});  // The watch has told the rest by then.
  const std::uint64_t value = Counter::value_in(bench.read(*engines[0]));
  EXPECT_GE(value, committed);
  EXPECT_LE(value, committed + unknown);
  ASSERT_TRUE(bench.until([&] { return told.size() > value || told.resync; }));
  ASSERT_FALSE(told.resync);
  for (std::uint64_t i = 0; i < value; ++i) {
    ASSERT_EQ(told.commits[i].writes, (std::vector<Write>{{"counter", std::to_string(i + 1)}}));
  }
  std::printf("%llu committed, %llu unknown, counted to %llu\n",
              static_cast<unsigned long long>(committed), static_cast<unsigned long long>(unknown),
              static_cast<unsigned long long>(value));
}

}  // namespace hapax::engine::testing
