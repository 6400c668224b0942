// What becomes of grants when the lease ends, at a member that is alone in its group.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <utility>

#include "service/service.h"
#include "swarm/virtual_engine.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LostGrants : public ::testing::Test, public Holders {
 protected:
  LostGrants() {
    be_born();
    run(std::chrono::seconds{1});
  }
  // Asking the engine, as life after life.
  void run(Span span) {
    for (const Instant end = now_ + span; now_ < end;) {
      now_ += std::chrono::milliseconds{50};
      service_.on_time(now_, orders_);
      while (!orders_.asks.empty()) {
        for (const EngineAsk& ask : std::exchange(orders_.asks, {})) answer(ask);
      }
      if (std::exchange(orders_.ended, false)) be_born();
    }
  }
  // Until the next life has waited for the one whose lease was over.
  void come_back() { run(LeaseTimes{}.patience() + std::chrono::seconds{1}); }
  // Without asking it, until the lease is over.
  void sleep() {
    now_ = service_.lease().end();
    service_.on_time(now_, orders_);
  }
  void acquire(std::uint64_t waiter) {
    EXPECT_TRUE(
        service_.acquire(now_, "it", WaiterId{waiter}, Want::exclusive, orders_).has_value());
  }

  Instant now_{1};
  std::optional<Turn> last_;  // Entered by itself.
  Orders orders_;
  Service service_{Policy::parse("carvalho-roucairol", {}).value(), LeaseTimes{}, *this, true};

 private:
  void be_born() {
    life_ = next(life_);
    engine_.enlist(life_);
    service_.be_born(life_);
    service_.announce(now_, orders_);
  }
  bool is_inside(WaiterId) override { return true; }
  std::optional<Turn> take_back(WaiterId) override { return last_; }
  void answer(const EngineAsk& ask) {
    if (ask.kind == EngineAsk::Kind::read) {
      return service_.on_register(now_, engine_.reg, Epoch{}, orders_);
    }
    service_.on_committed(now_, ask, carry_out(engine_, ask), orders_);
  }

  Life life_{};
  EngineRegister engine_;
};

// It has left, and its word is nobody's any more; only then is it seen that the lease is over.
TEST_F(LostGrants, WhatIsGivenBackTooLateTellsItsTurnsAllTheSame) {
  acquire(1);
  acquire(2);
  orders_.clear();
  EXPECT_FALSE(
      service_.release(service_.lease().end(), "it", WaiterId{1}, Turn{9}, orders_).has_value());
  EXPECT_THAT(orders_.lost, ElementsAre(WaiterId{1}));
  const LockTable* const table = service_.views().table();
  ASSERT_NE(table, nullptr);
  const auto lock = table->describe("it");
  ASSERT_TRUE(lock && lock->holder);
  EXPECT_EQ(lock->holder->waiter, WaiterId{2});
  EXPECT_GT(lock->holder->fence.turn, Turn{9});
}

TEST_F(LostGrants, WhoWasNotToldYetLosesNothingAndIsLetInByTheNextLease) {
  orders_.clear();
  acquire(1);
  ASSERT_EQ(orders_.grants.size(), 1u);
  sleep();
  EXPECT_THAT(orders_.lost, IsEmpty());
  EXPECT_THAT(orders_.grants, IsEmpty());
  come_back();
  ASSERT_EQ(orders_.grants.size(), 1u);
  EXPECT_EQ(orders_.grants.front().waiter, WaiterId{1});
}

TEST_F(LostGrants, TheNextCountsOnFromEntriesThatNobodyWasAskedFor) {
  orders_.clear();
  acquire(1);
  const Fence first = orders_.grants.at(0).fence;
  orders_.clear();
  last_ = Turn{number(first.turn) + 100};
  sleep();
  EXPECT_THAT(orders_.lost, ElementsAre(WaiterId{1}));
  come_back();
  acquire(2);
  ASSERT_EQ(orders_.grants.size(), 1u);
  EXPECT_GT(orders_.grants.front().fence, (Fence{first.epoch, *last_}));
}

// Its announcement and its first beats were done, and it did not hear of it: by then others may
// have gone on without it, on an engine that forgets.
TEST_F(LostGrants, WhoNeverHeardOfALeaseComesBackAsAnotherLifeToo) {
  Orders orders;
  Service service{Policy::parse("carvalho-roucairol", {}).value(), LeaseTimes{}, *this, true};
  service.be_born(Life{9}, Epoch{});
  service.announce(now_, orders);
  const Register alone{1, Roll{Epoch{1}, {Life{9}}}, {{Life{9}, 1}}};
  const auto lose_answers = [&] {
    for (const EngineAsk& ask : std::exchange(orders.asks, {})) {
      if (ask.kind != EngineAsk::Kind::read) {
        service.on_committed(now_, ask, Outcome::unknown, orders);
      }
    }
  };
  lose_answers();
  service.on_register(now_, alone, Epoch{}, orders);
  lose_answers();
  EXPECT_EQ(service.keeper().standing(), Standing::running);
  EXPECT_TRUE(service.acquire(now_, "it", WaiterId{1}, Want::exclusive, orders).has_value());
  now_ += LeaseTimes{}.patience();
  service.on_time(now_, orders);
  for (EngineAsk ask : std::exchange(orders.asks, {})) {
    EXPECT_NE(ask.kind, EngineAsk::Kind::beat);
  }
  service.on_register(now_, alone, Epoch{}, orders);
  EXPECT_THAT(orders.grants, IsEmpty());
  EXPECT_TRUE(orders.ended);
}

TEST_F(LostGrants, ALockThatIsBrokenAfterTheLeaseLetsNobodyIn) {
  acquire(1);
  acquire(2);
  orders_.clear();
  now_ = service_.lease().end();
  service_.lose(now_, "it", WaiterId{1}, orders_);
  EXPECT_THAT(orders_.lost, ElementsAre(WaiterId{1}));
  EXPECT_THAT(orders_.grants, IsEmpty());
}

TEST_F(LostGrants, ALeaseIsSaidAgainAfterItWasLost) {
  ASSERT_TRUE(orders_.leased_until.has_value());
  orders_.clear();
  sleep();
  EXPECT_FALSE(orders_.leased_until.has_value());
  come_back();
  EXPECT_EQ(orders_.leased_until, service_.promised_until());
}

}  // namespace
}  // namespace hapax
