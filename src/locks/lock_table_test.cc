// The lock table as its callers see it: one group of tables, all algorithms.
#include "locks/lock_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "base/prng.h"
#include "catalog/catalog.h"
#include "core/lock_name.h"
#include "locks/testing/table_group.h"
#include "voting/tree.h"
#include "voting/voting_sets.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names_of_all() {
  std::vector<std::string> names;
  for (const Operations* algorithm : algorithms()) {
    if (!algorithm->shared) names.emplace_back(algorithm->info.name);
  }
  return names;
}

std::string as_test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// A name at home with that member.
std::string name_at(std::uint32_t home, std::uint32_t size) {
  for (int i = 0;; ++i) {
    std::string name = "lock-" + std::to_string(i);
    if (home_of(name, size) == NodeId{home}) return name;
  }
}

std::uint64_t instances(TableGroup& group) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < group.size(); ++i) sum += group.table(i).stats().instances;
  return sum;
}

class LockTableOf : public ::testing::TestWithParam<std::string> {
 protected:
  bool can_deadlock() const { return find_algorithm(GetParam())->info.can_deadlock; }
};
INSTANTIATE_TEST_SUITE_P(Algorithms, LockTableOf, ::testing::ValuesIn(names_of_all()),
                         as_test_name);

// --- random schedules ---

struct Mix {
  std::uint32_t size = 3;
  int names = 2;
  int steps = 400;
  std::uint64_t deliver_share = 6;  // Of 10; the rest is what clients do.
  bool copies = false;              // Before each step the tables are replaced by copies.
};

// A schedule drawn from the seed; then everybody is served.
void play(const std::string& algorithm, const Mix& mix, std::uint64_t seed, bool must_serve) {
  SCOPED_TRACE(fmt::format("{} size={} names={} seed={}", algorithm, mix.size, mix.names, seed));
  TableGroup group{mix.size, all_by(algorithm)};
  Prng prng{seed};
  for (int step = 0; step < mix.steps && !::testing::Test::HasFailure(); ++step) {
    if (mix.copies) group.replace_by_copies();
    const auto busy = group.busy_links();
    if (!busy.empty() && prng.below(10) < mix.deliver_share) {
      const auto [from, to] = busy[prng.below(busy.size())];
      group.deliver(from, to);
      continue;
    }
    const std::uint64_t what = prng.below(10);
    if (what < 4 && group.waiting().size() < 12) {
      group.acquire(static_cast<std::uint32_t>(prng.below(mix.size)),
                    "name-" + std::to_string(prng.below(static_cast<std::uint64_t>(mix.names))));
    } else if (what < 8 && !group.inside().empty()) {
      group.release(TableGroup::Waiter{group.inside()[prng.below(group.inside().size())]});
    } else if (what >= 8 && !group.waiting().empty()) {
      group.abandon(TableGroup::Waiter{group.waiting()[prng.below(group.waiting().size())]});
    }
  }
  const bool served = group.serve_all();
  if (must_serve) {
    EXPECT_TRUE(served) << group.waiting().size() << " wait for ever";
    EXPECT_GT(group.entries(), 0u);
    for (std::uint32_t i = 0; i < mix.size; ++i) {
      EXPECT_EQ(group.table(i).stats().held, 0u);
      EXPECT_EQ(group.table(i).stats().waiting, 0u);
      group.table(i).for_each_lock(
          [&](const LockStatus& lock) { EXPECT_EQ(lock.phase, Phase::idle) << lock.name; });
    }
  }
}

TEST_P(LockTableOf, ExcludesAndServesAllOfThreeMembersInAnySchedule) {
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    play(GetParam(), {.size = 3}, seed, !can_deadlock());
  }
}

TEST_P(LockTableOf, ExcludesAndServesAllOfFiveMembersInAnySchedule) {
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    play(GetParam(), {.size = 5, .names = 1, .steps = 600}, seed, !can_deadlock());
  }
}

// Many names, mostly idle: instances come and go all the time, and fences go on growing.
TEST_P(LockTableOf, DroppingInstancesBreaksNothing) {
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    play(GetParam(), {.size = 3, .names = 12, .steps = 600, .deliver_share = 8}, seed,
         !can_deadlock());
  }
}

TEST_P(LockTableOf, CopiesGoOnAsTheOriginalWould) {
  for (std::uint64_t seed = 1; seed <= 6 && !HasFailure(); ++seed) {
    play(GetParam(), {.size = 3, .names = 10, .copies = true}, seed, !can_deadlock());
  }
}

