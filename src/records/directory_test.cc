#include "records/directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/store.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A store that takes changes as an engine does.
struct Records {
  engine::Store store;

  bool commit(const Change& change) {
    return store.commit(change.conditions, change.writes).has_value();
  }
  Directory read() const { return directory_of(store.read({""})).value(); }
};

Enlisted enlist(Records& records, std::uint32_t seat) {
  const Directory now = records.read();
  Enlisted me{Life{now.last_life + 1}, seat, "127.0.0.1:7400", "host", false, 0, 0, 0};
  EXPECT_TRUE(records.commit(enlisting(now, me, "settings")));
  return me;
}
Beat announce(Records& records, Enlisted& me) {
  me.announced = true;
  ++me.beat;
  EXPECT_TRUE(records.commit(beating(me)));
  return *records.read().reg.beat_of(me.life);
}

TEST(Directory, EnlistsThenCountsTheAnnounced) {
  Records records;
  Enlisted a = enlist(records, 0);
  const Enlisted b = enlist(records, 1);
  EXPECT_NE(a.life, b.life);
  EXPECT_TRUE(records.read().reg.beats.empty());
  announce(records, a);
  const Directory now = records.read();
  ASSERT_EQ(now.lives.size(), 2u);
  ASSERT_EQ(now.reg.beats.size(), 1u);
  EXPECT_EQ(now.reg.beats[0].life, a.life);
  EXPECT_EQ(now.find(b.life)->address, "127.0.0.1:7400");
  EXPECT_EQ(now.free_seat(), 2u);
}

TEST(Directory, GivesALifeOnce) {
  Records records;
  const Directory before = records.read();
  const Enlisted me{Life{1}, 0, "a", "n", false, 0, 0, 0};
  EXPECT_TRUE(records.commit(enlisting(before, me, "settings")));
  EXPECT_FALSE(records.commit(enlisting(before, me, "settings")));  // Somebody was faster.
}

// Somebody bans the seat between its reading and its commit.
TEST(Directory, EnlistsNobodyAtASeatThatWasBannedMeanwhile) {
  Records records;
  const Enlisted first = enlist(records, 0);
  const Directory before = records.read();
  ASSERT_TRUE(records.commit(banning(first, "db2")));
  const Enlisted again{Life{before.last_life + 1}, 0, "127.0.0.1:7400", "host", false, 0, 0, 0};
  EXPECT_FALSE(records.commit(enlisting(before, again, "settings")));
}

TEST(Directory, BeatsGrowAndEndWithAMark) {
  Records records;
  Enlisted a = enlist(records, 0);
  const Beat first = announce(records, a);
  const Beat second = announce(records, a);
  EXPECT_GT(second.version, first.version);
  EXPECT_TRUE(records.commit(evicting(a.life, "me")));
  EXPECT_THAT(records.read().evicted, ElementsAre(a.life));
  EXPECT_FALSE(records.commit(beating(a)));
}

TEST(Directory, ProposalsAreCommittedOnWhatWasRead) {
  Records records;
  Enlisted a = enlist(records, 0);
  Enlisted b = enlist(records, 1);
  announce(records, a);
  const Beat old = announce(records, b);
  ASSERT_TRUE(records.commit(proposing({0, {Epoch{1}, {a.life, b.life}}, {}})));
  const Directory now = records.read();
  EXPECT_EQ(now.reg.roll, (Roll{Epoch{1}, {a.life, b.life}}));
  EXPECT_FALSE(records.commit(proposing({0, {Epoch{1}, {a.life}}, {}})));  // There is a view.
  const Beat fresh = announce(records, b);
  const Roll next{Epoch{2}, {a.life}};
  EXPECT_FALSE(records.commit(proposing({now.reg.version, next, {old}})));  // It beat meanwhile.
  ASSERT_TRUE(records.commit(evicting(b.life, "me")));
  EXPECT_TRUE(records.commit(proposing({now.reg.version, next, {fresh}})));
  EXPECT_EQ(records.read().find(b.life), nullptr);
  EXPECT_TRUE(records.read().evicted.empty());
  EXPECT_FALSE(records.commit(beating(b)));
}

TEST(Directory, StrikesOffWhoStandsStill) {
  Records records;
  const Enlisted a = enlist(records, 0);
  Enlisted seen = *records.read().find(a.life);
  EXPECT_TRUE(records.commit(striking(seen)));
  EXPECT_EQ(records.read().free_seat(), 0u);
}

