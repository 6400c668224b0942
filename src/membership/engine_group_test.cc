#include "membership/engine_group.h"

#include <boost/asio/ip/tcp.hpp>
#include <gmock/gmock.h>

#include "base/testing/folder.h"
#include "base/testing/strangers.h"
#include "membership/testing/participants.h"

namespace hapax {
namespace {

using std::chrono::milliseconds;
using testing_members::Groups;
using testing_members::Participant;

constexpr std::string_view kSettings = "TTL 600 ms and locks by carvalho-roucairol";

TEST_F(Groups, FindOneAnotherThroughTheEngine) {
  join(3);
  ASSERT_TRUE(until([&] { return all_in_one_view(3); })) << logs();
  ASSERT_TRUE(seats[0]->group->acquire("orders", WaiterId{1}).has_value());
  ASSERT_TRUE(until([&] { return seats[0]->held.contains(WaiterId{1}); }));
  ASSERT_TRUE(seats[1]->group->acquire("orders", WaiterId{2}).has_value());
  const Fence first = seats[0]->fence;
  ASSERT_TRUE(seats[0]->group->release("orders", WaiterId{1}, std::nullopt).has_value());
  ASSERT_TRUE(until([&] { return seats[1]->held.contains(WaiterId{2}); }));
  EXPECT_GT(seats[1]->fence, first);
}

// Who is nobody yet has no seat to take connections for.
TEST_F(Groups, DoNotListenBeforeTheyAreEnlisted) {
  using boost::asio::ip::tcp;
  for (std::uint32_t seat = 0; seat < kSeats; ++seat) {
    const Directory now = directory_of(server.store.read({""})).value();
    const Change change =
        enlisting(now, {Life{seat + 1}, seat, "127.0.0.1:1", "another", false, 0, 0, 0}, kSettings);
    ASSERT_TRUE(server.store.commit(change.conditions, change.writes));
  }
  join(1);
  EXPECT_FALSE(until([&] { return seats[0]->group->is_enlisted(); }, milliseconds{500}));
  boost::system::error_code refused;
  tcp::socket{testing::strangers()}.connect(
      {boost::asio::ip::address_v4::loopback(), seats[0]->port}, refused);
  EXPECT_TRUE(refused);
}

TEST_F(Groups, LetNobodyInWithOtherSettings) {
  join(1);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  Participant other{io, server, "other", milliseconds{900}};
  ASSERT_TRUE(until([&] { return !other.group->refusal().empty(); }));
  EXPECT_THAT(other.group->refusal(), ::testing::HasSubstr(kSettings));
  EXPECT_THAT(other.group->refusal(), ::testing::HasSubstr("TTL 900 ms"));
  EXPECT_FALSE(other.group->is_enlisted());
}

TEST_F(Groups, TakeOverFromMoreThanOneCommitCanRemove) {
  for (std::uint32_t seat = 0; seat < 30; ++seat) {
    const Directory now = directory_of(server.store.read({""})).value();
    const Enlisted dead{Life{seat + 1}, seat, "127.0.0.1:1", "dead", true, 1, 0, 0};
    const Change change = enlisting(now, dead, kSettings);
    ASSERT_TRUE(server.store.commit(change.conditions, change.writes));
  }
  join(1);
  EXPECT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
}

TEST_F(Groups, LeaveWhenWhatIsHeldHasBeenGivenBack) {
  join(2);
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  ASSERT_TRUE(seats[0]->group->acquire("orders", WaiterId{1}).has_value());
  ASSERT_TRUE(until([&] { return seats[0]->held.contains(WaiterId{1}); }));
  ASSERT_TRUE(seats[1]->group->acquire("orders", WaiterId{2}).has_value());
  seats[0]->group->leave(milliseconds{0});
  EXPECT_TRUE(seats[0]->recalled.contains(WaiterId{1})) << "told at once";
  for (int i = 0; i < 20; ++i) io.poll_one();
  EXPECT_TRUE(seats[0]->lost.empty());
  EXPECT_TRUE(seats[1]->held.empty());
  EXPECT_FALSE(seats[0]->left);
  ASSERT_TRUE(seats[0]->group->release("orders", WaiterId{1}, std::nullopt).has_value());
  EXPECT_TRUE(until([&] { return seats[0]->left && seats[1]->held.contains(WaiterId{2}); }));
  EXPECT_TRUE(seats[0]->lost.empty());
}

TEST_F(Groups, DoNotHammerAnEngineThatIsAway) {
  server.fate = [] { return engine::Fate::request_lost; };
  join(1);
  EXPECT_FALSE(until([&] { return seats[0]->group->is_enlisted(); }, milliseconds{1'000}));
  EXPECT_LT(server.commits, 20u);
  EXPECT_GT(server.commits, 1u);
  server.fate = {};
  EXPECT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
}

// It may have been done, or not: neither a refusal nor a success.
TEST_F(Groups, LoseNothingByAnswersThatAreLost) {
  join(1);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  ASSERT_TRUE(seats[0]->group->acquire("orders", WaiterId{1}).has_value());
  ASSERT_TRUE(until([&] { return seats[0]->held.contains(WaiterId{1}); }));
  const Life life = seats[0]->group->service().keeper().self();
  const auto before = server.commits;
  server.fate = [calls = 0]() mutable {
    return calls++ % 2 == 0 ? engine::Fate::answer_lost : engine::Fate::answered;
  };
  ASSERT_TRUE(until([&] { return server.commits >= before + 6; }));
  EXPECT_EQ(seats[0]->group->service().keeper().self(), life);
  EXPECT_TRUE(seats[0]->lost.empty()) << logs();
  std::string told;
  server.fate = [] { return engine::Fate::answer_lost; };
  seats[0]->group->evict("host-0", EngineGroup::Return::allowed, [&](auto why) { told = why; });
  ASSERT_TRUE(until([&] { return !told.empty(); }));
  EXPECT_THAT(told, ::testing::HasSubstr("the engine did not answer"));
}

TEST_F(Groups, LeaveSoonerIfTheyAreToldToMeanwhile) {
  join(1);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  ASSERT_TRUE(seats[0]->group->acquire("orders", WaiterId{1}).has_value());
  ASSERT_TRUE(until([&] { return seats[0]->held.contains(WaiterId{1}); }));
  seats[0]->group->leave(std::chrono::hours{1});
  EXPECT_TRUE(seats[0]->recalled.empty());
  seats[0]->group->leave(milliseconds{0});
  EXPECT_TRUE(seats[0]->recalled.contains(WaiterId{1}));
}

TEST_F(Groups, ComeBackThoughTheEngineIsAwayAsTheirLifeEnds) {
  join(1);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  const Keeper& keeper = seats[0]->group->service().keeper();
  const Life first = keeper.self();
  const Change change = evicting(first, "the test");
  ASSERT_TRUE(server.store.commit(change.conditions, change.writes));
  ASSERT_TRUE(until([&] { return keeper.standing() == Standing::ended; }));
  server.up = false;
  EXPECT_FALSE(until([&] { return keeper.self() != first; }, milliseconds{1'000}));
  server.up = true;
  EXPECT_TRUE(until([&] { return keeper.self() != first && all_in_one_view(1); })) << logs();
}

TEST_F(Groups, ComeBackAsAnotherLifeIfTheyAreStruckOff) {
  const Enlisted silent{Life{1}, 0, "127.0.0.1:1", "silent", true, 1, 0, 0};
  Change change = enlisting(directory_of(server.store.read({""})).value(), silent, kSettings);
  ASSERT_TRUE(server.store.commit(change.conditions, change.writes));
  join(1);
  ASSERT_TRUE(until([&] { return seats[0]->group->is_enlisted(); }));
  const Keeper& keeper = seats[0]->group->service().keeper();
  const Life first = keeper.self();
  ASSERT_EQ(keeper.standing(), Standing::outside);
  change = striking(*directory_of(server.store.read({""})).value().find(first));
  ASSERT_TRUE(server.store.commit(change.conditions, change.writes));
  EXPECT_TRUE(until([&] { return keeper.self() != first && all_in_one_view(1); })) << logs();
}

TEST_F(Groups, CanLeaveBeforeAnyViewHasThem) {
  const Enlisted silent{Life{1}, 0, "127.0.0.1:1", "silent", true, 1, 0, 0};
  const Change change = enlisting(directory_of(server.store.read({""})).value(), silent, kSettings);
  ASSERT_TRUE(server.store.commit(change.conditions, change.writes));
  join(1);
  ASSERT_TRUE(until([&] { return seats[0]->group->is_enlisted(); }));
  seats[0]->group->leave(milliseconds{0});
  ASSERT_TRUE(until([&] { return seats[0]->left; }));
  seats[0]->group->stop();
  io.restart();
  io.run_for(milliseconds{5'000});
  EXPECT_TRUE(io.stopped()) << "there is nothing left to do";
}

// A client that is cut off from a member does not hear that the member's life is over: it relies on
// the lease.
class LostMembers : public Groups {
 protected:
  void SetUp() override {
    join(2);
    ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
    ASSERT_TRUE(seats[0]->group->acquire("orders", WaiterId{1}).has_value());
    ASSERT_TRUE(until([&] { return seats[0]->held.contains(WaiterId{1}); }));
    ASSERT_TRUE(seats[1]->group->acquire("orders", WaiterId{2}).has_value());
  }
  void TearDown() override {
    ASSERT_TRUE(until([&] { return seats[1]->held.contains(WaiterId{2}); })) << logs();
    EXPECT_GE(boot_clock_now(), promised);
  }
  Life first() const { return seats[0]->group->service().keeper().self(); }

  Instant promised{};  // By the life that is lost.
};

TEST_F(LostMembers, AreWaitedForIfTheyAreEvictedAndToldToEnd) {
  seats[0]->group->leave(std::chrono::hours{1});
  const Change change = evicting(first(), "the test");
  ASSERT_TRUE(server.store.commit(change.conditions, change.writes));
  promised = seats[0]->promised;
  ASSERT_TRUE(until([&] { return seats[0]->left; })) << logs();
}

TEST_F(LostMembers, AreWaitedForIfTheirRecordIsDeleted) {
  const std::string key = fmt::format("life/{}", number(first()));
  ASSERT_TRUE(server.store.commit({}, {{key, std::nullopt}}));
  promised = seats[0]->promised;
  ASSERT_TRUE(until([&] { return !seats[0]->lost.empty(); })) << logs();
}

// --- an engine that lost its records, or was restored ---

TEST_F(Groups, WaitForForgottenLeasesIfTheEngineKnowsNothing) {
  const StatePlan unsure;
  join(1, unsure);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  ASSERT_TRUE(acquire(0, WaiterId{1}));
  const Fence before = seats[0]->fence;
  // The old one does not reach the new engine, nor the new one.
  engine::FakeServer wiped;
  Participant late{io, wiped, "late", milliseconds{600}, std::nullopt, unsure};
  const Instant promised = seats[0]->promised;
  ASSERT_TRUE(late.group->acquire("orders", WaiterId{9}).has_value());
  server.up = false;
  ASSERT_TRUE(until([&] { return late.held.contains(WaiterId{9}); })) << logs();
  EXPECT_GE(boot_clock_now(), promised);
  EXPECT_GT(late.fence, before);
  EXPECT_NE(late.group->service().keeper().self(), seats[0]->group->service().keeper().self());
}

class Losses : public Groups {
 protected:
  void SetUp() override {
    join(1, StatePlan{});
    ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
    old = server.store;
    join(2, StatePlan{});
    ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
    ASSERT_TRUE(acquire(1, WaiterId{1}));
    fence = seats[1]->fence;
    for (const auto& seat : seats) lives.insert(seat->group->service().keeper().self());
  }
  // What was held is waited for and lost, all are back as lives that never were, and fences grow.
  void expect_anew() {
    const Instant promised = seats[1]->promised;
    ASSERT_TRUE(seats[0]->group->acquire("orders", WaiterId{2}).has_value());
    ASSERT_TRUE(until([&] { return seats[0]->held.contains(WaiterId{2}); })) << logs();
    EXPECT_GE(boot_clock_now(), promised);
    EXPECT_TRUE(seats[1]->lost.contains(WaiterId{1}));
    EXPECT_GT(seats[0]->fence, fence);
    ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
    for (const auto& seat : seats) {
      EXPECT_FALSE(lives.contains(seat->group->service().keeper().self()));
      EXPECT_THAT(seat->group->health().said, ::testing::HasSubstr("went back"));
      EXPECT_THAT(seat->lines, ::testing::Contains(::testing::HasSubstr("older copy, or wiped")));
    }
  }

  engine::Store old;
  Fence fence;
  std::set<Life> lives;
};

TEST_F(Losses, OfAllRecordsBeginTheGroupAnew) {
  server.store = {};
  expect_anew();
}

TEST_F(Losses, OfTheLatestRecordsBeginTheGroupAnew) {
  server.store = old;
  expect_anew();
}

// Its revision alone does not show that it went back.
TEST_F(Losses, OfTheLatestRecordsAreNoticedThoughOtherCommitsCameSince) {
  const engine::Revision latest = server.store.revision();
  server.store = old;
  while (server.store.revision() <= latest + 10) server.store.commit({}, {{"probe", "1"}});
  expect_anew();
}

TEST_F(Groups, RememberTheirViewsAcrossRuns) {
  const testing::Folder folder;
  StatePlan state{.path = folder / "state"};
  const engine::Store empty = server.store;
  join(1, state);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  const Epoch first = front().epoch();
  EXPECT_GT(number(first), 1'700'000'000u) << "nobody said that it is new";
  seats.clear();
  server.store = empty;
  state.is_new_group = true;  // No waiting, and no clock; but it remembers.
  join(1, state);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  EXPECT_EQ(front().epoch(), Epoch{number(first) + 1});
}

TEST_F(Groups, KeepTheirLocksWhenSomebodyJoins) {
  join(2);
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  ASSERT_TRUE(seats[0]->group->acquire("orders", WaiterId{1}).has_value());
  ASSERT_TRUE(until([&] { return seats[0]->held.contains(WaiterId{1}); }));
  ASSERT_TRUE(seats[1]->group->acquire("orders", WaiterId{2}).has_value());
  join(3);
  ASSERT_TRUE(until([&] { return all_in_one_view(3); })) << logs();
  ASSERT_TRUE(seats[2]->group->acquire("orders", WaiterId{3}).has_value());
  EXPECT_FALSE(
      until([&] { return !seats[1]->held.empty() || !seats[2]->held.empty(); }, milliseconds{200}));
  EXPECT_TRUE(seats[0]->lost.empty());
  ASSERT_TRUE(seats[0]->group->release("orders", WaiterId{1}, std::nullopt).has_value());
  ASSERT_TRUE(until([&] { return seats[1]->held.size() + seats[2]->held.size() == 1; }));
}

TEST_F(Groups, TakeOverFromWhoDies) {
  join(3);
  ASSERT_TRUE(until([&] { return all_in_one_view(3); })) << logs();
  ASSERT_TRUE(seats[0]->group->acquire("orders", WaiterId{1}).has_value());
  ASSERT_TRUE(until([&] { return seats[0]->held.contains(WaiterId{1}); }));
  ASSERT_TRUE(seats[2]->group->acquire("orders", WaiterId{3}).has_value());
  const Fence first = seats[0]->fence;
  seats[0].reset();  // Like kill -9: no goodbye, and its beats stop.
  ASSERT_TRUE(until([&] { return seats[2]->held.contains(WaiterId{3}); })) << logs();
  EXPECT_TRUE(until([&] { return all_in_one_view(2); }));
  EXPECT_GT(seats[2]->fence, first);
}

TEST_F(Groups, LoseTheirLocksWithTheEngineAndNotBefore) {
  join(2);
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  ASSERT_TRUE(seats[0]->group->acquire("orders", WaiterId{1}).has_value());
  ASSERT_TRUE(until([&] { return seats[0]->held.contains(WaiterId{1}); }));
  server.up = false;
  // Inside the view all goes on until the lease ends.
  ASSERT_TRUE(seats[1]->group->acquire("stock", WaiterId{2}).has_value());
  ASSERT_TRUE(until([&] { return seats[1]->held.contains(WaiterId{2}); }));
  EXPECT_TRUE(seats[0]->lost.empty());
  EXPECT_TRUE(until([&] { return seats[0]->lost.contains(WaiterId{1}); }));
  EXPECT_EQ(seats[0]->group->lease_left(), Span{0});
  server.up = true;
  ASSERT_TRUE(seats[0]->group->acquire("orders", WaiterId{5}).has_value());
  EXPECT_TRUE(until([&] { return seats[0]->held.contains(WaiterId{5}); })) << logs();
}

TEST_F(Groups, LetMembersLeaveAndComeBack) {
  join(3);
  ASSERT_TRUE(until([&] { return all_in_one_view(3); })) << logs();
  seats[1]->group->leave(milliseconds{0});
  ASSERT_TRUE(until([&] { return seats[1]->left; })) << logs();
  seats[1].reset();
  ASSERT_TRUE(until([&] { return all_in_one_view(2); }, milliseconds{300})) << logs();
  seats[1] = std::make_unique<Participant>(io, server, "again");
  ASSERT_TRUE(until([&] { return all_in_one_view(3); })) << logs();
}

TEST_F(Groups, EvictWhoStillBeats) {
  join(2);
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  ASSERT_TRUE(seats[1]->group->acquire("orders", WaiterId{2}).has_value());
  ASSERT_TRUE(until([&] { return seats[1]->held.contains(WaiterId{2}); }));
  const Life life = seats[1]->group->service().keeper().self();
  std::optional<std::string> refusal;
  const auto told = [&](std::string why) { refusal = std::move(why); };
  seats[0]->group->evict("nobody", EngineGroup::Return::allowed, told);
  EXPECT_EQ(refusal, "there is no member nobody; see `hapax members`");
  refusal.reset();
  seats[0]->group->evict("host-1", EngineGroup::Return::allowed, told);
  ASSERT_TRUE(until([&] { return refusal.has_value(); }));
  EXPECT_EQ(*refusal, "");
  ASSERT_TRUE(until([&] { return seats[1]->lost.contains(WaiterId{2}); })) << logs();
  // It comes back as somebody else.
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  EXPECT_NE(seats[1]->group->service().keeper().self(), life);
}

TEST_F(Groups, SurviveARestartOfEverybody) {
  join(2);
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  const Epoch before = front().epoch();
  seats.clear();
  join(2);
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  EXPECT_GT(front().epoch(), before);
}

TEST_F(Groups, AskTheEngineNothingInsideAView) {
  join(2);
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  const auto asked = [&] {
    std::uint64_t sum = 0;
    for (const auto& seat : seats) {
      const ServiceStats& stats = seat->group->service().stats();
      sum += stats.proposals + stats.views;
    }
    return sum;
  };
  const std::uint64_t before = asked();
  const std::uint64_t commits = server.commits;
  const Instant start = boot_clock_now();
  for (std::uint64_t i = 1; i <= 500; ++i) {
    Participant& seat = *seats[i % 2];
    ASSERT_TRUE(seat.group->acquire("orders", WaiterId{i}).has_value());
    ASSERT_TRUE(until([&] { return seat.held.contains(WaiterId{i}); }));
    ASSERT_TRUE(seat.group->release("orders", WaiterId{i}, std::nullopt).has_value());
  }
  EXPECT_EQ(asked(), before);
  // Only beats: three a TTL of each, whatever is locked meanwhile.
  const auto ttls = static_cast<std::uint64_t>((boot_clock_now() - start) / milliseconds{600}) + 1;
  EXPECT_LE(server.commits - commits, ttls * 2 * 4);
}

// As with a certificate that was copied.
TEST_F(Groups, ASeatThatSomebodyHasIsNotTakenFromHim) {
  const auto with_seat = [&](const char* name, std::uint32_t seat) {
    return std::make_unique<Participant>(io, server, name, milliseconds{600}, seat);
  };
  seats.push_back(with_seat("one", 0));
  seats.push_back(with_seat("two", 1));
  ASSERT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  const Epoch before = front().epoch();
  const auto copy = with_seat("copy", 1);
  ASSERT_TRUE(until([&] { return !copy->group->refusal().empty(); })) << logs();
  EXPECT_THAT(copy->group->refusal(),
              ::testing::HasSubstr("seat 2 is taken by two, life 2 at 127.0.0.1:"));
  EXPECT_FALSE(copy->group->is_enlisted());
  EXPECT_TRUE(all_in_one_view(2));
  EXPECT_EQ(front().epoch(), before) << "nobody was disturbed";
  seats[0].reset();  // Without a goodbye, and back again while the copy goes on trying.
  seats[0] = with_seat("one", 0);
  EXPECT_TRUE(until([&] { return all_in_one_view(2); })) << logs();
  EXPECT_EQ(seats[0]->group->refusal(), "");
}

TEST_F(Groups, SayAtOnceThatTheirAddressIsTaken) {
  join(1);
  ASSERT_TRUE(until([&] { return all_in_one_view(1); })) << logs();
  GroupOptions options;
  options.listen = net::parse_address(fmt::format("127.0.0.1:{}", front().port)).value();
  options.is_insecure = true;
  const auto second = EngineGroup::create(io, options, *front().engine, *seats.front());
  ASSERT_TRUE(second.has_value());
  const auto started = (*second)->start();
  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, ::testing::HasSubstr("cannot listen on 127.0.0.1:"));
  EXPECT_FALSE((*second)->is_enlisted());
}

// Beats wake nobody: what a member reads in a TTL does not depend on how many others beat.
TEST_F(Groups, ReadNothingBecauseOthersBeat) {
  join(5);
  ASSERT_TRUE(until([&] { return all_in_one_view(5); })) << logs();
  EXPECT_FALSE(until([] { return false; }, milliseconds{600}));
  const std::uint64_t before = server.reads;
  const Instant start = boot_clock_now();
  EXPECT_FALSE(until([] { return false; }, milliseconds{1'800}));
  const auto ttls = static_cast<std::uint64_t>((boot_clock_now() - start) / milliseconds{600}) + 1;
  EXPECT_LE(server.reads - before, ttls * 5 * 4);
}

TEST(Group, RefusesWhatMakesNoSense) {
  Loop io;
  GroupOptions options;
  options.listen = net::parse_address("127.0.0.1:0").value();
  EXPECT_FALSE(options.check(io).has_value());
  options.listen = net::parse_address("192.0.2.1:7").value();
  EXPECT_FALSE(options.check(io).has_value());  // Without TLS.
  options.listen = net::parse_address("127.0.0.1:7").value();
  EXPECT_FALSE(options.check(io).has_value());  // Anybody of this machine could be a member.
  options.is_insecure = true;
  EXPECT_TRUE(options.check(io).has_value());
  options.times.ttl = milliseconds{100};
  EXPECT_FALSE(options.check(io).has_value());
}

}  // namespace
}  // namespace hapax