TEST_P(LockTableOf, WorksAloneInItsGroup) {
  TableGroup group{1, all_by(GetParam())};
  const auto first = group.acquire(0, "one");
  const auto second = group.acquire(0, "one");
  const auto third = group.acquire(0, "one");
  EXPECT_TRUE(group.is_inside(first));
  group.abandon(second);
  group.release(first);
  EXPECT_TRUE(group.is_inside(third));
  group.release(third);
  EXPECT_EQ(group.messages(), 0u);
  EXPECT_EQ(instances(group), 0u);
}

TEST_P(LockTableOf, TwoWaitersOfOneMemberNeverShareAFence) {
  TableGroup group{3, all_by(GetParam())};
  const std::string name = name_at(0, 3);
  std::vector<Fence> fences;
  for (int i = 0; i < 5; ++i) group.acquire(1, name);
  while (!group.waiting().empty() || !group.inside().empty()) {
    ASSERT_TRUE(group.drain());
    ASSERT_EQ(group.inside().size(), 1u);
    fences.push_back(group.highest(name));
    group.release(TableGroup::Waiter{group.inside().front()});
  }
  ASSERT_EQ(fences.size(), 5u);
  for (std::size_t i = 1; i < fences.size(); ++i) EXPECT_GT(fences[i], fences[i - 1]);
  EXPECT_EQ(fences.front().epoch, Epoch{7});
}

// --- giving up ---

TEST_P(LockTableOf, WhoeverGivesUpLeavesTheRequestToTheNextLocalWaiter) {
  TableGroup group{3, all_by(GetParam())};
  const std::string name = name_at(0, 3);
  const auto first = group.acquire(1, name);
  const auto second = group.acquire(1, name);
  group.abandon(first);
  ASSERT_TRUE(group.drain());
  EXPECT_TRUE(group.is_inside(second));
  group.release(second);
  EXPECT_TRUE(group.serve_all());
}

TEST_P(LockTableOf, AGrantForNobodyIsReleasedAtOnce) {
  TableGroup group{3, all_by(GetParam())};
  const std::string name = name_at(0, 3);
  group.abandon(group.acquire(1, name));
  ASSERT_TRUE(group.drain());
  EXPECT_EQ(group.entries(), 0u);
  const auto other = group.acquire(2, name);
  ASSERT_TRUE(group.drain());
  EXPECT_TRUE(group.is_inside(other));
}

// --- messages ---

// Messages of one entry of `node`, everybody else idle.
std::uint64_t cost_of_entry(TableGroup& group, std::uint32_t node, const std::string& name) {
  const std::uint64_t before = group.messages();
  const auto waiter = group.acquire(node, name);
  EXPECT_TRUE(group.drain());
  EXPECT_TRUE(group.is_inside(waiter));
  group.release(waiter);
  EXPECT_TRUE(group.drain());
  return group.messages() - before;
}

struct Costs {
  std::uint64_t first;
  std::uint64_t again;
  std::uint64_t at_home;
  auto operator<=>(const Costs&) const = default;
};
void PrintTo(const Costs& costs, std::ostream* os) {
  *os << costs.first << ", then " << costs.again << ", at home " << costs.at_home;
}

// Five members, the lock at home with 1, asked for by 3.
Costs costs_of(const std::string& algorithm) {
  TableGroup group{5, all_by(algorithm)};
  const std::string name = name_at(1, 5);
  const std::uint64_t first = cost_of_entry(group, 3, name);
  const std::uint64_t again = cost_of_entry(group, 3, name);
  TableGroup fresh{5, all_by(algorithm)};
  return {first, again, cost_of_entry(fresh, 1, name)};
}

TEST(LockTable, OneRequesterCostsWhatTheLectureSays) {
  const std::uint64_t n = 5;
  EXPECT_EQ(costs_of("central"), (Costs{3, 3, 0}));
  EXPECT_EQ(costs_of("lamport"), (Costs{3 * (n - 1), 3 * (n - 1), 3 * (n - 1)}));
  EXPECT_EQ(costs_of("ricart-agrawala"), (Costs{2 * (n - 1), 2 * (n - 1), 2 * (n - 1)}));
  // Member 3 lacks the permissions it shares with 0, 1 and 2. Then it has them.
  EXPECT_EQ(costs_of("carvalho-roucairol"), (Costs{2 * 3, 0, 0}));
  EXPECT_EQ(costs_of("suzuki-kasami"), (Costs{n, 0, 0}));
  EXPECT_EQ(costs_of("naimi-trehel"), (Costs{2, 0, 0}));
  EXPECT_EQ(costs_of("raymond"), (Costs{2, 0, 0}));  // 3 and 1 are neighbours in the tree.
  EXPECT_EQ(costs_of("bakery"), (Costs{6 * (n - 1), 6 * (n - 1), 6 * (n - 1)}));
  // A WAKE, and once round the ring; at home the token is at rest.
  EXPECT_EQ(costs_of("token-ring"), (Costs{1 + n, 1 + n, 0}));
  const auto votes = [&](std::uint32_t node) {
    return 3 * (VotingSets::grid(5).size(NodeId{node}) - 1);
  };
  EXPECT_EQ(costs_of("maekawa"), (Costs{votes(3), votes(3), votes(1)}));
  EXPECT_EQ(costs_of("maekawa-basic"), (Costs{votes(3), votes(3), votes(1)}));
}

