// Locks that several hold, through a change of view: two members, an engine and links that answer
// at once.
#include <array>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>

#include "service/service.h"
#include "swarm/virtual_engine.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SharedViews : public ::testing::Test, public Holders {
 protected:
  SharedViews() {
    const std::array<std::string, 2> rules{"reports/*=readers-writers", "pool/*=semaphore-ra:2"};
    const Policy policy = Policy::parse("naimi-trehel", rules).value();
    for (std::uint64_t i = 0; i < 2; ++i) {
      services_[i] = std::make_unique<Service>(policy, LeaseTimes{}, *this, true);
      engine_.enlist(Life{i + 1});
      services_[i]->be_born(Life{i + 1});
    }
  }

  // Until everybody is in a view, all of them in the same.
  void assemble() {
    for (std::size_t i = 0; i < 2; ++i) {
      services_[i]->announce(now_, orders_[i]);
      settle();
    }
    run();
    ASSERT_EQ(services_[0]->keeper().roll().members.size(), 2u);
    ASSERT_NE(services_[0]->views().table(), nullptr);
    ASSERT_NE(services_[1]->views().table(), nullptr);
  }
  void renew() {
    const Epoch before = epoch();
    services_[0]->on_link_broken(now_, orders_[0]);
    run();
    ASSERT_LT(number(before), number(epoch()));
    ASSERT_NE(services_[0]->views().table(), nullptr);
  }
  Epoch epoch() const { return services_[0]->keeper().roll().epoch; }

  bool acquire(std::size_t at, const std::string& name, std::uint64_t waiter, Want want) {
    const auto asked = services_[at]->acquire(now_, name, WaiterId{waiter}, want, orders_[at]);
    settle();
    return asked.has_value();
  }
  void release(std::size_t at, const std::string& name, std::uint64_t waiter) {
    inside_.erase(waiter);
    EXPECT_TRUE(services_[at]
                    ->release(now_, name, WaiterId{waiter}, std::nullopt, orders_[at])
                    .has_value());
    settle();
  }
  std::vector<std::uint64_t> inside() const {
    std::vector<std::uint64_t> waiters;
    for (const auto& [waiter, fence] : inside_) waiters.push_back(waiter);
    return waiters;
  }
  Fence fence(std::uint64_t waiter) const { return inside_.at(waiter); }

 private:
  bool is_inside(WaiterId waiter) override { return inside_.contains(number(waiter)); }

  // Time goes on, without anything going wrong.
  void run() {
    for (int i = 0; i < 100; ++i) {
      now_ += std::chrono::milliseconds{50};
      for (std::size_t m = 0; m < 2; ++m) {
        services_[m]->on_time(now_, orders_[m]);
        settle();
      }
    }
  }
  void settle() {
    for (bool is_more = true; is_more;) {
      is_more = false;
      for (std::size_t m = 0; m < 2; ++m) {
        const Orders orders = std::exchange(orders_[m], {});
        EXPECT_THAT(orders.lost, IsEmpty());
        for (const auto& complaint : orders.complaints) ADD_FAILURE() << complaint.text;
        for (const Grant& grant : orders.grants) {
          inside_[number(grant.waiter)] = grant.fence;
        }
        for (const Orders::Send& send : orders.sends) {
          const std::size_t to = number(send.to) - 1;
          services_[to]->on_frame(now_, services_[m]->keeper().self(), orders.bytes(send),
                                  orders_[to]);
        }
        for (const EngineAsk& ask : orders.asks) answer(m, ask);
        is_more |= !orders.sends.empty() || !orders.asks.empty();
      }
    }
  }
  void answer(std::size_t m, const EngineAsk& ask) {
    Service& service = *services_[m];
    if (ask.kind == EngineAsk::Kind::read) {
      return service.on_register(now_, engine_.reg, Epoch{}, orders_[m]);
    }
    service.on_committed(now_, ask, carry_out(engine_, ask), orders_[m]);
  }

  Instant now_{std::chrono::seconds{1}};
  EngineRegister engine_;
  std::array<Orders, 2> orders_;
  std::array<std::unique_ptr<Service>, 2> services_;
  std::map<std::uint64_t, Fence> inside_;
};

TEST_F(SharedViews, ReadersStayInsideAndAWriterGoesOnWaiting) {
  assemble();
  EXPECT_TRUE(acquire(0, "reports/1", 1, Want::shared));
  EXPECT_TRUE(acquire(0, "reports/1", 2, Want::shared));
  EXPECT_TRUE(acquire(1, "reports/1", 3, Want::shared));
  EXPECT_TRUE(acquire(1, "reports/1", 4, Want::exclusive));
  EXPECT_TRUE(acquire(1, "reports/1", 5, Want::shared));
  EXPECT_THAT(inside(), ElementsAre(1, 2, 3)) << "5 waits for the writer before it";
  const Fence read = std::max({fence(1), fence(2), fence(3)});
  renew();
  EXPECT_THAT(inside(), ElementsAre(1, 2, 3));
  release(0, "reports/1", 1);
  release(1, "reports/1", 3);
  EXPECT_THAT(inside(), ElementsAre(2));
  renew();
  release(0, "reports/1", 2);
  EXPECT_THAT(inside(), ElementsAre(4));
  EXPECT_LT(read, fence(4));
  renew();
  EXPECT_THAT(inside(), ElementsAre(4)) << "alone, also in the next view";
  release(1, "reports/1", 4);
  EXPECT_THAT(inside(), ElementsAre(5));
}

TEST_F(SharedViews, UnitsStayTaken) {
  assemble();
  for (std::uint64_t waiter = 1; waiter <= 4; ++waiter) {
    EXPECT_TRUE(acquire(waiter % 2, "pool/1", waiter, Want::unit));
  }
  const auto before = inside();
  ASSERT_EQ(before.size(), 2u);
  renew();
  EXPECT_EQ(inside(), before);
  const std::uint64_t first = before.front();
  release(first % 2, "pool/1", first);
  EXPECT_EQ(inside().size(), 2u);
}

TEST_F(SharedViews, WhatALockDoesNotGiveIsRefusedAlsoBeforeTheFirstView) {
  EXPECT_FALSE(acquire(0, "pool/1", 1, Want::exclusive));
  EXPECT_FALSE(acquire(0, "plain", 2, Want::shared));
  EXPECT_TRUE(acquire(0, "pool/1", 3, Want::unit));
  assemble();
  EXPECT_THAT(inside(), ElementsAre(3));
}

}  // namespace
}  // namespace hapax
