#include "locks/waiter_queue.h"

#include <deque>
#include <gmock/gmock.h>
#include <vector>

#include "base/prng.h"

namespace hapax {
namespace {

std::vector<WaiterId> listed(const WaiterPool& pool, const WaiterQueue& queue) {
  std::vector<WaiterId> all;
  pool.for_each(queue, [&](WaiterId waiter) { all.push_back(waiter); });
  return all;
}

TEST(WaiterQueue, QueuesOfOnePoolAreAsGoodAsQueuesOfTheirOwn) {
  WaiterPool pool;
  std::vector<WaiterQueue> queues(3);
  std::vector<std::deque<WaiterId>> models(3);
  Prng prng{1};
  for (std::uint64_t step = 1; step <= 5000; ++step) {
    const std::size_t at = prng.below(3);
    WaiterQueue& queue = queues[at];
    const auto lock = static_cast<std::uint32_t>(at);
    auto& model = models[at];
    switch (prng.below(4)) {
      case 0:
      case 1:
        if (model.size() < 8) {
          pool.push(queue, lock, WaiterId{step});
          model.push_back(WaiterId{step});
        }
        break;
      case 2:
        if (!model.empty()) {
          EXPECT_EQ(pool.pop(queue, lock), model.front());
          model.pop_front();
        }
        break;
      default:
        EXPECT_FALSE(pool.remove(queue, lock, WaiterId{0}));
        if (!model.empty()) {
          const auto which = model.begin() + static_cast<std::ptrdiff_t>(prng.below(model.size()));
          EXPECT_TRUE(pool.remove(queue, lock, *which));
          model.erase(which);
        }
    }
    EXPECT_EQ(queue.empty(), model.empty());
    EXPECT_EQ(listed(pool, queue), (std::vector<WaiterId>{model.begin(), model.end()}));
  }
}

TEST(WaiterQueue, AHundredThousandLeaveFromTheMiddleWithoutASearch) {
  constexpr std::uint64_t kInLine = 100'000;  // Squared, that would be minutes.
  WaiterPool pool;
  WaiterQueue queue;
  for (std::uint64_t i = 0; i < 2 * kInLine; ++i) pool.push(queue, 0, WaiterId{i});
  for (std::uint64_t i = 1; i < 2 * kInLine; i += 2)
    EXPECT_TRUE(pool.remove(queue, 0, WaiterId{i}));
  for (std::uint64_t i = 0; i < 2 * kInLine; i += 2) ASSERT_EQ(pool.pop(queue, 0), WaiterId{i});
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace hapax
