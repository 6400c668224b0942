#include "engine/testing/conformance.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/text.h"
#include "engine/store.h"
#include "engine/testing/counter.h"

namespace hapax::engine::testing {
namespace {

using std::chrono::milliseconds;

TEST_P(Conformance, IsEmptyAtFirst) {
  auto engine = open();
  EXPECT_TRUE(bench_.read(*engine).records.empty());
  EXPECT_TRUE(engine->health().reachable);
  EXPECT_EQ(engine->health().said, "ok");
}

TEST_P(Conformance, AWritesVersionIsTheRevisionOfItsCommit) {
  auto engine = open();
  const Revision first = bench_.put(*engine, {{"a", "1"}, {"b", "2"}});
  const Revision second = bench_.put(*engine, {{"b", "3"}});
  EXPECT_GT(second, first);
  const Snapshot seen = bench_.read(*engine);
  ASSERT_EQ(seen.records.size(), 2u);
  EXPECT_EQ(seen.records[0], (Record{"a", "1", first}));
  EXPECT_EQ(seen.records[1], (Record{"b", "3", second}));
  EXPECT_GE(seen.revision, second);
}

TEST_P(Conformance, CommitsOnlyIfEveryConditionHolds) {
  auto engine = open();
  const auto outcome = [&](std::vector<Condition> conditions) {
    return bench_.commit(*engine, std::move(conditions), {{"seen", "x"}}).outcome;
  };
  const Version a = bench_.put(*engine, {{"a", "1"}});
  const Version b = bench_.put(*engine, {{"b", "1"}});
  EXPECT_EQ(outcome({{"a", a}, {"b", b}, {"c", kAbsent}}), Outcome::committed);
  EXPECT_EQ(outcome({{"a", kExists}, {"b", b}}), Outcome::committed);
  EXPECT_EQ(outcome({{"a", b}}), Outcome::conflict);
  EXPECT_EQ(outcome({{"a", a}, {"b", a}}), Outcome::conflict);
  EXPECT_EQ(outcome({{"a", kAbsent}}), Outcome::conflict);
  EXPECT_EQ(outcome({{"c", kExists}}), Outcome::conflict);
  EXPECT_EQ(outcome({{"c", a}}), Outcome::conflict);
  EXPECT_EQ(outcome({{"a", a}, {"a", kExists}}), Outcome::committed) << "a key twice";
}

TEST_P(Conformance, AConflictChangesNothing) {
  auto engine = open();
  bench_.put(*engine, {{"a", "1"}, {"b", "1"}});
  const Snapshot before = bench_.read(*engine);
  const Committed refused =
      bench_.commit(*engine, {{"a", kAbsent}}, {{"a", "2"}, {"b", std::nullopt}, {"c", "2"}});
  EXPECT_EQ(refused.outcome, Outcome::conflict);
  EXPECT_EQ(bench_.read(*engine).records, before.records);
}

TEST_P(Conformance, AVersionNeverComesBack) {
  auto engine = open();
  const Version first = bench_.put(*engine, {{"a", "1"}});
  bench_.put(*engine, {{"a", std::nullopt}});
  EXPECT_TRUE(bench_.read(*engine).records.empty());
  EXPECT_EQ(bench_.commit(*engine, {{"a", first}}, {{"a", "late"}}).outcome, Outcome::conflict);
  const Version second = bench_.put(*engine, {{"a", "1"}});
  EXPECT_GT(second, first);
  EXPECT_EQ(bench_.commit(*engine, {{"a", first}}, {{"a", "late"}}).outcome, Outcome::conflict);
  EXPECT_EQ(bench_.commit(*engine, {{"a", second}}, {{"a", "in time"}}).outcome,
            Outcome::committed);
}

TEST_P(Conformance, WhatChangesNothingHasNoRevision) {
  auto engine = open();
  const Version a = bench_.put(*engine, {{"a", "1"}});
  EXPECT_EQ(bench_.commit(*engine, {{"a", a}}, {}).outcome, Outcome::committed);
  EXPECT_EQ(bench_.commit(*engine, {{"a", a}}, {{"never", std::nullopt}}).outcome,
            Outcome::committed);
  EXPECT_EQ(bench_.commit(*engine, {{"a", kAbsent}}, {}).outcome, Outcome::conflict);
  const Snapshot seen = bench_.read(*engine);
  ASSERT_EQ(seen.records.size(), 1u);
  EXPECT_EQ(seen.records[0].version, a);
}

TEST_P(Conformance, ReadsWhatIsUnderThePrefixesOnceAndByKey) {
  auto engine = open();
  bench_.put(*engine, {{"beat/2", ""}, {"beat/1", ""}, {"beat", ""}, {"view", ""}, {"views", ""}});
  bench_.put(*engine, {{"beau", ""}, {"bea", ""}});
  const auto keys = [&](std::vector<std::string> prefixes) {
    std::vector<std::string> found;
    for (const Record& record : bench_.read(*engine, std::move(prefixes)).records) {
      found.push_back(record.key);
    }
    return found;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys({"beat/"}), (Keys{"beat/1", "beat/2"}));
  EXPECT_EQ(keys({"view", "beat/", "beat/1"}), (Keys{"beat/1", "beat/2", "view", "views"}));
  EXPECT_EQ(keys({"none"}), Keys{});
  EXPECT_EQ(keys({""}).size(), 7u);
}

TEST_P(Conformance, TakesAnyBytesUpToItsLimits) {
  auto engine = open();
  const std::string every_byte = [] {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    return bytes;
  }();
  const std::string long_key = every_byte + every_byte + "//";
  const std::string long_value(kValueBytes, '\xff');
  ASSERT_EQ(long_key.size(), kKeyBytes);
  const Revision at = bench_.put(
      *engine, {{every_byte, long_value}, {long_key, every_byte}, {"%41", "%"}, {"..", ""}});
  const Snapshot seen = bench_.read(*engine);
  ASSERT_EQ(seen.records.size(), 4u);
  EXPECT_EQ(seen.records[0], (Record{every_byte, long_value, at}));
  EXPECT_EQ(seen.records[1], (Record{long_key, every_byte, at}));
  EXPECT_EQ(seen.records[2], (Record{"%41", "%", at}));
  EXPECT_EQ(seen.records[3], (Record{"..", "", at}));
  EXPECT_EQ(bench_.read(*engine, {std::string(1, '\xff')}).records.size(), 0u);
  EXPECT_EQ(bench_.read(*engine, {every_byte}).records.size(), 2u);
  bench_.put(*engine, {{std::string(3, '\xff'), "last"}});
  EXPECT_EQ(bench_.read(*engine, {std::string(1, '\xff')}).records.size(), 1u);
}

TEST_P(Conformance, TakesTheLargestCommit) {
  auto engine = open();
  std::vector<Condition> conditions;
  std::vector<Write> writes;
  for (std::size_t i = 0; i < kCommitConditions; ++i) {
    conditions.push_back({"k" + std::to_string(i), kAbsent});
  }
  for (std::size_t i = 0; i < kCommitWrites; ++i) {
    const std::string key = "k" + std::to_string(i);
    writes.push_back({key, std::string(kCommitBytes / kCommitWrites - key.size(), 'x')});
  }
  ASSERT_TRUE(admissible(conditions, writes).has_value());
  EXPECT_EQ(bench_.commit(*engine, conditions, writes).outcome, Outcome::committed);
  EXPECT_EQ(bench_.commit(*engine, conditions, writes).outcome, Outcome::conflict);
  EXPECT_EQ(bench_.read(*engine).records.size(), kCommitWrites);
}

TEST_P(Conformance, GroupsDoNotSeeEachOther) {
  auto one = open();
  auto two = open("-2");
  bench_.put(*one, {{"a", "1"}});
  EXPECT_TRUE(bench_.read(*two).records.empty());
  EXPECT_EQ(bench_.commit(*two, {{"a", kAbsent}}, {{"a", "2"}}).outcome, Outcome::committed);
  EXPECT_EQ(bench_.read(*one).records.at(0).value, "1");
}

TEST_P(Conformance, IsLikeTheModel) {
  auto one = open();
  auto two = open();
  Store model;
  std::map<Version, Version> real;  // Of the model's.
  Prng prng{20260101};
  const auto key = [&] { return std::string(1, static_cast<char>('a' + prng.below(4))); };
  const auto real_version = [&](Version v) {
    return v == kAbsent || v == kExists ? v : real.at(v);
  };
  Told told;
  const auto watch = two->watch("", bench_.read(*two).revision, told.handler());
  for (int step = 0; step < 150; ++step) {
    std::vector<Condition> conditions;
    std::vector<Condition> real_conditions;
    for (std::uint64_t i = prng.below(3); i > 0; --i) {
      Condition condition{key(), kExists};
      if (prng.below(4) != 0) condition.version = model.version_of(key());  // Often another's.
      if (prng.below(2) == 0) condition.version = model.version_of(condition.key);
      conditions.push_back(condition);
      real_conditions.push_back({condition.key, real_version(condition.version)});
    }
    std::map<std::string, Write> writes;
    for (std::uint64_t i = prng.below(4); i > 0; --i) {
      const std::string k = key();
      writes[k] = {k, std::nullopt};
      if (prng.below(3) != 0) writes[k].value = std::to_string(step);
    }
    std::vector<Write> list;
    for (const auto& [k, write] : writes) list.push_back(write);
    const auto expected = model.commit(conditions, list);
    Engine& engine = prng.below(2) == 0 ? *one : *two;
    const Committed got = bench_.commit(engine, real_conditions, list);
    ASSERT_EQ(got.outcome, expected ? Outcome::committed : Outcome::conflict) << "step " << step;
    if (expected) real.emplace(*expected, got.revision);
    Engine& reader = prng.below(2) == 0 ? *one : *two;
    const Snapshot seen = bench_.read(reader);
    ASSERT_EQ(seen.records.size(), model.records().size()) << "step " << step;
    for (std::size_t i = 0; i < seen.records.size(); ++i) {
      const Record& r = model.records()[i];
      ASSERT_EQ(seen.records[i], (Record{r.key, r.value, real.at(r.version)})) << "step " << step;
    }
  }
  const auto commits = model.since("", 0);
  ASSERT_TRUE(commits.has_value());
  ASSERT_TRUE(bench_.until([&] { return told.size() >= commits->size(); }));
  ASSERT_EQ(told.size(), commits->size());
  for (std::size_t i = 0; i < commits->size(); ++i) {
    EXPECT_EQ(told.commits[i], (Commit{real.at((*commits)[i].revision), (*commits)[i].writes}));
  }
}

TEST_P(Conformance, SnapshotsAreSnapshots) {
  auto writer = open();
  auto reader = open();
  constexpr int kTimes = 60;
  int written = 0;
  std::function<void()> write = [&] {
    const std::string value = std::to_string(written);
    std::vector<Write> writes;
    for (char c = 'a'; c <= 'h'; ++c) writes.push_back({std::string(1, c), value});
    if (written % 3 == 2) writes[3].value.reset();
    writer->commit({}, writes, [&](Outcome outcome, Revision) {
      EXPECT_EQ(outcome, Outcome::committed);
      if (++written < kTimes) write();
    });
  };
  write();
  int reads = 0;
  Revision last = 0;
  while (written < kTimes && !HasFailure()) {
    const Snapshot seen = bench_.read(*reader, {"a", "b", "c", "d", "e", "f", "g", "h"});
    EXPECT_GE(seen.revision, last);
    last = seen.revision;
    ++reads;
    if (seen.records.empty()) continue;
    for (const Record& record : seen.records) {
      EXPECT_EQ(record.value, seen.records.front().value);
      EXPECT_EQ(record.version, seen.records.front().version);
    }
    EXPECT_EQ(seen.records.size(), std::stoi(seen.records.front().value) % 3 == 2 ? 7u : 8u);
  }
  EXPECT_GT(reads, 3);
}

TEST_P(Conformance, OfSeveralAtOnceOneWins) {
  std::vector<std::unique_ptr<Engine>> engines;
  for (int i = 0; i < 4; ++i) engines.push_back(open());
  bench_.read(*engines[0]);
  for (int round = 0; round < 10; ++round) {
    const std::string key = "round " + std::to_string(round);
    std::map<Outcome, int> outcomes;
    int answers = 0;
    for (std::size_t i = 0; i < engines.size(); ++i) {
      engines[i]->commit({{key, kAbsent}}, {{key, std::to_string(i)}},
                         [&](Outcome outcome, Revision) {
                           ++outcomes[outcome];
                           ++answers;
                         });
    }
    ASSERT_TRUE(bench_.until([&] { return answers == 4; }));
    EXPECT_EQ(outcomes[Outcome::committed], 1);
    EXPECT_EQ(outcomes[Outcome::conflict], 3);
  }
}

TEST_P(Conformance, NoIncrementIsLost) {
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<std::unique_ptr<Counter>> counters;
  for (int i = 0; i < 3; ++i) {
    engines.push_back(open());
    counters.push_back(std::make_unique<Counter>(bench_.io(), *engines.back(), 15));
    counters.back()->start();
  }
  bench_.until([&] {
    return std::all_of(counters.begin(), counters.end(), [](auto& c) { return c->done(); });
  });
  std::uint64_t sum = 0;
  for (const auto& counter : counters) {
    sum += counter->committed;
    EXPECT_EQ(counter->unknown, 0u);
    EXPECT_FALSE(counter->went_back);
  }
  EXPECT_EQ(Counter::value_in(bench_.read(*engines[0])), sum);
}

TEST_P(Conformance, AWatchTellsEveryCommitInOrder) {
  auto writer = open();
  auto watcher = open();
  const Revision start = bench_.put(*writer, {{"beat/0", "before"}});
  bench_.put(*writer, {{"beat/1", "missed"}});
  Told told;
  const auto watch = watcher->watch("beat/", start, told.handler());
  std::vector<Commit> expected{{bench_.read(*writer).revision, {{"beat/1", "missed"}}}};
  for (int i = 0; i < 30; ++i) {
    const std::string value = std::to_string(i);
    bench_.put(*writer, {{"view", value}});
    std::vector<Write> writes{{"beat/1", value}, {"beat/2", value}};
    if (i % 3 == 2) writes[1].value.reset();
    std::vector<Write> with_more = writes;
    with_more.push_back({"zebra", value});
    expected.push_back({bench_.put(*writer, with_more), writes});
  }
  ASSERT_TRUE(bench_.until([&] { return told.size() >= expected.size() || told.resync; }));
  EXPECT_EQ(told.commits, expected);
  EXPECT_FALSE(told.resync);
}

TEST_P(Conformance, AWatchFromWhatIsForgottenSaysResync) {
  auto engine = open();
  const Revision start = bench_.put(*engine, {{"a", "1"}});
  Told behind;
  bench_.put(*engine, {{"a", "2"}});
  backend_->forget(bench_, *engine);
  const auto late = engine->watch("", start, behind.handler());
  ASSERT_TRUE(bench_.until([&] { return behind.resync; }));
  EXPECT_EQ(behind.size(), 0u);

  Told fresh;
  const auto again = engine->watch("", bench_.read(*engine).revision, fresh.handler());
  const Revision next = bench_.put(*engine, {{"a", "3"}});
  ASSERT_TRUE(bench_.until([&] { return fresh.size() >= 1; }));
  EXPECT_EQ(fresh.commits.at(0), (Commit{next, {{"a", "3"}}}));
}

// As if the engine had been set up anew: what we saw is not there any more.
TEST_P(Conformance, AWatchFromTheFutureSaysResync) {
  auto engine = open();
  Told told;
  const auto watch = engine->watch("", bench_.read(*engine).revision + 1'000'000, told.handler());
  ASSERT_TRUE(bench_.until([&] { return told.resync; }));
  EXPECT_EQ(told.size(), 0u);
}

TEST_P(Conformance, AWatchThatIsGoneIsSilent) {
  auto engine = open();
  const Revision start = bench_.put(*engine, {{"a", "0"}});
  std::unique_ptr<Watch> watch;
  int told = 0;
  watch = engine->watch("", start,
                        {[&](const Commit&) {
                           ++told;
                           watch.reset();  // From inside its own handler.
                         },
                         [] { ADD_FAILURE() << "resync"; }});
  Told other;
  const auto stays = engine->watch("", start, other.handler());
  for (int i = 0; i < 5; ++i) bench_.put(*engine, {{"a", std::to_string(i)}});
  ASSERT_TRUE(bench_.until([&] { return other.size() >= 5 && told >= 1; }));
  bench_.run_for(milliseconds{20});
  EXPECT_EQ(told, 1);
}

TEST_P(Conformance, AnEngineThatIsGoneIsSilent) {
  auto engine = open();
  bench_.put(*engine, {{"a", "0"}});
  int answers = 0;
  auto watch = engine->watch("", 0, {[&](const Commit&) { ++answers; }, [&] { ++answers; }});
  engine->read({""}, [&](Result<Snapshot>) { ++answers; });
  engine->commit({}, {{"a", "1"}}, [&](Outcome, Revision) { ++answers; });
  watch.reset();
  engine.reset();
  bench_.run_for(milliseconds{100});
  EXPECT_EQ(answers, 0);
}

TEST_P(Conformance, AWatchMayOutliveItsEngine) {
  auto engine = open();
  auto watch = engine->watch("", 0, {[](const Commit&) {}, [] {}});
  engine.reset();
  bench_.run_for(milliseconds{20});
  watch.reset();
}

}  // namespace
}  // namespace hapax::engine::testing
