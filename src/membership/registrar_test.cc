#include "membership/registrar.h"

#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

#include "engine/store.h"

namespace hapax {
namespace {

using engine::Revision;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Takes its time: a snapshot is taken when a read is asked for, and handed over when the test says.
class SlowEngine : public engine::Engine {
 public:
  void read(std::vector<std::string> prefixes, engine::ReadCallback callback) override {
    reads.push_back({store.read(prefixes), std::move(callback)});
  }
  void commit(std::vector<engine::Condition> conditions, std::vector<engine::Write> writes,
              engine::CommitCallback callback) override {
    const std::optional<Revision> commit = store.commit(conditions, writes);
    const bool done = commit.has_value();
    callback(done ? engine::Outcome::committed : engine::Outcome::conflict, done ? *commit : 0);
  }
  std::unique_ptr<engine::Watch> watch(std::string, Revision, engine::WatchHandler) override {
    return std::make_unique<engine::Watch>();
  }
  engine::Health health() const override { return {}; }

  void answer_a_read() {
    auto [snapshot, callback] = std::move(reads.front());
    reads.pop_front();
    callback(std::move(snapshot));
  }

  engine::Store store;
  std::deque<std::pair<engine::Snapshot, engine::ReadCallback>> reads;
};

TEST(Registrar, WhatWasReadBeforeItsOwnCommitIsNoNews) {
  SlowEngine engine;
  std::vector<Directory> told;
  Registrar registrar{
      engine,
      "settings",
      true,
      {[&](const Directory& now) { told.push_back(now); },
       [](const std::string& why) { ADD_FAILURE() << why; }, [] {},
       [](const EngineAsk&, Outcome outcome) { EXPECT_EQ(outcome, Outcome::committed); },
       [](const Enlisted&) {}, [] { ADD_FAILURE(); },
       [](const std::string& theirs) { ADD_FAILURE() << theirs; }}};
  registrar.enlist("127.0.0.1:7400", "db1", std::nullopt);
  while (!engine.reads.empty()) engine.answer_a_read();
  ASSERT_NE(registrar.me().life, Life{});
  told.clear();

  registrar.carry_out({EngineAsk::Kind::read, registrar.me().life, {}, {}});
  ASSERT_THAT(engine.reads, SizeIs(1));
  registrar.carry_out({EngineAsk::Kind::announce, registrar.me().life, {}, {}});
  engine.answer_a_read();
  EXPECT_THAT(told, IsEmpty()) << "a life that does not see its own beat thinks it is over";

  ASSERT_THAT(engine.reads, SizeIs(1)) << "it reads again";
  engine.answer_a_read();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_NE(told.front().reg.beat_of(registrar.me().life), nullptr);
}

}  // namespace
}  // namespace hapax
