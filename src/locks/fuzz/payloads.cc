// Hostile bytes against a lock table that serves every algorithm, in between what clients do.
//
// An input is a row of commands, a byte each and what it needs:
//   0x00 … 0x7f   receive from member 0 … 3 (3 is none): a length byte, and so many bytes
//   0x80 … 0xff   a client acquires, releases or gives up: a byte that chooses lock and waiter
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/testing/fuzz.h"
#include "catalog/catalog.h"
#include "core/lock_name.h"
#include "locks/lock_table.h"

namespace hapax {
namespace {

constexpr std::uint32_t kSize = 3;

// "maekawa/x" is served by maekawa, and so on.
Policy policy_of_all() {
  Policy policy;
  for (const Operations* algorithm : algorithms()) {
    const MutexInfo& info = algorithm->info;
    const auto rule = fmt::format("{0}/*={0}{1}", info.name, info.takes.units ? ":1" : "");
    HAPAX_CHECK(policy.add(rule).has_value());
  }
  return policy;
}

std::string lock_of(std::uint8_t choice) {
  return fmt::format("{}/x", algorithms()[choice % algorithms().size()]->info.name);
}

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  std::span<const std::uint8_t> take(std::size_t count) {
    const auto taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

// The client's view must stay sound, whatever peers write.
void check_out(const LockTable& table, const Outbox& out, NodeId from) {
  for (const auto& send : out.sends()) {
    HAPAX_CHECK(number(send.to) < kSize);
    HAPAX_CHECK(send.to != table.membership().self);
    HAPAX_CHECK(!out.bytes(send).empty());
  }
  std::set<WaiterId> holders;
  table.for_each_lock([&](const LockStatus& lock) {
    HAPAX_CHECK(check_lock_name(lock.name).has_value());
    if (lock.holder) holders.insert(lock.holder->waiter);
    for (const LockHolder& sharer : lock.sharers) holders.insert(sharer.waiter);
  });
  for (const Grant& grant : out.grants()) HAPAX_CHECK(holders.contains(grant.waiter));
  for (const auto& complaint : out.complaints()) HAPAX_CHECK(complaint.peer == from);
}

void check_counts(const LockTable& table) {
  std::uint64_t instances = 0;
  std::uint64_t held = 0;
  std::uint64_t waiting = 0;
  table.for_each_lock([&](const LockStatus& lock) {
    ++instances;
    held += lock.sharers.size() + (lock.holder ? 1 : 0);
    waiting += lock.waiters.size();
    const bool is_held = lock.holder || !lock.sharers.empty();
    // A member may use units and wait for another.
    if (lock.phase != Phase::waiting) HAPAX_CHECK(is_held == (lock.phase == Phase::inside));
    if (!lock.waiters.empty()) HAPAX_CHECK(lock.phase != Phase::idle);
  });
  HAPAX_CHECK(instances == table.stats().instances);
  HAPAX_CHECK(held == table.stats().held);
  HAPAX_CHECK(waiting == table.stats().waiting);
}

void run(std::span<const std::uint8_t> bytes) {
  static const Policy policy = policy_of_all();
  LockTable table{{Epoch{1}, kSize, NodeId{1}}, policy, {.most_locks = 64}};
  Outbox out;
  for (Input input{bytes}; !input.empty(); out.clear()) {
    const std::uint8_t command = input.byte();
    const NodeId from{command % 4u};
    if (command < 0x80) {
      table.receive(from, input.take(input.byte()), out);
    } else {
      const std::uint8_t choice = input.byte();
      const std::string name = lock_of(choice);
      const WaiterId waiter{choice / algorithms().size()};
      // Errors are as good as success here: clients are outsiders, too.
      if (command < 0xc0) {
        (void)table.acquire(name, waiter, command < 0xa0 ? Want::any : Want::shared, out);
      } else if (command < 0xe0) {
        (void)table.release(name, waiter, out);
      } else {
        (void)table.abandon(name, waiter, out);
      }
    }
    check_out(table, out, from);
  }
  check_counts(table);
}

}  // namespace
}  // namespace hapax

HAPAX_FUZZ_TARGET(payloads) { hapax::run(input); }
