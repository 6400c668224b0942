// What docs/fences.md claims of any gate, over every order of three holders' accesses.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "hapax/fence.h"

namespace hapax {
namespace {

TEST(InMemory, RefusesWhoeverIsLate) {
  FenceGate gate;
  EXPECT_TRUE(gate.admit({Epoch{1}, Turn{5}}));
  EXPECT_FALSE(gate.admit({Epoch{1}, Turn{4}}));
  EXPECT_TRUE(gate.admit({Epoch{1}, Turn{5}})) << "the same holder comes again";
  EXPECT_TRUE(gate.admit({Epoch{2}, Turn{1}})) << "a later epoch goes first";
  EXPECT_EQ(gate.highest(), (Fence{Epoch{2}, Turn{1}}));
}

struct Outcome {
  int balance = 0;
  int accepted = 0;  // Writes, of one each.
};

// Each holder reads, then writes what it read plus one; `order` says whose access is next. Holder h
// has fence h + 1; it may be late, and others may have the lock meanwhile.
Outcome play(const std::vector<int>& order, bool guarded_reads) {
  FenceGate gate;
  Outcome outcome;
  std::array<int, 3> read{};
  std::array<bool, 3> may_write{};
  std::array<bool, 3> began{};
  for (const int holder : order) {
    const auto h = static_cast<std::size_t>(holder);
    const Fence fence{Epoch{1}, Turn{h + 1}};
    if (!began[h]) {
      began[h] = true;
      may_write[h] = !guarded_reads || gate.admit(fence);
      read[h] = outcome.balance;
    } else if (may_write[h] && gate.admit(fence)) {
      outcome.balance = read[h] + 1;
      ++outcome.accepted;
    }
  }
  return outcome;
}

template <class F>
void for_each_order(F&& f) {
  std::vector<int> order{0, 0, 1, 1, 2, 2};
  do f(order);
  while (std::next_permutation(order.begin(), order.end()));
}

TEST(InMemory, NoUpdateIsLostInAnyOrder) {
  int orders = 0;
  for_each_order([&](const std::vector<int>& order) {
    const Outcome outcome = play(order, true);
    EXPECT_EQ(outcome.balance, outcome.accepted);
    EXPECT_GE(outcome.accepted, 1) << "the latest always passes";
    ++orders;
  });
  EXPECT_EQ(orders, 90);
}

TEST(InMemory, UpdatesAreLostIfReadsDoNotRaiseTheMark) {
  int lost = 0;
  for_each_order([&](const std::vector<int>& order) {
    const Outcome outcome = play(order, false);
    lost += outcome.balance < outcome.accepted ? 1 : 0;
  });
  EXPECT_GT(lost, 0);
}

// Readers come in any order and do not shut each other out; a writer shuts out all before it.
TEST(InMemory, ReadersShutOutOnlyEarlierWriters) {
  FenceGate gate;
  EXPECT_TRUE(gate.admit_shared({Epoch{1}, Turn{6}}));
  EXPECT_TRUE(gate.admit_shared({Epoch{1}, Turn{4}})) << "it reads together with the other";
  EXPECT_FALSE(gate.admit({Epoch{1}, Turn{5}})) << "a writer that a reader came after";
  EXPECT_TRUE(gate.admit({Epoch{1}, Turn{7}}));
  EXPECT_FALSE(gate.admit_shared({Epoch{1}, Turn{6}})) << "a reader that a writer came after";
  EXPECT_TRUE(gate.admit_shared({Epoch{1}, Turn{8}}));
  EXPECT_FALSE(gate.admit({Epoch{1}, Turn{7}}));
  EXPECT_EQ(gate.highest(), (Fence{Epoch{1}, Turn{8}}));
}

}  // namespace
}  // namespace hapax