TEST(LockTable, AStickyHandOffBetweenLocalWaitersTakesNoMessage) {
  TableGroup group{3, Policy{}};
  const std::string name = name_at(0, 3);
  const auto first = group.acquire(1, name);
  ASSERT_TRUE(group.drain());
  const std::uint64_t before = group.messages();
  const auto second = group.acquire(1, name);
  group.release(first);
  EXPECT_TRUE(group.is_inside(second));
  EXPECT_EQ(group.messages(), before);
}

// Strict order: the local waiter that came after a remote request does not overtake it.
TEST(LockTable, AHandOffDoesNotPassOverARemoteRequest) {
  for (const std::string& algorithm : names_of_all()) {
    SCOPED_TRACE(algorithm);
    TableGroup group{3, all_by(algorithm)};
    const std::string name = name_at(0, 3);
    const auto first = group.acquire(0, name);
    ASSERT_TRUE(group.drain());
    const auto remote = group.acquire(1, name);
    ASSERT_TRUE(group.drain());
    const auto local = group.acquire(0, name);
    group.release(first);
    ASSERT_TRUE(group.drain());
    EXPECT_TRUE(group.is_inside(remote));
    EXPECT_FALSE(group.is_inside(local));
    EXPECT_TRUE(group.serve_all());
  }
}

TEST(LockTable, APayloadForSeveralIsWrittenOnce) {
  LockTable table{{Epoch{1}, 5, NodeId{0}}, all_by("ricart-agrawala")};
  Outbox out;
  ASSERT_TRUE(table.acquire("a", WaiterId{1}, out).has_value());
  ASSERT_EQ(out.sends().size(), 4u);
  for (const auto& send : out.sends()) {
    EXPECT_EQ(out.bytes(send).data(), out.bytes(out.sends()[0]).data());
  }
  // Tag, length, name, then REQUEST with clock 1.
  const auto bytes = out.bytes(out.sends()[0]);
  EXPECT_THAT(std::vector<int>(bytes.begin(), bytes.end()), ElementsAre(3, 1, 0, 'a', 0, 1));
}

TEST(LockTable, LocksAreIndependent) {
  TableGroup group{3, Policy{}};
  std::vector<TableGroup::Waiter> holders;
  for (int i = 0; i < 20; ++i) {
    holders.push_back(
        group.acquire(static_cast<std::uint32_t>(i % 3), "lock-" + std::to_string(i)));
  }
  ASSERT_TRUE(group.drain());
  for (const auto& holder : holders) EXPECT_TRUE(group.is_inside(holder)) << holder.name;
}

TEST(LockTable, ServesEachLockByTheAlgorithmThatThePolicyNames) {
  const auto policy = Policy::parse("central", std::vector<std::string>{"votes/*=maekawa"});
  TableGroup group{3, *policy};
  const auto a = group.acquire(0, "votes/x");
  const auto b = group.acquire(0, "other");
  ASSERT_TRUE(group.drain());
  EXPECT_TRUE(group.is_inside(a) && group.is_inside(b));
  EXPECT_EQ(group.table(0).describe("votes/x")->algorithm, "maekawa");
  EXPECT_EQ(group.table(0).describe("other")->algorithm, "central");
  EXPECT_TRUE(group.serve_all());
}

// --- instances that cost nothing ---

TEST(LockTable, ForgetsInstancesThatAreLikeNew) {
  for (const std::string algorithm : {"central", "lamport", "ricart-agrawala", "maekawa",
                                      "maekawa-basic", "bakery", "token-ring"}) {
    SCOPED_TRACE(algorithm);
    TableGroup group{3, all_by(algorithm)};
    for (int i = 0; i < 50; ++i) {
      cost_of_entry(group, static_cast<std::uint32_t>(i % 3), "lock-" + std::to_string(i % 10));
    }
    EXPECT_EQ(instances(group), 0u);
    EXPECT_GT(group.table(0).stats().dropped, 0u);
  }
}

