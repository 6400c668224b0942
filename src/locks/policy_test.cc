#include "locks/policy.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string_view chosen(const Policy& policy, std::string_view name) {
  return name_of(policy.algorithm_for(name));
}

TEST(Policy, ServesEveryLockByCarvalhoRoucairolUnlessTold) {
  EXPECT_EQ(chosen(Policy{}, "any"), "carvalho-roucairol");
  Policy policy;
  ASSERT_TRUE(policy.set_default("raymond").has_value());
  EXPECT_EQ(chosen(policy, "any"), "raymond");
}

TEST(Policy, TheFirstRuleThatMatchesWins) {
  const std::vector<std::string> rules{"orders/*=maekawa", "orders/42=central", "*x=lamport"};
  const auto policy = Policy::parse("suzuki-kasami", rules);
  ASSERT_TRUE(policy.has_value());
  EXPECT_EQ(chosen(*policy, "orders/42"), "maekawa");
  EXPECT_EQ(chosen(*policy, "orders/"), "maekawa");
  EXPECT_EQ(chosen(*policy, "order"), "suzuki-kasami");
  EXPECT_EQ(chosen(*policy, "boxx"), "lamport");
}

TEST(Policy, APatternMayContainAnEqualsSign) {
  Policy policy;
  ASSERT_TRUE(policy.add("a=b=central").has_value());
  EXPECT_EQ(chosen(policy, "a=b"), "central");
}

TEST(Policy, SaysWhatIsWrongWithARule) {
  Policy policy;
  EXPECT_THAT(policy.add("orders").error().message, HasSubstr("Write PATTERN=ALGORITHM"));
  EXPECT_THAT(policy.add("=central").error().message, HasSubstr("no pattern"));
  EXPECT_THAT(policy.add("a=paxos").error().message,
              HasSubstr("In the rule \"a=paxos\": There is no algorithm \"paxos\". There are "
                        "central, token-ring"));
  EXPECT_THAT(policy.set_default("").error().message, HasSubstr("no algorithm \"\""));
  const std::vector<std::string> rules{"a=central", "b"};
  EXPECT_THAT(Policy::parse("central", rules).error().message, HasSubstr("\"b\""));
  EXPECT_FALSE(Policy::parse("none", rules).has_value());
  EXPECT_EQ(policy, Policy{}) << "a rule that is wrong changes nothing";
}

TEST(Policy, WarnsOfWhatCanDeadlock) {
  EXPECT_THAT(Policy{}.warnings(), IsEmpty());
  const std::vector<std::string> rules{"a*=maekawa-basic", "b*=maekawa"};
  EXPECT_THAT(Policy::parse("central", rules)->warnings(),
              ElementsAre(HasSubstr("maekawa-basic can deadlock: locks a* may")));
  EXPECT_THAT(Policy::parse("maekawa-basic", {})->warnings(),
              ElementsAre(HasSubstr("locks without a rule may")));
}

TEST(AlgorithmId, IsTheOneThatTheAlgorithmHas) {
  for (const Operations* algorithm : algorithms()) {
    const AlgorithmId id = algorithm->info.id;
    EXPECT_TRUE(is_valid(id));
    EXPECT_EQ(name_of(id), algorithm->info.name);
    EXPECT_EQ(algorithm_named(algorithm->info.name), id);
    EXPECT_EQ(is_shared(id), algorithm->shared);
  }
  EXPECT_FALSE(is_valid(AlgorithmId{0x7f}));
  EXPECT_EQ(algorithm_named("replicated"), std::nullopt);
}

TEST(Policy, AnAlgorithmThatVotesMaySayByWhichSets) {
  const std::vector<std::string> rules{"a=maekawa:cyclic", "b=maekawa", "c=maekawa:plane",
                                       "d=maekawa:cyclic", "e=maekawa:1:1,2;2:2,3;3:1,3"};
  const Policy policy = Policy::parse("raymond", rules).value();
  EXPECT_EQ(policy.kind_for("b").sets, 0u);
  EXPECT_EQ(policy.kind_for("a"), policy.kind_for("d"));
  ASSERT_EQ(policy.voting_sets().size(), 3u);
  EXPECT_EQ(policy.voting_sets()[policy.kind_for("c").sets - 1].text, "plane");
  EXPECT_EQ(policy.text(),
            "a=maekawa:cyclic, b=maekawa, c=maekawa:plane, d=maekawa:cyclic, "
            "e=maekawa:1:1,2;2:2,3;3:1,3, raymond");
  for (const char* wrong : {"a=maekawa:", "a=maekawa:4", "a=maekawa:round", "a=central:cyclic"}) {
    EXPECT_FALSE(Policy{}.add(wrong).has_value()) << wrong;
  }
}

