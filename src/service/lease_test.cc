#include "service/lease.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "service/beat_watch.h"
#include "service/record_sight.h"

namespace hapax {
namespace {

using std::chrono::milliseconds;

constexpr Span kShort = milliseconds{1'000};
constexpr Span kLong = milliseconds{9'000};

Instant at(int ms) { return milliseconds{ms}; }

TEST(Lease, IsLongerFromABeatOnThatSaysSo) {
  Lease lease{LeaseTimes{kShort}};
  const Span before = lease.say(at(0));
  lease.set_ttl(kLong, kShort, kLong);
  lease.on_acknowledged(at(0), before);
  EXPECT_EQ(lease.end(), LeaseTimes{kShort}.lease());
  EXPECT_EQ(lease.say(at(100)), kLong);
  lease.on_acknowledged(at(100), kLong);
  EXPECT_EQ(lease.end(), at(100) + LeaseTimes{kLong}.lease());
}

TEST(Lease, SaysTheLongerTtlUntilAllThatWasPromisedByItIsOver) {
  Lease lease{LeaseTimes{kLong}};
  lease.on_acknowledged(at(0), lease.say(at(0)));
  const Instant promised = lease.end();
  lease.set_ttl(kShort, kLong, kLong);
  for (int now = 300; now < 12'000; now += 300) {
    const Span said = lease.say(at(now));
    EXPECT_EQ(said, promised <= at(now) + LeaseTimes{kShort}.lease() ? kShort : kLong) << now;
    lease.on_acknowledged(at(now), said);
    EXPECT_EQ(lease.end(), std::max(promised, at(now) + LeaseTimes{kShort}.lease())) << now;
  }
}

TEST(Lease, PromisesNoMoreThanABeatSaysThatMayStillBeWritten) {
  Lease lease{LeaseTimes{kShort}};
  lease.on_unanswered(at(0), lease.say(at(0)));
  lease.set_ttl(kLong, kShort, kLong);
  EXPECT_EQ(lease.say(at(300)), kLong);
  lease.on_acknowledged(at(300), kLong);
  EXPECT_EQ(lease.end(), at(300) + LeaseTimes{kShort}.lease());
  lease.on_acknowledged(at(10'000), lease.say(at(10'000)));
  EXPECT_EQ(lease.end(), at(10'000) + LeaseTimes{kLong}.lease());
}

// Whatever is set when: no beat that the engine may have is given up on before the lease is over.
TEST(Lease, IsOverWhenABeatOfItHasStoodStill) {
  Prng prng{5};
  for (int run = 0; run < 300; ++run) {
    Lease lease{LeaseTimes{kShort * static_cast<std::int64_t>(1 + prng.below(9))}};
    Instant now{};
    Instant given_up{};  // By who sees the last beat at the moment when it is written.
    for (int beat = 0; beat < 60; ++beat) {
      now += milliseconds{prng.below(400)};
      if (prng.below(5) == 0) {
        const Span ttl = kShort * static_cast<std::int64_t>(1 + prng.below(9));
        lease.set_ttl(ttl, kShort, kLong);
      }
      const Span said = lease.say(now);
      given_up = now + LeaseTimes{said}.patience();
      if (prng.below(4) != 0) lease.on_acknowledged(now, said);
      ASSERT_LE(lease.end(), given_up);
    }
  }
}

TEST(Lease, KeepsTheMarginOfTheTtlByWhichItEnds) {
  const Span longer = std::chrono::seconds{10};
  Lease lease{LeaseTimes{longer}};
  lease.on_acknowledged(Instant{1}, longer);
  lease.set_ttl(std::chrono::seconds{1}, longer, longer);
  EXPECT_EQ(lease.margin(), LeaseTimes{longer}.margin());
  lease.on_acknowledged(Instant{1} + longer, longer);
  EXPECT_EQ(lease.margin(), LeaseTimes{std::chrono::seconds{1}}.margin());
}

TEST(RecordSight, WaitsInANewGroupTooOnceSomebodyHasBeenInIt) {
  const Lease lease{LeaseTimes{}};
  RecordSight sight{lease, true};
  const Register nobody;
  const Register somebody{1, Roll{Epoch{1}, {Life{1}}}, {}};
  sight.look_at(Instant{1}, nobody);
  EXPECT_EQ(sight.may_found_at(), Instant{1});
  sight.look_at(Instant{2}, somebody);
  EXPECT_EQ(sight.may_found_at(), std::nullopt);
  sight.look_at(Instant{3}, nobody);  // Wiped.
  EXPECT_EQ(sight.may_found_at(), Instant{3} + LeaseTimes{}.patience());
  const Register all_have_left{2, Roll{Epoch{2}, {}}, {}};  // Restored to that.
  sight.look_at(Instant{4}, all_have_left);
  EXPECT_EQ(sight.may_found_at(), Instant{3} + LeaseTimes{}.patience());
}

TEST(BeatWatch, WaitsForABeatAsLongAsItSays) {
  Lease lease{LeaseTimes{kShort}};
  lease.set_ttl(kShort, kShort * 2, kLong);
  BeatWatch watch{lease};
  Register reg{1,
               {Epoch{1}, {Life{1}, Life{2}, Life{3}, Life{4}, Life{5}}},
               {{Life{1}, 1, 0}, {Life{2}, 1, 0}, {Life{3}, 1, 0}, {Life{5}, 1, 4'000}}};
  watch.look_at(at(0), reg, Life{1});
  reg.beats[1].version = reg.beats[2].version = 2;
  reg.beats[2].ttl_ms = 4'000;
  watch.look_at(at(0), reg, Life{1});
  const auto overdue = [&](Life life) { return watch.overdue_in(life, at(0)); };
  EXPECT_EQ(overdue(Life{2}), LeaseTimes{kShort * 2}.patience()) << "as the members were started";
  EXPECT_EQ(overdue(Life{3}), LeaseTimes{milliseconds{4'000}}.patience());
  EXPECT_EQ(overdue(Life{4}), LeaseTimes{kLong}.patience()) << "its record is gone";
  EXPECT_EQ(overdue(Life{5}), LeaseTimes{kLong}.patience()) << "it was there before us";
}

}  // namespace
}  // namespace hapax