// Where the permission or the token moved away, both ends have to remember.
TEST(LockTable, RemembersWhatMoved) {
  for (const std::string algorithm :
       {"carvalho-roucairol", "suzuki-kasami", "raymond", "naimi-trehel"}) {
    SCOPED_TRACE(algorithm);
    TableGroup group{3, all_by(algorithm)};
    const std::string name = name_at(0, 3);
    cost_of_entry(group, 0, name);
    EXPECT_EQ(instances(group), 0u) << "used at home only";
    cost_of_entry(group, 1, name);
    EXPECT_GE(group.table(0).stats().instances, 1u);
    EXPECT_EQ(group.table(1).stats().instances, 1u);
  }
}

TEST(LockTable, AnIdleRingIsSilentAndNobodyThatAsksIsForgotten) {
  TableGroup group{5, all_by("token-ring")};
  const std::string name = name_at(1, 5);
  for (std::uint32_t node = 0; node < 5; ++node) {
    cost_of_entry(group, node, name);
    EXPECT_THAT(group.busy_links(), IsEmpty());
  }
  // The WAKE finds the token out: it has passed 3 by, comes home, and leaves again.
  const auto first = group.acquire(4, name);
  group.deliver(4, 1);
  group.deliver(1, 2);
  group.deliver(2, 3);
  group.deliver(3, 4);
  ASSERT_TRUE(group.is_inside(first));
  const auto passed_by = group.acquire(3, name);
  group.deliver(3, 1);
  group.release(first);
  ASSERT_TRUE(group.drain());
  EXPECT_TRUE(group.is_inside(passed_by));
  EXPECT_TRUE(group.serve_all());
  EXPECT_EQ(instances(group), 0u);
}

// --- views ---

TEST_P(LockTableOf, GoesOnFromALockThatIsHeldAsTheViewStarts) {
  TableGroup group{3, all_by(GetParam())};
  const std::string name = name_at(0, 3);
  const auto holder = group.begin_held(2, name, Fence{Epoch{6}, Turn{99}});
  const auto remote = group.acquire(1, name);
  const auto local = group.acquire(2, name);
  ASSERT_TRUE(group.drain());
  EXPECT_FALSE(group.is_inside(remote));
  EXPECT_FALSE(group.is_inside(local));
  EXPECT_EQ(group.table(2).describe(name)->holder->fence, (Fence{Epoch{6}, Turn{99}}));
  group.release(holder);
  EXPECT_TRUE(group.serve_all());
  // It does not fall back to the home of its hash, though idle again.
  EXPECT_EQ(group.table(0).describe(name)->home, NodeId{2});
  const auto again = group.acquire(0, name);
  ASSERT_TRUE(group.drain());
  EXPECT_TRUE(group.is_inside(again));
}

// --- clients are outsiders, too ---

TEST(LockTable, AClientsMistakeIsAnErrorValue) {
  LockTable table{{Epoch{1}, 1, NodeId{0}}, Policy{}};
  Outbox out;
  EXPECT_THAT(table.release("a", WaiterId{1}, out).error().message, HasSubstr("not hold a"));
  ASSERT_TRUE(table.acquire("a", WaiterId{1}, out).has_value());
  ASSERT_TRUE(table.acquire("a", WaiterId{2}, out).has_value());
  EXPECT_FALSE(table.release("a", WaiterId{2}, out).has_value()) << "it only waits";
  EXPECT_FALSE(table.abandon("a", WaiterId{1}, out).has_value()) << "it holds it";
  EXPECT_FALSE(table.abandon("a", WaiterId{3}, out).has_value());
  EXPECT_THAT(table.acquire("a", WaiterId{1}, out).error().message, HasSubstr("hold a already"));
  EXPECT_FALSE(table.acquire("", WaiterId{1}, out).has_value());
  EXPECT_FALSE(table.acquire("a\n", WaiterId{1}, out).has_value());
  EXPECT_FALSE(table.begin("a", NodeId{0}, false, std::nullopt).has_value());
  EXPECT_EQ(out.grants().size(), 1u);
  EXPECT_EQ(table.stats().waiting, 1u);
  EXPECT_TRUE(table.release("a", WaiterId{1}, out).has_value());
  ASSERT_EQ(out.grants().size(), 2u);
  EXPECT_EQ(out.grants()[1].waiter, WaiterId{2});
}

