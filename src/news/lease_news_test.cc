#include "news/lease_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace hapax {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LeaseNewsTest : public ::testing::Test {
 protected:
  // What is said at that time.
  std::vector<std::string> at(Instant now) {
    lines_.clear();
    news_.look(now, sight_);
    return lines_;
  }

  LeaseNews::Sight sight_{.engine_answers = true, .engine_said = "ok", .has_lease = true};
  std::vector<std::string> lines_;
  LeaseTimes times_{4s};
  LeaseNews news_{"etcd://e", times_, [this](const std::string& line, LogLevel level) {
                    const char* const kMarks[]{"debug ", "", "warning ", "error "};
                    lines_.push_back(kMarks[static_cast<int>(level)] + line);
                  }};
};

TEST_F(LeaseNewsTest, NothingIsSaidOfWhatGoesWell) {
  EXPECT_THAT(at(1s), IsEmpty());
  EXPECT_THAT(at(2s), IsEmpty());
}

TEST_F(LeaseNewsTest, JeopardyAndItsEndAreSaidOnce) {
  at(1s);
  sight_.in_jeopardy = true;
  sight_.lease_left = 1900ms;
  EXPECT_THAT(at(3s),
              ElementsAre(HasSubstr("warning the lease is in jeopardy: 1.9 s left of 4.0")));
  EXPECT_THAT(at(3500ms), IsEmpty());
  sight_.in_jeopardy = false;
  EXPECT_THAT(at(4200ms), ElementsAre("the lease is renewed, after 1.2 s in jeopardy"));
  EXPECT_THAT(at(5s), IsEmpty());
}

TEST_F(LeaseNewsTest, ALossSaysHowManyLoseAndComesBack) {
  sight_.lost_grants = 3;
  at(1s);
  sight_.has_lease = false;
  sight_.lost_grants = 5;
  EXPECT_THAT(at(5s), ElementsAre(HasSubstr("error the lease is lost, and with it 2 grants")));
  EXPECT_THAT(at(6s), IsEmpty());
  EXPECT_EQ(news_.losses(), 1u);
  sight_.has_lease = true;
  EXPECT_THAT(at(17300ms), ElementsAre("the lease is back, after 12.3 s"));
}

TEST_F(LeaseNewsTest, WhoNeverHadALeaseHasLostNone) {
  sight_.has_lease = false;
  EXPECT_THAT(at(1s), IsEmpty());
  sight_.has_lease = true;
  EXPECT_THAT(at(2s), IsEmpty());
  EXPECT_EQ(news_.losses(), 0u);
}

TEST_F(LeaseNewsTest, AnEngineIsAwayWhenMoreThanOneRequestHasFailed) {
  at(1s);
  sight_.engine_answers = false;
  sight_.engine_said = "connection refused";
  EXPECT_THAT(at(2s), IsEmpty());
  EXPECT_THAT(at(2999ms), IsEmpty());
  EXPECT_THAT(at(3s),
              ElementsAre("warning the engine etcd://e does not answer: connection refused"));
  EXPECT_THAT(at(4s), IsEmpty());
  sight_.engine_answers = true;
  EXPECT_THAT(at(14500ms), ElementsAre("the engine etcd://e answers again, after 12.5 s"));
  sight_.engine_answers = false;
  EXPECT_THAT(at(15s), IsEmpty());
  sight_.engine_answers = true;
  EXPECT_THAT(at(15500ms), IsEmpty()) << "a moment is no news";
}

TEST_F(LeaseNewsTest, WhoLeavesLosesNothing) {
  at(1s);
  sight_.is_leaving = true;
  sight_.has_lease = false;
  EXPECT_THAT(at(2s), IsEmpty());
  EXPECT_EQ(news_.losses(), 0u);
}

}  // namespace
}  // namespace hapax
