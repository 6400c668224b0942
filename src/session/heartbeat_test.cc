#include "session/heartbeat.h"

#include <gtest/gtest.h>

namespace hapax::session {
namespace {

using std::chrono_literals::operator""ms;

Welcome welcome_with(std::uint64_t ttl_ms) {
  Welcome welcome;
  welcome.ttl_ms = ttl_ms;
  return welcome;
}

TEST(Heartbeat, PingsAfterTheWelcomeOneAtATime) {
  Heartbeat heart{1'000ms};
  EXPECT_FALSE(heart.ping(1'000ms).has_value()) << "before the welcome";
  heart.on_welcome(welcome_with(0));
  const auto first = heart.ping(1'001ms);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(heart.ping(3'000ms).has_value()) << "the first has no answer yet";
  EXPECT_FALSE(heart.on_pong({first->request + 1, {}})) << "it answers nothing";
  EXPECT_TRUE(heart.on_pong({first->request, {}}));
  EXPECT_FALSE(heart.on_pong({first->request, {}})) << "twice";
  EXPECT_TRUE(heart.ping(3'000ms).has_value());
}

TEST(Heartbeat, PingsAtOnceIfThatIsUrgentButThenTakesItsTime) {
  Heartbeat heart{0ms};
  heart.on_welcome(welcome_with(8'000));
  ASSERT_TRUE(heart.on_pong({heart.ping(0ms)->request, 5'000}));
  EXPECT_FALSE(heart.ping(1ms).has_value());
  heart.ping_soon();
  const auto urgent = heart.ping(1ms);
  ASSERT_TRUE(urgent.has_value());
  ASSERT_TRUE(heart.on_pong({urgent->request, 5'000}));
  EXPECT_FALSE(heart.ping(2ms).has_value());
}

TEST(Heartbeat, ADaemonLivesSinceItsLastAnsweredPingWasSent) {
  Heartbeat heart{0ms};
  heart.on_welcome(welcome_with(0));
  const auto ping = heart.ping(100ms);
  EXPECT_TRUE(heart.is_silent(kSilence + 1ms));
  ASSERT_TRUE(heart.on_pong({ping->request, {}}));  // However late.
  EXPECT_FALSE(heart.is_silent(kSilence + 100ms));
  EXPECT_TRUE(heart.is_silent(kSilence + 101ms));
  EXPECT_EQ(heart.valid_until(), kSilence + 100ms);
}

TEST(Heartbeat, WithLeasesNothingIsGoodBeforeTheDaemonHasSaidHowLong) {
  Heartbeat heart{0ms};
  heart.on_welcome(welcome_with(1'000));
  EXPECT_FALSE(heart.is_good(1ms));
  const auto ping = heart.ping(10ms);
  ASSERT_TRUE(heart.on_pong({ping->request, 500}));
  EXPECT_EQ(heart.valid_until(), 510ms);
  EXPECT_TRUE(heart.is_good(509ms));
  EXPECT_FALSE(heart.is_good(510ms));
  EXPECT_EQ(heart.until_next_look(500ms), 10ms) << "nobody is to hear late that it is over";
}

TEST(Heartbeat, SaysOnceThatWhatWasGrantedHasRunOut) {
  Heartbeat heart{0ms};
  heart.on_welcome(welcome_with(1'000));
  ASSERT_TRUE(heart.on_pong({heart.ping(0ms)->request, 500}));
  EXPECT_FALSE(heart.expires(499ms));
  EXPECT_TRUE(heart.expires(500ms));
  EXPECT_FALSE(heart.expires(501ms));
  ASSERT_TRUE(heart.on_pong({heart.ping(600ms)->request, 0}));
  EXPECT_FALSE(heart.is_good(601ms)) << "the daemon has no lease";
  EXPECT_FALSE(heart.expires(700ms)) << "nothing was granted since";
  ASSERT_TRUE(heart.on_pong({heart.ping(800ms)->request, 500}));
  EXPECT_TRUE(heart.is_good(801ms));
  EXPECT_TRUE(heart.expires(1'300ms));
}

TEST(Heartbeat, LosesNothingByItsOwnSleepUntilItIsAwake) {
  Heartbeat heart{0ms};
  heart.on_welcome(welcome_with(1'000));
  const auto before = heart.ping(0ms);
  heart.excuse(true);
  ASSERT_TRUE(heart.on_pong({before->request, 500}));
  const auto late = kSilence + 1'000ms;
  EXPECT_FALSE(heart.is_silent(late));
  EXPECT_FALSE(heart.expires(late));
  EXPECT_FALSE(heart.is_good(late)) << "nobody may rely on it before the daemon has spoken";
  const auto after = heart.ping(late);
  ASSERT_TRUE(after.has_value()) << "it is asked at once";
  heart.excuse(false);
  EXPECT_TRUE(heart.is_silent(late));
  ASSERT_TRUE(heart.on_pong({after->request, 500}));
  EXPECT_FALSE(heart.is_silent(late + 1ms));
  EXPECT_FALSE(heart.expires(late + 499ms));
  EXPECT_TRUE(heart.expires(late + 500ms));
}

TEST(Heartbeat, NoPromiseOutlivesTheSilenceThatEndsAConnection) {
  Heartbeat heart{0ms};
  heart.on_welcome(welcome_with(3'600'000));
  ASSERT_TRUE(heart.on_pong({heart.ping(0ms)->request, ~std::uint64_t{0}}));
  EXPECT_EQ(heart.valid_until(), kSilence);
}

TEST(Heartbeat, PingsMoreOftenWhenTheTtlBecomesShorter) {
  Heartbeat heart{1'000ms};
  heart.on_welcome(welcome_with(8'000));
  EXPECT_EQ(heart.ttl(), 8'000ms);
  const auto ping = heart.ping(1'000ms);
  ASSERT_TRUE(ping.has_value());
  ASSERT_TRUE(heart.on_pong({ping->request, 8'000}));
  heart.on_terms({800});
  EXPECT_EQ(heart.ttl(), 800ms);
  EXPECT_GT(heart.valid_until(), 1'800ms) << "what was promised stays so";
  EXPECT_FALSE(heart.ping(1'099ms).has_value());
  EXPECT_TRUE(heart.ping(1'100ms).has_value());
}

}  // namespace
}  // namespace hapax::session
