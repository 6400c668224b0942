#include "engine/store.h"

#include <gtest/gtest.h>
#include <vector>

#include "wire/codec.h"

namespace hapax::engine {
namespace {

TEST(Store, IsAValue) {
  Store store;
  ASSERT_TRUE(store.commit({}, {{"a", "1"}, {"b", "2"}}).has_value());
  Store copy = store;
  EXPECT_EQ(copy, store);
  ASSERT_TRUE(copy.commit({{"a", 1}}, {{"a", std::nullopt}}).has_value());
  EXPECT_FALSE(copy == store);
  EXPECT_EQ(store.version_of("a"), 1u);
  EXPECT_EQ(copy.version_of("a"), kAbsent);
  EXPECT_EQ(copy.version_of("b"), 1u);
}

TEST(Store, IsEncodedWhole) {
  Store store;
  store.commit({}, {{"a", "1"}});
  store.commit({}, {{"a", std::nullopt}, {"b", "2"}});
  const auto bytes = encode(store);
  EXPECT_EQ(decode<Store>(bytes), store);
}

TEST(Store, ForgetsTheOldestCommits) {
  Store store{2};
  for (const char* value : {"1", "2", "3"}) store.commit({}, {{"a", value}});
  EXPECT_FALSE(store.since("", 0).has_value());
  ASSERT_TRUE(store.since("", 1).has_value());
  EXPECT_EQ(*store.since("", 1), (std::vector<Commit>{{2, {{"a", "2"}}}, {3, {{"a", "3"}}}}));
  EXPECT_TRUE(store.since("b", 1)->empty());
  EXPECT_TRUE(store.since("", 3)->empty());
  EXPECT_FALSE(store.since("", 4).has_value()) << "a revision of another store";
}

TEST(Admissible, RefusesWhatIsTooMuch) {
  const std::string long_key(kKeyBytes + 1, 'k');
  EXPECT_TRUE(admissible({{"k", 1}}, {{"k", std::string(kValueBytes, 'v')}}).has_value());
  EXPECT_FALSE(admissible({{"", 1}}, {}).has_value());
  EXPECT_FALSE(admissible({{long_key, 1}}, {}).has_value());
  EXPECT_FALSE(admissible({}, {{"", "v"}}).has_value());
  EXPECT_FALSE(admissible({}, {{long_key, std::nullopt}}).has_value());
  EXPECT_FALSE(admissible({}, {{"k", std::string(kValueBytes + 1, 'v')}}).has_value());
  EXPECT_FALSE(admissible({}, {{"k", "1"}, {"k", "2"}}).has_value());
  std::vector<Write> heavy;
  for (char c = 'a'; c <= 'd'; ++c) heavy.push_back({{c}, std::string(kValueBytes, 'v')});
  EXPECT_FALSE(admissible({}, heavy).has_value());
  EXPECT_FALSE(admissible(std::vector<Condition>(kCommitConditions + 1, {"k", 1}), {}).has_value());
  EXPECT_FALSE(admissible(std::vector<std::string>{}).has_value());
  EXPECT_FALSE(admissible(std::vector<std::string>{long_key}).has_value());
  EXPECT_FALSE(admissible(std::vector<std::string>(kReadPrefixes + 1, "k")).has_value());
  EXPECT_TRUE(admissible(std::vector<std::string>{""}).has_value());
}

}  // namespace
}  // namespace hapax::engine
