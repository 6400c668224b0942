// Settings of a group that are set while its members run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "membership/testing/participants.h"

namespace hapax {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing_members::Groups;
using testing_members::Participant;

class SetWhileRunning : public Groups {
 protected:
  // What became of it; what is wrong, if it was refused.
  Result<SettingsChanger::Begun> set(std::size_t seat, SettingsChange change,
                                     milliseconds patience = milliseconds{10'000}) {
    std::optional<Result<SettingsChanger::Begun>> told;
    seats[seat]->group->set_settings({std::move(change), "the test", boot_clock_now() + patience},
                                     [&](auto begun) { told = begun; });
    EXPECT_TRUE(until([&] { return told.has_value(); }));
    return told.value_or(error("no word"));
  }
  static SettingsChange by(std::string fallback) { return {{}, {}, std::move(fallback)}; }
  std::string algorithm_at(const Participant& seat) const {
    const LockTable* table = seat.group->views().table();
    return table == nullptr ? "" : std::string{table->describe("orders")->algorithm};
  }
  // Of all, in one view.
  bool all_go_by(const std::string& algorithm, std::size_t size) const {
    return all_in_one_view(size) && std::all_of(seats.begin(), seats.end(), [&](const auto& seat) {
             return !seat || algorithm_at(*seat) == algorithm;
           });
  }
};

TEST_F(SetWhileRunning, LeaveWhatIsHeldHeldAndWhoWaitsWaiting) {
  join(3);
  ASSERT_TRUE(until([&] { return all_in_one_view(3); })) << logs();
  ASSERT_TRUE(acquire(0, WaiterId{1}));
  Fence last = seats[0]->fence;
  ASSERT_TRUE(seats[1]->group->acquire("orders", WaiterId{2}).has_value());
  ASSERT_TRUE(seats[2]->group->acquire("orders", WaiterId{3}).has_value());
  for (const char* algorithm : {"maekawa", "token-ring", "raymond", "lamport", "central"}) {
    const auto begun = set(1, by(algorithm));
    ASSERT_TRUE(begun.has_value()) << begun.error().message;
    EXPECT_TRUE(begun->missing.empty());
    ASSERT_TRUE(until([&] { return all_go_by(algorithm, 3); })) << algorithm << logs();
    EXPECT_TRUE(seats[0]->held.contains(WaiterId{1}));
    EXPECT_TRUE(seats[1]->held.empty() && seats[2]->held.empty());
  }
  EXPECT_TRUE(seats[0]->lost.empty());
  ASSERT_TRUE(seats[0]->group->release("orders", WaiterId{1}, std::nullopt).has_value());
  ASSERT_TRUE(until([&] { return seats[1]->held.size() + seats[2]->held.size() == 1; }));
  const std::size_t next = seats[1]->held.empty() ? 2 : 1;
  EXPECT_GT(seats[next]->fence, std::exchange(last, seats[next]->fence));
  ASSERT_TRUE(
      seats[next]->group->release("orders", *seats[next]->held.begin(), std::nullopt).has_value());
  ASSERT_TRUE(until([&] { return !seats[3 - next]->held.empty(); }));
  EXPECT_GT(seats[3 - next]->fence, last);
}

TEST_F(SetWhileRunning, HoldForWhoeverComesLater) {
  join(2);
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  ASSERT_TRUE(set(0, by("raymond")).has_value());
  seats.push_back(std::make_unique<Participant>(io, server, "late", milliseconds{600}));
  ASSERT_TRUE(until([&] { return all_go_by("raymond", 3); })) << logs();
  EXPECT_THAT(logs(), HasSubstr("which does not count"));
  // And for a group that nobody is left of.
  for (auto& seat : seats) {
    seat->group->leave(milliseconds{0});
    ASSERT_TRUE(until([&] { return seat->left; })) << logs();
    seat->group->stop();
    seat.reset();
  }
  seats.clear();
  join(1, StatePlan{});
  ASSERT_TRUE(until([&] { return all_go_by("raymond", 1); })) << logs();
}

TEST_F(SetWhileRunning, AreForgottenByAGroupThatIsNew) {
  join(1);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  ASSERT_TRUE(set(0, by("raymond")).has_value());
  seats[0]->group->leave(milliseconds{0});
  ASSERT_TRUE(until([&] { return seats[0]->left; })) << logs();
  seats.clear();
  join(2);
  ASSERT_TRUE(until([&] { return all_go_by("carvalho-roucairol", 2); })) << logs();
  EXPECT_FALSE(directory_of(server.store.read({""})).value().set.has_value());
}

TEST_F(SetWhileRunning, AreRefusedIfTheyMakeNoSense) {
  join(1);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  const Epoch before = seats[0]->epoch();
  const std::pair<SettingsChange, const char*> bad[] = {
      {by("best"), "no algorithm"},
      {by("semaphore-ra:2"), "several may hold"},
      {{milliseconds{400}, {}, {}}, "500 ms"},
      {{{}, {{"orders/*"}}, {}}, "no \"=\""},
      {{{}, {{"a\nb=raymond"}}, {}}, "control character"},
      {{{}, {{"pool=semaphore-ra:4"}}, {}}, "several may hold"},
  };
  for (const auto& [change, why] : bad) {
    const auto told = set(0, change);
    ASSERT_FALSE(told.has_value()) << why;
    EXPECT_THAT(told.error().message, HasSubstr(why));
  }
  EXPECT_EQ(seats[0]->epoch(), before);
  EXPECT_FALSE(seats[0]->group->settings().last_set().has_value());
}

// The second waits for what the first holds, which dies right after another TTL was set: it is
// waited for as long as it was promised to its clients.
class AnotherTtl : public SetWhileRunning {
 protected:
  void set_ttl(milliseconds ttl) {
    ASSERT_TRUE(set(1, {ttl, {}, {}}).has_value());
    EXPECT_EQ(seats[1]->group->options().times.ttl, Span{ttl});
  }
  void expect_a_takeover_in_good_time(milliseconds at_most) {
    const Instant died = boot_clock_now();
    const Instant promised = seats[0]->promised;
    seats[0]->group->stop();
    ASSERT_TRUE(until([&] { return seats[1]->held.contains(WaiterId{2}); })) << logs();
    EXPECT_GE(boot_clock_now(), promised);
    EXPECT_LT(boot_clock_now() - died, at_most + milliseconds{2'000});
  }
  void SetUp() override {
    join(2);
    ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
    ASSERT_TRUE(acquire(0, WaiterId{1}));
    ASSERT_TRUE(seats[1]->group->acquire("orders", WaiterId{2}).has_value());
  }
  std::string record() const {
    const std::string key =
        fmt::format("life/{}", number(seats[0]->group->service().keeper().self()));
    return server.store.read({key}).records.at(0).value;
  }
};

TEST_F(AnotherTtl, IsLongerFromTheFirstBeatOnThatSaysSo) {
  EXPECT_THAT(record(), ::testing::Not(HasSubstr("ttl_ms"))) << "as the version before wrote it";
  set_ttl(milliseconds{2'000});
  ASSERT_TRUE(until([&] { return seats[0]->promised > boot_clock_now() + milliseconds{1'500}; }));
  EXPECT_THAT(record(), HasSubstr("\"ttl_ms\":2000"));
  EXPECT_TRUE(seats[0]->lost.empty());
  expect_a_takeover_in_good_time(milliseconds{3'000});
}

TEST_F(AnotherTtl, IsShorterWhenWhatWasPromisedIsOver) {
  set_ttl(milliseconds{3'000});
  ASSERT_TRUE(until([&] { return seats[0]->promised > boot_clock_now() + milliseconds{2'000}; }));
  set_ttl(milliseconds{500});
  EXPECT_THAT(record(), HasSubstr("\"ttl_ms\":3000")) << "its clients rely on it";
  ASSERT_TRUE(until([&] { return record().find("\"ttl_ms\":500") != std::string::npos; }));
  EXPECT_LT(seats[0]->promised - boot_clock_now(), Span{milliseconds{500}});
  EXPECT_TRUE(seats[0]->lost.empty());
  expect_a_takeover_in_good_time(milliseconds{1'000});
}

TEST_F(AnotherTtl, IsShorterAndWhoDiesRightThenIsWaitedForAsPromised) {
  set_ttl(milliseconds{2'000});
  ASSERT_TRUE(until([&] { return seats[0]->promised > boot_clock_now() + milliseconds{1'500}; }));
  set_ttl(milliseconds{500});
  expect_a_takeover_in_good_time(milliseconds{3'000});
}

TEST(GroupCountsTest, TheTypicalCommitIsTheMedianOfTheLast) {
  GroupCounts counts;
  EXPECT_EQ(counts.typical_commit(), Span{0});
  for (int ms = 1; ms <= 100; ++ms) counts.note_commit(milliseconds{ms});
  EXPECT_EQ(counts.typical_commit(), Span{milliseconds{93}});
}

TEST_F(SetWhileRunning, SayWhoHasNotBegun) {
  join(2);
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  seats[1]->group->stop();  // It beats no more, and reports no more.
  const auto told = set(0, by("raymond"), milliseconds{100});
  ASSERT_TRUE(told.has_value()) << told.error().message;
  ASSERT_EQ(told->missing.size(), 1u);
  seats.pop_back();
  EXPECT_TRUE(until([&] { return all_go_by("raymond", 1); })) << "the others go on without it";
}

TEST_F(SetWhileRunning, AreNotChangedIfNoViewCanBeMade) {
  join(1);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  server.fate = [] { return engine::Fate::request_lost; };
  const auto told = set(0, by("raymond"), milliseconds{1'000});
  ASSERT_TRUE(told.has_value());
  EXPECT_NE(told->why, "");
}

}  // namespace
}  // namespace hapax
