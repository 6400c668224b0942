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
    auto& model = models[at];
    switch (prng.below(4)) {
      case 0:
      case 1:
        if (model.size() < 8) {
          pool.push(queue, WaiterId{step});
          model.push_back(WaiterId{step});
        }
        break;
      case 2:
        if (!model.empty()) {
          EXPECT_EQ(pool.pop(queue), model.front());
          model.pop_front();
        }
        break;
      default:
        EXPECT_FALSE(pool.remove(queue, WaiterId{0}));
        if (!model.empty()) {
          const auto which = model.begin() + static_cast<std::ptrdiff_t>(prng.below(model.size()));
          EXPECT_TRUE(pool.remove(queue, *which));
          model.erase(which);
        }
    }
    EXPECT_EQ(queue.empty(), model.empty());
    EXPECT_EQ(listed(pool, queue), (std::vector<WaiterId>{model.begin(), model.end()}));
  }
}

}  // namespace
}  // namespace hapax
