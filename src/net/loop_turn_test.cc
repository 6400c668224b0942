#include "net/loop_turn.h"

#include <boost/asio/io_context.hpp>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <utility>

namespace hapax::net {
namespace {

struct Counting final : LoopTurn::Gatherer {
  void on_end_of_turn() override {
    ++told;
    if (then) std::exchange(then, {})();
  }
  int told = 0;
  std::function<void()> then;
};

class Turn : public ::testing::Test {
 protected:
  void gather() { LoopTurn::of(loop_).tell_at_end(who_); }

  boost::asio::io_context loop_;
  const std::shared_ptr<Counting> who_ = std::make_shared<Counting>();
};

TEST_F(Turn, TellsAtItsEndWithoutAnotherRoundOfTheLoop) {
  {
    const LoopTurn::Guard turn{loop_};
    gather();
    EXPECT_EQ(who_->told, 0);
  }
  EXPECT_EQ(who_->told, 1);
  EXPECT_EQ(loop_.poll(), 0u);
}

TEST_F(Turn, EndsWithTheOutermost) {
  const LoopTurn::Guard turn{loop_};
  {
    const LoopTurn::Guard inner{loop_};
    gather();
  }
  EXPECT_EQ(who_->told, 0);
}

TEST_F(Turn, TellsAMomentLaterIfNoneIsUnderWay) {
  gather();
  EXPECT_EQ(who_->told, 0);
  EXPECT_EQ(loop_.poll(), 1u);
  EXPECT_EQ(who_->told, 1);
}

TEST_F(Turn, AlsoTellsWhatIsGatheredAtItsEnd) {
  who_->then = [this] { gather(); };
  {
    const LoopTurn::Guard turn{loop_};
    gather();
  }
  EXPECT_EQ(who_->told, 2);
}

}  // namespace
}  // namespace hapax::net