TEST(Directory, KeepsWhatWasSetUntilAGroupStartsOver) {
  Records records;
  Enlisted a = enlist(records, 0);
  announce(records, a);
  ASSERT_TRUE(records.commit(proposing({0, {Epoch{1}, {a.life}}, {}})));
  const Directory before = records.read();
  EXPECT_TRUE(before.differs_from("others"));
  const SetSettings set{{std::chrono::seconds{3}, Policy::from_lines("x=maekawa\nraymond").value()},
                        "settings",
                        std::chrono::seconds{5},
                        std::chrono::seconds{9},
                        "alice \"at\" db1",
                        1'794'819'872};
  Roll next = before.reg.roll.next(Epoch{2});
  next.members = before.reg.roll.members;
  next.algorithms = set.now.policy.lines();
  const Change change = setting(before, next, set);
  ASSERT_TRUE(records.commit(change));
  EXPECT_FALSE(records.commit(change)) << "there is a later view";
  const Directory after = records.read();
  EXPECT_EQ(after.reg.roll, next);
  ASSERT_TRUE(after.set.has_value());
  EXPECT_EQ(after.set->now, set.now);
  EXPECT_EQ(text_of(*after.set), text_of(set));
  EXPECT_FALSE(after.differs_from("others"));
  enlist(records, 1);
  EXPECT_EQ(records.read().settings, after.settings);
  const Directory now = records.read();
  const Enlisted c{Life{now.last_life + 1}, 2, "a", "n", false, 0, 0, 0};
  ASSERT_TRUE(records.commit(enlisting(now, c, "others", true)));
  EXPECT_FALSE(records.read().set.has_value());
  EXPECT_EQ(records.read().settings, "others");
  EXPECT_EQ(records.read().reg.roll.algorithms, "");
  EXPECT_EQ(records.read().reg.roll.epoch, Epoch{2});
}

TEST(Directory, RefusesWhatItWouldNotWrite) {
  const std::pair<const char*, const char*> bad[] = {
      {"lives", "-1"},
      {"lives", "007"},
      {"lives", "18446744073709551615"},
      {"view", R"({"epoch":9223372036854775807,"members":[1]})"},
      {"view", "{}"},
      {"view", R"({"epoch":0,"members":[]})"},
      {"view", R"({"epoch":1,"members":[1,1]})"},
      {"view", R"({"epoch":1,"members":[-1]})"},
      {"life/x", R"({"seat":0,"address":"a","name":"n","announced":true,"beat":1,"reached":0})"},
      {"life/1", R"({"seat":64,"address":"a","name":"n","announced":true,"beat":1,"reached":0})"},
      {"life/1", R"({"seat":0,"address":"a","name":"n","announced":1,"beat":1,"reached":0})"},
      {"life/1", "[[[[[[[[]]]]]]]]"},
      {"evicted/", "me"},
      {"view", R"({"epoch":1,"members":[1],"algorithms":"best"})"},
      {"view", R"({"epoch":1,"members":[1],"algorithms":1})"},
      {"settings", "{}"},
      {"settings", R"({"ttl_ms":100,"algorithms":"raymond","started":"","started_ttl_ms":5000,)"
                   R"("longest_ttl_ms":5000,"by":"","at":1})"},
      {"settings", R"({"ttl_ms":1000,"algorithms":"best","started":"","started_ttl_ms":5000,)"
                   R"("longest_ttl_ms":5000,"by":"","at":1})"},
  };
  for (const auto& [key, value] : bad) {
    const auto directory = directory_of({1, {{key, value, 1}}});
    ASSERT_FALSE(directory.has_value()) << key << ' ' << value;
    EXPECT_THAT(directory.error().message, HasSubstr(key));
  }
}

// A member of the next release writes what we do not know beside what we do; we run on.
TEST(Directory, LeavesAsideWhatALaterVersionHasToSay) {
  const auto directory = directory_of(
      {1,
       {{"of a later version", "anything", 1},
        {"later/4", "[[[", 2},
        {"life/4/more", "anything", 3},
        {"lives", "4", 4},
        {"view", R"({"epoch":3,"members":[4],"after":[1,2],"more":{"a":{"b":[[1]]}}})", 5},
        {"life/4",
         R"({"seat":1,"address":"a","name":"n","announced":true,"beat":1,"reached":0,)"
         R"("release":"9.9.9","more":[{"a":[1]}]})",
         6},
        {"banned/2", R"({"name":"n","address":"a","by":"b","until":null})", 7}}});
  ASSERT_TRUE(directory.has_value()) << directory.error().message;
  EXPECT_EQ(directory->reg.roll, (Roll{Epoch{3}, {Life{4}}, {Epoch{1}, Epoch{2}}}));
  EXPECT_EQ(directory->find(Life{4})->seat, 1u);
  EXPECT_EQ(directory->bans.size(), 1u);
}

}  // namespace
}  // namespace hapax