TEST(LockTable, RefusesMoreLocksThanItMayKeep) {
  LockTable table{{Epoch{1}, 1, NodeId{0}}, Policy{}, {.most_locks = 2}};
  Outbox out;
  EXPECT_TRUE(table.acquire("a", WaiterId{1}, out).has_value());
  EXPECT_TRUE(table.acquire("b", WaiterId{2}, out).has_value());
  EXPECT_THAT(table.acquire("c", WaiterId{3}, out).error().message, HasSubstr("no room"));
  EXPECT_TRUE(table.release("a", WaiterId{1}, out).has_value());
  EXPECT_TRUE(table.acquire("c", WaiterId{3}, out).has_value());
}

// --- for people ---

TEST(LockTable, TellsAllThatAreInUsePageByPage) {
  Policy policy;
  ASSERT_TRUE(policy.add("read/*=readers-writers"));
  LockTable table{{Epoch{1}, 1, NodeId{0}}, policy};
  Outbox out;
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < 25; ++i) {
    const std::string name = (i % 3 == 0 ? "read/" : "") + std::to_string(i);
    ASSERT_TRUE(table.acquire(name, WaiterId{i + 1}, out).has_value());
    if (i % 5 == 4) {
      ASSERT_TRUE(table.release(name, WaiterId{i + 1}, out).has_value());
    } else {
      names.insert(name);
    }
  }
  std::vector<std::string> told;
  std::uint64_t place = 0;
  int pages = 0;
  do {
    const std::size_t before = told.size();
    place =
        table.for_in_use_from(place, 4, [&](const LockStatus& lock) { told.push_back(lock.name); });
    EXPECT_LE(told.size() - before, 4u);
    ++pages;
  } while (place != 0 && pages < 100);
  EXPECT_EQ(pages, 5);
  EXPECT_EQ(told.size(), names.size());
  EXPECT_EQ(std::set<std::string>(told.begin(), told.end()), names);
}

TEST(LockTable, TellsWhoHoldsAndWhoWaits) {
  TableGroup group{3, all_by("central")};
  const std::string name = name_at(0, 3);
  const auto holder = group.acquire(1, name);
  const auto second = group.acquire(1, name);
  const auto third = group.acquire(1, name);
  ASSERT_TRUE(group.drain());
  const LockStatus status = *group.table(1).describe(name);
  EXPECT_EQ(status.name, name);
  EXPECT_EQ(status.algorithm, "central");
  EXPECT_EQ(status.phase, Phase::inside);
  EXPECT_EQ(status.home, NodeId{0});
  ASSERT_TRUE(status.holder.has_value());
  EXPECT_EQ(status.holder->waiter, holder.id);
  EXPECT_EQ(status.holder->fence, (Fence{Epoch{7}, Turn{1}}));
  EXPECT_THAT(status.waiters, ElementsAre(second.id, third.id));
  EXPECT_THAT(group.table(0).describe(name)->state, HasSubstr("queue=[#1]"));

  const LockStatus unknown = *group.table(1).describe("never heard of");
  EXPECT_EQ(unknown.phase, Phase::idle);
  EXPECT_EQ(unknown.home, home_of("never heard of", 3));
  EXPECT_FALSE(group.table(1).describe("\x01").has_value());

  std::vector<std::string> all;
  group.table(1).for_each_lock([&](const LockStatus& lock) { all.push_back(lock.name); });
  EXPECT_THAT(all, ElementsAre(name));
}

TEST(LockTable, CountsWhatItDoes) {
  TableGroup group{3, all_by("central")};
  const std::string name = name_at(0, 3);
  cost_of_entry(group, 1, name);
  const LockStats& home = group.table(0).stats();
  const LockStats& asker = group.table(1).stats();
  EXPECT_EQ(asker.entries, 1u);
  EXPECT_EQ(asker.algorithms[0].sent, 2u);
  EXPECT_EQ(asker.algorithms[0].received, 1u);
  EXPECT_EQ(home.algorithms[0].sent, 1u);
  EXPECT_EQ(home.algorithms[0].received, 2u);
  EXPECT_EQ(home.entries, 0u);
}

TEST(LockTable, VotesByTheSetsThatARuleNames) {
  const auto messages = [](std::uint32_t size, std::string_view algorithm) {
    TableGroup group{size, all_by(algorithm)};
    group.acquire(0, "one");
    EXPECT_TRUE(group.serve_all());
    return group.messages();
  };
  EXPECT_EQ(messages(7, "maekawa:plane"), 6u) << "K = 3";
  EXPECT_EQ(messages(10, "maekawa:cyclic"), 9u) << "K = 4";
  EXPECT_EQ(messages(10, "maekawa"), 15u) << "the grid: K = 6";
  EXPECT_EQ(messages(10, "maekawa:plane"), 15u) << "there is no plane of ten";
}

}  // namespace
}  // namespace hapax
