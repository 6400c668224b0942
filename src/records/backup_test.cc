#include "records/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/store.h"

namespace hapax {
namespace {

using ::testing::HasSubstr;

const char* const kSet =
    R"({"ttl_ms":3000,"algorithms":"raymond","started":"TTL 5000 ms and locks by maekawa",)"
    R"("started_ttl_ms":5000,"longest_ttl_ms":9000,"by":"alice at db1","at":1})";

Backup some_backup() {
  return {"orders",
          Epoch{12},
          {{"settings", kSet, 1},
           {"lives", "7", 1},
           {"view", R"({"epoch":12,"members":[7],"after":[11],"algorithms":"raymond"})", 1},
           {"life/7",
            R"({"seat":0,"address":"a","name":"n","announced":true,"beat":9,"reached":0})", 1},
           {"banned/2", R"({"name":"db3","address":"b","by":"db1"})", 1},
           {"probe", "x", 1}}};
}

TEST(Backups, AreReadBack) {
  const Backup backup = some_backup();
  const Backup again = backup_in(text_of(backup, 1'794'819'872)).value();
  EXPECT_EQ(again.group, "orders");
  EXPECT_EQ(again.epoch, Epoch{12});
  EXPECT_EQ(again.records, backup.records);
}

TEST(Backups, BringBackSettingsAndBansButNoLives) {
  engine::Store store;
  const Change change = restoring(some_backup());
  ASSERT_TRUE(store.commit(change.conditions, change.writes).has_value());
  const Directory now = directory_of(store.read({""})).value();
  ASSERT_TRUE(now.set.has_value());
  EXPECT_EQ(now.set->longest, Span{std::chrono::seconds{9}});
  ASSERT_EQ(now.bans.size(), 1u);
  EXPECT_TRUE(now.lives.empty() && now.reg.beats.empty());
  EXPECT_EQ(now.reg.version, 0u);
  EXPECT_FALSE(store.commit(change.conditions, change.writes).has_value()) << "once";
}

TEST(Backups, ThatMakeNoSenseAreRefused) {
  const std::pair<std::string, const char*> bad[] = {
      {"", "not made by"},
      {"{}", "not made by"},
      {R"({"what":"hapax backup"})", "no group"},
      {R"({"what":"hapax backup","group":"g","epoch":1})", "no records"},
      {R"({"what":"hapax backup","group":"g","epoch":1,"records":{"view":1}})", "'view'"},
      {R"({"what":"hapax backup","group":"g","epoch":1,"records":{"view":"1"}})", "'view'"},
      {R"({"what":"hapax backup","group":"g","epoch":-1,"records":{}})", "no epoch"},
  };
  for (const auto& [text, why] : bad) {
    const auto backup = backup_in(text);
    ASSERT_FALSE(backup.has_value()) << text;
    EXPECT_THAT(backup.error().message, HasSubstr(why));
  }
}

}  // namespace
}  // namespace hapax