TEST(Policy, ASemaphoreSaysHowManyUnits) {
  const std::vector<std::string> rules{"pool/*=semaphore-ra:4", "reports=readers-writers"};
  const Policy policy = Policy::parse("raymond", rules).value();
  EXPECT_EQ(policy.kind_for("pool/x").units, 4u);
  EXPECT_EQ(name_of(policy.algorithm_for("pool/x")), "semaphore-ra");
  EXPECT_EQ(policy.kind_for("reports").units, 1u);
  for (const char* wrong :
       {"a=semaphore-ra", "a=semaphore-ra:0", "a=semaphore-ra:", "a=semaphore-ra:4x",
        "a=semaphore-ra:-1", "a=semaphore-ra:99999999999", "a=raymond:2"}) {
    EXPECT_FALSE(Policy{}.add(wrong).has_value()) << wrong;
  }
}

TEST(Policy, IsTextThatSaysAllOfIt) {
  const std::vector<std::string> rules{"reports/*=readers-writers", "pool/*=semaphore-ra:4"};
  EXPECT_EQ(Policy::parse("maekawa", rules).value().text(),
            "reports/*=readers-writers, pool/*=semaphore-ra:4, maekawa");
  EXPECT_EQ(Policy::parse("semaphore-ra:1", {}).value().text(), "semaphore-ra:1");
}

TEST(Policy, IsReadBackFromItsLines) {
  const std::vector<std::string> rules{"a,b c=maekawa:cyclic", "x=y=semaphore-ra:4"};
  const Policy policy = Policy::parse("maekawa:1:1,2;2:2,3;3:1,3", rules).value();
  EXPECT_EQ(policy.lines(), "a,b c=maekawa:cyclic\nx=y=semaphore-ra:4\nmaekawa:1:1,2;2:2,3;3:1,3");
  EXPECT_EQ(Policy::from_lines(policy.lines()).value(), policy);
  EXPECT_EQ(Policy::from_lines("raymond").value(), Policy::parse("raymond", {}).value());
  for (const char* wrong : {"", "raymond\n", "raymond\nmaekawa", "a=raymond\n\nmaekawa"}) {
    EXPECT_FALSE(Policy::from_lines(wrong).has_value()) << wrong;
  }
}

TEST(Policy, ChangesOnlyWhereOneAtATimeIsLetInBeforeAndAfter) {
  const auto may_follow = [](const std::string& before, const std::string& after) {
    return Policy::from_lines(before)
        .value()
        .check_change_to(Policy::from_lines(after).value())
        .has_value();
  };
  EXPECT_TRUE(may_follow("raymond", "a=maekawa\nb=central\nlamport"));
  EXPECT_TRUE(may_follow("p=semaphore-ra:4\nr=readers-writers\nraymond",
                         "p=semaphore-ra:4\nr=readers-writers\na=maekawa\ncentral"));
  EXPECT_TRUE(may_follow("p=semaphore-ra:4\nq=semaphore-ra:4\nraymond",
                         "q=semaphore-ra:4\np=semaphore-ra:4\nraymond"));
  EXPECT_FALSE(may_follow("raymond", "p=semaphore-ra:4\nraymond"));
  EXPECT_FALSE(may_follow("p=semaphore-ra:4\nraymond", "raymond"));
  EXPECT_FALSE(may_follow("p=semaphore-ra:4\nraymond", "p=semaphore-ra:3\nraymond"));
  EXPECT_FALSE(may_follow("p=readers-writers\nraymond", "p=semaphore-ra:1\nraymond"));
  EXPECT_FALSE(may_follow("p*=semaphore-ra:4\nraymond", "pa=maekawa\np*=semaphore-ra:4\nraymond"));
  EXPECT_FALSE(may_follow("raymond", "readers-writers"));
}

}  // namespace
}  // namespace hapax
