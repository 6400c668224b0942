#include "membership/registrar.h"

#include <deque>
#include <functional>
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
    commits.push_back([this, conditions = std::move(conditions), writes = std::move(writes),
                       callback = std::move(callback)] {
      const std::optional<Revision> commit = store.commit(conditions, writes);
      const bool done = commit.has_value();
      callback(done ? engine::Outcome::committed : engine::Outcome::conflict, done ? *commit : 0);
    });
    if (!is_holding_commits) carry_out_commits();
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

  void carry_out_commits() {
    while (!commits.empty()) {
      const auto commit = std::move(commits.front());
      commits.pop_front();
      commit();
    }
  }

  engine::Store store;
  bool is_holding_commits = false;
  std::deque<std::function<void()>> commits;
  std::deque<std::pair<engine::Snapshot, engine::ReadCallback>> reads;
};

class RegistrarTest : public ::testing::Test {
 protected:
  RegistrarTest() {
    registrar.enlist("127.0.0.1:7400", "db1", std::nullopt);
    answer_reads();
    EXPECT_NE(registrar.me().life, Life{});
    told.clear();
  }
  void answer_reads() {
    while (!engine.reads.empty()) engine.answer_a_read();
  }
  void announce() { registrar.carry_out({EngineAsk::Kind::announce, registrar.me().life, {}, {}}); }
  bool is_enlisted() const {
    return directory_of(engine.store.read({""}))->find(registrar.me().life) != nullptr;
  }

  SlowEngine engine;
  std::vector<Directory> told;
  int went_back = 0;
  Registrar registrar{
      engine,
      "settings",
      true,
      {[&](const Directory& now) { told.push_back(now); },
       [](const std::string& why) { ADD_FAILURE() << why; }, [] {},
       [](const EngineAsk&, Outcome outcome) { EXPECT_EQ(outcome, Outcome::committed); },
       [](const Enlisted&) {}, [&] { ++went_back; },
       [](const std::string& theirs) { ADD_FAILURE() << theirs; }}};
};

TEST_F(RegistrarTest, AnEngineThatKnowsLessThanBeforeWentBack) {
  const engine::Store copy = engine.store;
  announce();
  announce();
  EXPECT_EQ(went_back, 0);
  engine.store = copy;
  registrar.carry_out({EngineAsk::Kind::read, registrar.me().life, {}, {}});
  answer_reads();
  EXPECT_EQ(went_back, 1);
}

TEST_F(RegistrarTest, WhatWasNeverAnnouncedIsWithdrawn) {
  registrar.withdraw([] {});
  answer_reads();
  EXPECT_FALSE(is_enlisted());
}

TEST_F(RegistrarTest, WhatIsAnnouncedIsNotWithdrawnBeforeItsLeaseIsOver) {
  announce();
  registrar.withdraw([] {});
  answer_reads();
  EXPECT_TRUE(is_enlisted());
}

// Its announcement is on its way when it is told to go.
TEST_F(RegistrarTest, NorWhatIsAnnouncedMeanwhile) {
  engine.is_holding_commits = true;
  announce();
  registrar.withdraw([] {});
  answer_reads();
  engine.is_holding_commits = false;
  engine.carry_out_commits();
  EXPECT_TRUE(is_enlisted());
}

TEST_F(RegistrarTest, WhatWasReadBeforeItsOwnCommitIsNoNews) {
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
