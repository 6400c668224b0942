#include "waits/graph.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Person process(std::uint32_t pid) {
  Person person;
  person.host = "h";
  person.pid = pid;
  return person;
}

LockInfo lock(const std::string& name, std::uint32_t holder, std::vector<std::uint32_t> waiters) {
  LockInfo info{name, "ricart-agrawala", process(holder), {}, {}};
  for (const std::uint32_t pid : waiters) info.waiters.push_back(process(pid));
  return info;
}

// Who is 100 more is a child.
std::vector<std::uint32_t> lineage(const Person& person) {
  if (person.pid > 100) return {person.pid, person.pid - 100};
  return {person.pid};
}

TEST(WaitsFor, ALockLeadsToWhatItsHolderWaitsFor) {
  const std::vector<LockInfo> locks{lock("a", 1, {2}), lock("b", 2, {103}), lock("c", 3, {})};
  const WaitsFor graph{locks, lineage};
  EXPECT_THAT(graph.edges().at("b"), ElementsAre("a"));
  EXPECT_THAT(graph.edges().at("c"), ElementsAre("b")) << "its child waits";
  EXPECT_THAT(graph.wanted_by(process(2)), ElementsAre("a"));
  EXPECT_THAT(graph.kept_by(process(103), locks), ElementsAre("c"));
  EXPECT_THAT(graph.cycles(), IsEmpty());
}

TEST(WaitsFor, ACycleOfEachKnotIsFound) {
  const WaitsFor graph{{lock("a", 1, {3}), lock("b", 2, {1}), lock("c", 3, {2, 9}),
                        lock("d", 4, {5}), lock("e", 5, {4}), lock("f", 6, {5}), lock("g", 7, {7})},
                       lineage};
  EXPECT_THAT(graph.cycles(),
              ::testing::UnorderedElementsAre(ElementsAre("a", "b", "c"), ElementsAre("d", "e"),
                                              ElementsAre("g")));
  EXPECT_THAT(graph.cycles_from("f"), IsEmpty());
}

TEST(WaitsFor, AReaderWaitsButAUnitMayComeBack) {
  LockInfo read{"r", "readers-writers", std::nullopt, {process(1), process(2)}, {process(3)}};
  LockInfo unit{"u", "semaphore-ra", std::nullopt, {process(1), process(2)}, {process(3)}};
  const WaitsFor graph{{read, unit, lock("a", 3, {1})}, lineage};
  EXPECT_THAT(graph.cycles(), ElementsAre(ElementsAre("a", "r")));
}

TEST(WaitsFor, AChainOfTenThousandIsNoTrouble) {
  std::vector<LockInfo> locks;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    locks.push_back(lock(fmt::format("{:05}", i), i, {i + 1}));
  }
  const auto alone = [](const Person& person) { return std::vector{person.pid}; };
  EXPECT_THAT(WaitsFor(locks, alone).cycles(), IsEmpty());
  locks.back().waiters.push_back(process(0));
  const auto cycles = WaitsFor(locks, alone).cycles();
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_EQ(cycles.front().size(), 10'000u);
}

}  // namespace
}  // namespace hapax
