// What only the bakery promises; the rest is in seat_test.cc and bakery_model_test.cc.
#include "memory/bakery_lock.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

namespace hapax {
namespace {

TEST(BakeryLock, ServesInTheOrderOfTickets) {
  BakeryLock lock{6};
  auto gate = lock.seat(NodeId{0});
  std::vector<std::uint32_t> served;
  std::vector<std::jthread> crowd;
  gate.lock();
  std::uint32_t tickets = 1;
  for (const std::uint32_t i : {3u, 1u, 5u, 2u, 4u}) {
    crowd.emplace_back([&, i] {
      auto seat = lock.seat(NodeId{i});
      std::scoped_lock guard{seat};
      served.push_back(i);
    });
    ++tickets;
    while (lock.tickets_out() < tickets) std::this_thread::yield();
  }
  gate.unlock();
  crowd.clear();
  EXPECT_EQ(served, (std::vector<std::uint32_t>{3, 1, 5, 2, 4}));
}

}  // namespace
}  // namespace hapax
