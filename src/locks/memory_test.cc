// What locks cost in memory, counted at operator new: bytes in use, with malloc's own eight for
// each; and how often the steady state allocates.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "locks/lock_store.h"
#include "locks/lock_table.h"
#include "locks/testing/table_group.h"

#ifndef HAPAX_SANITIZED  // They have a `new` of their own.

namespace {
// Other tests of this program have threads.
std::atomic<std::uint64_t> bytes_in_use{0};
std::atomic<std::uint64_t> allocations{0};

constexpr std::uint64_t kOverhead = 8;
}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* at = std::malloc(size);
  if (at == nullptr) return nullptr;
  bytes_in_use += malloc_usable_size(at) + kOverhead;
  ++allocations;
  return at;
}
void* operator new(std::size_t size) {
  void* at = operator new(size, std::nothrow);
  if (at == nullptr) throw std::bad_alloc{};
  return at;
}
void operator delete(void* at) noexcept {
  if (at != nullptr) bytes_in_use -= malloc_usable_size(at) + kOverhead;
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept { operator delete(at); }
void operator delete(void* at, const std::nothrow_t&) noexcept { operator delete(at); }

namespace hapax {
namespace {

constexpr int kMany = 100'000;
std::string name_of_lock(int i) { return fmt::format("orders/{:05}", i); }  // 12 bytes.

// Member 1 of three takes all locks; what its own table costs.
std::uint64_t bytes_of_held_locks(std::string_view algorithm) {
  std::vector<std::unique_ptr<LockTable>> tables;
  for (std::uint32_t i = 0; i < 3; ++i) {
    tables.push_back(
        std::make_unique<LockTable>(Membership{Epoch{1}, 3, NodeId{i}}, all_by(algorithm)));
  }
  Outbox asked;
  Outbox answered;
  for (int i = 0; i < kMany; ++i) {
    EXPECT_TRUE(tables[1]->acquire(name_of_lock(i), WaiterId{1}, asked).has_value());
    while (!asked.sends().empty()) {
      const Outbox sent = std::exchange(asked, Outbox{});
      for (const auto& send : sent.sends()) {
        tables[number(send.to)]->receive(NodeId{1}, sent.bytes(send), answered);
        for (const auto& reply : answered.sends()) {
          EXPECT_EQ(reply.to, NodeId{1});
          tables[1]->receive(send.to, answered.bytes(reply), asked);
        }
        answered.clear();
      }
    }
    asked.clear();
  }
  EXPECT_EQ(tables[1]->stats().held, std::uint64_t{kMany});
  const std::uint64_t before = bytes_in_use;
  tables[1].reset();
  return before - bytes_in_use;
}

TEST(LockTableMemory, AHundredThousandHeldLocksFitIn20MB) {
  for (const std::string_view algorithm :
       {"carvalho-roucairol", "ricart-agrawala", "maekawa", "central", "naimi-trehel", "lamport"}) {
    const std::uint64_t bytes = bytes_of_held_locks(algorithm);
    fmt::print("{}: {} held locks take {:.1f} MB, {} bytes each\n", algorithm, kMany,
               static_cast<double>(bytes) / 1e6, bytes / kMany);
    EXPECT_LT(bytes, 20'000'000u) << algorithm;
    EXPECT_GT(bytes, kMany * sizeof(LockEntry)) << "not counted";
  }
}

// A lock that was used and is like new again leaves nothing behind.
TEST(LockTableMemory, LocksNobodyUsesTakeNothing) {
  LockTable table{{Epoch{1}, 1, NodeId{0}}, Policy{}};
  Outbox out;
  const auto use = [&](const std::string& name) {
    out.clear();
    ASSERT_TRUE(table.acquire(name, WaiterId{1}, out).has_value());
    ASSERT_TRUE(table.release(name, WaiterId{1}, out).has_value());
  };
  use(name_of_lock(0));
  const std::uint64_t before = bytes_in_use;
  for (int i = 0; i < 10'000; ++i) use(name_of_lock(i));
  EXPECT_EQ(bytes_in_use, before);
}

// Instances come and go, messages are written and read, and nothing is allocated. (Lamport, central
// and Raymond keep a queue on the heap, Maekawa a bid, Suzuki-Kasami a token: one allocation each.)
TEST(LockTableMemory, TheSteadyStateAllocatesNothing) {
  for (const std::string_view algorithm :
       {"carvalho-roucairol", "ricart-agrawala", "naimi-trehel", "bakery", "token-ring"}) {
    SCOPED_TRACE(algorithm);
    LockTable asker{{Epoch{1}, 2, NodeId{0}}, all_by(algorithm)};
    LockTable other{{Epoch{1}, 2, NodeId{1}}, all_by(algorithm)};
    Outbox from_asker;
    Outbox from_other;
    const auto carry = [&] {
      while (!from_asker.sends().empty() || !from_other.sends().empty()) {
        for (const auto& send : from_asker.sends()) {
          other.receive(NodeId{0}, from_asker.bytes(send), from_other);
        }
        from_asker.clear();
        for (const auto& send : from_other.sends()) {
          asker.receive(NodeId{1}, from_other.bytes(send), from_asker);
        }
        from_other.clear();
      }
    };
    std::uint64_t before = 0;
    for (int round = 0; round < 200; ++round) {
      if (round == 100) before = allocations;
      for (const std::string_view name : {"lock-0", "lock-1", "lock-2", "lock-3"}) {
        from_asker.clear();
        ASSERT_TRUE(asker.acquire(name, WaiterId{1}, from_asker).has_value());
        carry();
        ASSERT_EQ(asker.stats().held, 1u);
        ASSERT_TRUE(asker.release(name, WaiterId{1}, from_asker).has_value());
        carry();
      }
    }
    EXPECT_EQ(allocations, before);
  }
}

}  // namespace
}  // namespace hapax

#endif
