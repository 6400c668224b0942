// Engines called as if they answered at once: each call runs the loop until the answer is there.
#pragma once

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "loop/loop.h"

namespace hapax::engine::testing {

struct Committed {
  Outcome outcome = Outcome::unknown;
  Revision revision = 0;
};

class Bench {
 public:
  Loop& io() { return io_; }

  // False, with a failed test, if it does not come about within half a minute.
  bool until(const std::function<bool()>& done) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (!done()) {
      if (std::chrono::steady_clock::now() > limit) {
        ADD_FAILURE() << "nothing came for half a minute";
        return false;
      }
      io_.restart();
      if (io_.run_one_for(std::chrono::milliseconds{20}) == 0) io_.restart();
    }
    return true;
  }
  void run_for(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      io_.restart();
      io_.run_one_until(end);
    }
  }

  Result<Snapshot> try_read(Engine& engine, std::vector<std::string> prefixes = {""}) {
    std::optional<Result<Snapshot>> result;
    engine.read(std::move(prefixes), [&](Result<Snapshot> r) { result = std::move(r); });
    EXPECT_FALSE(result.has_value()) << "answered from inside the call";
    if (!until([&] { return result.has_value(); })) return error("no answer");
    return std::move(*result);
  }
  Snapshot read(Engine& engine, std::vector<std::string> prefixes = {""}) {
    auto result = try_read(engine, std::move(prefixes));
    if (!result) ADD_FAILURE() << result.error().message;
    return result ? std::move(*result) : Snapshot{};
  }
  Committed commit(Engine& engine, std::vector<Condition> conditions, std::vector<Write> writes) {
    std::optional<Committed> result;
    engine.commit(std::move(conditions), std::move(writes),
                  [&](Outcome outcome, Revision revision) {
                    result = {outcome, revision};
                  });
    EXPECT_FALSE(result.has_value()) << "answered from inside the call";
    if (!until([&] { return result.has_value(); })) return {};
    return *result;
  }
  // A commit that must be committed; its revision.
  Revision put(Engine& engine, std::vector<Write> writes) {
    const Committed result = commit(engine, {}, std::move(writes));
    EXPECT_EQ(result.outcome, Outcome::committed) << engine.health().said;
    return result.revision;
  }

 private:
  Loop io_;
};

// What a watch told.
struct Told {
  std::vector<Commit> commits;
  bool resync = false;

  WatchHandler handler() {
    return {[this](const Commit& commit) { commits.push_back(commit); }, [this] { resync = true; }};
  }
  std::size_t size() const { return commits.size(); }
};

}  // namespace hapax::engine::testing
