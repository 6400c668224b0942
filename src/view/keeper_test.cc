#include "view/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax {
namespace {

using ::testing::ElementsAre;
using Handling = Keeper::Handling;

constexpr Life kA{1}, kB{2}, kC{3};

Register register_of(std::uint64_t version, std::uint64_t epoch, std::vector<Life> members,
                     std::vector<Beat> beats) {
  Register reg{version, {Epoch{epoch}, std::move(members)}, std::move(beats)};
  for (std::uint64_t earlier = 1; earlier < epoch; ++earlier) {
    reg.roll.after.push_back(Epoch{earlier});
  }
  return reg;
}
const Register kTwo = register_of(5, 1, {kA, kB}, {{kA, 1}, {kB, 1}});

Keeper announced(Life life) {
  Keeper keeper{life};
  Keeper::Effects fx;
  keeper.announce(fx);
  EXPECT_TRUE(fx.announce);
  keeper.on_announced(Outcome::committed, fx);
  return keeper;
}

// Runs in a view with kB.
Keeper running() {
  Keeper keeper = announced(kA);
  Keeper::Effects fx;
  keeper.on_register(kTwo, fx);
  EXPECT_TRUE(fx.report);
  EXPECT_FALSE(fx.begin);
  keeper.on_report(kB, Epoch{1}, fx);
  EXPECT_TRUE(fx.begin);
  return keeper;
}

TEST(Keeper, FoundsAGroup) {
  Keeper keeper = announced(kA);
  Keeper::Effects fx;
  const Register empty = register_of(0, 0, {}, {{kA, 1}});
  keeper.may_found();
  EXPECT_TRUE(keeper.is_due(empty));
  keeper.propose(fx);
  EXPECT_TRUE(fx.read);
  fx.clear();
  keeper.on_register(empty, fx);
  ASSERT_TRUE(fx.proposal.has_value());
  EXPECT_EQ(fx.proposal->version, 0u);
  EXPECT_EQ(fx.proposal->next.epoch, Epoch{1});
  EXPECT_THAT(fx.proposal->next.members, ElementsAre(kA));
  fx.clear();
  keeper.on_proposed(Outcome::committed, fx);
  EXPECT_TRUE(fx.begin);
  EXPECT_FALSE(fx.stop);
  EXPECT_TRUE(keeper.may_grant());
}

TEST(Keeper, WaitsForEveryReport) {
  const Keeper keeper = running();
  EXPECT_EQ(keeper.standing(), Standing::running);
  EXPECT_EQ(keeper.what_to_do_with_message(Epoch{1}), Handling::handle);
  EXPECT_EQ(keeper.what_to_do_with_message(Epoch{0}), Handling::drop);
  EXPECT_EQ(keeper.what_to_do_with_message(Epoch{2}), Handling::keep);
  EXPECT_EQ(keeper.what_to_do_with_report(Epoch{2}), Handling::keep);
}

TEST(Keeper, StopsBeforeItReports) {
  Keeper keeper = running();
  Keeper::Effects fx;
  keeper.on_register(register_of(6, 2, {kA, kB, kC}, {{kA, 1}, {kB, 1}, {kC, 1}}), fx);
  EXPECT_TRUE(fx.stop);
  EXPECT_TRUE(fx.report);
  EXPECT_FALSE(keeper.may_grant());
  EXPECT_EQ(keeper.what_to_do_with_message(Epoch{1}), Handling::drop);
  EXPECT_EQ(keeper.what_to_do_with_message(Epoch{2}), Handling::keep);
  EXPECT_EQ(keeper.what_to_do_with_report(Epoch{2}), Handling::handle);
}

TEST(Keeper, CountsReportsForTheirViewOnly) {
  Keeper keeper = running();
  Keeper::Effects fx;
  keeper.on_register(register_of(6, 2, {kA, kB, kC}, {{kA, 1}, {kB, 1}, {kC, 1}}), fx);
  keeper.on_report(kB, Epoch{2}, fx);
  keeper.on_register(register_of(7, 3, {kA, kB}, {{kA, 1}, {kB, 1}}), fx);
  fx.clear();
  keeper.on_report(kB, Epoch{2}, fx);  // Late.
  EXPECT_FALSE(fx.begin);
  keeper.on_report(kC, Epoch{3}, fx);  // No member.
  EXPECT_FALSE(fx.begin);
  keeper.on_report(kB, Epoch{3}, fx);
  EXPECT_TRUE(fx.begin);
}

TEST(Keeper, LosesWithItsLeaseAndComesBackAsAnotherLife) {
  Keeper keeper = running();
  Keeper::Effects fx;
  keeper.lease_ended(fx);
  EXPECT_TRUE(fx.lost);
  EXPECT_FALSE(keeper.may_grant());
  fx.clear();
  keeper.lease_ended(fx);
  EXPECT_FALSE(fx.lost);  // Once is enough.
  keeper.lapse();
  keeper.on_beat(Outcome::unknown, fx);
  keeper.on_beat(Outcome::committed, fx);  // Sent before, and answered late.
  EXPECT_FALSE(keeper.may_grant());
  keeper.beat_due(fx);
  EXPECT_FALSE(fx.beat);  // For it would be waited for longer.
  // It may have been over for long when the engine was restored to it.
  keeper.on_register(kTwo, fx);
  EXPECT_TRUE(fx.ended);
  EXPECT_EQ(keeper.standing(), Standing::ended);
}

TEST(Keeper, MayHaveBeenAnnouncedAndEndsIfItHearsOfItTooLate) {
  for (const Outcome outcome : {Outcome::unknown, Outcome::committed}) {
    Keeper keeper{kA};
    Keeper::Effects fx;
    keeper.announce(fx);
    keeper.lapse();
    keeper.on_announced(outcome, fx);
    EXPECT_FALSE(keeper.is_leased());
    keeper.on_register(register_of(1, 1, {kA}, {{kA, 1}}), fx);
    EXPECT_TRUE(fx.ended);
    EXPECT_FALSE(fx.begin);
  }
}

// All come back at once after an outage, beside their former lives.
TEST(Keeper, LetsNoMoreIntoAViewThanThereAreSeats) {
  std::vector<Life> dead;
  std::vector<Beat> beats;
  for (std::uint64_t i = 1; i <= Roll::kMostMembers; ++i) {
    dead.push_back(Life{i});
    beats.push_back({Life{i}, 1});
  }
  for (std::uint64_t i = 101; i <= 160; ++i) beats.push_back({Life{i}, 1});
  Keeper keeper{Life{101}};
  Keeper::Effects fx;
  keeper.announce(fx);
  keeper.on_announced(Outcome::committed, fx);
  for (const Life life : dead) keeper.on_overdue({life, 1});
  keeper.propose(fx);
  keeper.on_register(register_of(7, 7, dead, beats), fx);
  ASSERT_TRUE(fx.proposal.has_value());
  EXPECT_EQ(fx.proposal->gone.size(), Keeper::kMostGone);
  EXPECT_EQ(fx.proposal->next.members.size(), Roll::kMostMembers);
}

TEST(Keeper, ReportsForNoViewAfterItsLease) {
  Keeper keeper = running();
  Keeper::Effects fx;
  keeper.on_overdue({kB, 1});
  keeper.propose(fx);
  keeper.on_register(kTwo, fx);
  ASSERT_TRUE(fx.proposal.has_value());
  fx.clear();
  keeper.lease_ended(fx);
  keeper.lapse();
  keeper.on_proposed(Outcome::committed, fx);  // By an engine that has been restored, maybe.
  EXPECT_FALSE(fx.report);
  EXPECT_TRUE(fx.ended);
}

TEST(Keeper, EndsIfTheEngineWentBack) {
  for (const Register& back : {register_of(4, 0, {}, kTwo.beats), register_of(0, 0, {}, kTwo.beats),
                               register_of(5, 1, {kB, kA}, kTwo.beats)}) {
    Keeper keeper = running();
    Keeper::Effects fx;
    keeper.on_register(back, fx);
    EXPECT_TRUE(fx.lost);
    EXPECT_TRUE(fx.ended);
    EXPECT_EQ(keeper.roll(), (Roll{Epoch{1}, {}}));
  }
}

// The engine was restored to before our view, and somebody who does not know has gone on from
// there.
TEST(Keeper, EndsIfTheNextViewDoesNotComeAfterItsOwn) {
  Keeper keeper = running();
  Keeper::Effects fx;
  keeper.on_register(register_of(6, 2, {kA, kB}, kTwo.beats), fx);
  EXPECT_FALSE(fx.ended);
  Register fork = register_of(9, 5, {kA, kC}, {{kA, 1}, {kC, 1}});
  fork.roll.after = {Epoch{1}};
  keeper.on_register(fork, fx);
  EXPECT_TRUE(fx.ended);
}

TEST(Keeper, ProposesViewsAboveAllThatWereSeen) {
  Keeper keeper{kC, Epoch{9}};
  Keeper::Effects fx;
  keeper.announce(fx);
  keeper.on_announced(Outcome::committed, fx);
  Register back = kTwo;
  back.beats.push_back({kC, 1});
  keeper.propose(fx);
  keeper.on_register(back, fx);
  ASSERT_TRUE(fx.proposal.has_value());
  EXPECT_EQ(fx.proposal->next, (Roll{Epoch{10}, {kA, kB, kC}, {Epoch{1}}}));
  keeper.on_proposed(Outcome::conflict, fx);
  fx.clear();
  // Somebody else's, who does not know: nobody may begin it here.
  back.roll = {Epoch{2}, {kA, kB, kC}};
  keeper.on_register(back, fx);
  EXPECT_FALSE(fx.report);
  EXPECT_TRUE(keeper.is_due(back));
}

TEST(Keeper, FoundsAGroupOnlyWhenItMay) {
  Keeper keeper = announced(kA);
  Keeper::Effects fx;
  const Register empty = register_of(0, 0, {}, {{kA, 1}});
  keeper.on_register(empty, fx);
  EXPECT_FALSE(keeper.is_due(empty));
  keeper.may_found();
  EXPECT_TRUE(keeper.is_due(empty));
  keeper.on_register(register_of(5, 1, {kB}, {{kA, 1}, {kB, 1}}), fx);
  EXPECT_FALSE(keeper.is_due(empty)) << "there was one meanwhile";
}

TEST(Keeper, EndsWhenItsBeatIsRefused) {
  Keeper keeper = running();
  Keeper::Effects fx;
  keeper.on_beat(Outcome::conflict, fx);
  EXPECT_TRUE(fx.lost);
  EXPECT_TRUE(fx.ended);
  EXPECT_EQ(keeper.standing(), Standing::ended);
  fx.clear();
  keeper.on_beat(Outcome::committed, fx);
  keeper.on_register(kTwo, fx);
  EXPECT_FALSE(keeper.may_grant());
}

TEST(Keeper, EndsWhenAViewOmitsIt) {
  Keeper keeper = running();
  Keeper::Effects fx;
  keeper.on_register(register_of(6, 2, {kB}, {{kB, 1}}), fx);
  EXPECT_TRUE(fx.lost);
  EXPECT_TRUE(fx.ended);
}

TEST(Keeper, WaitsOutsideAViewThatDoesNotHaveItYet) {
  Keeper keeper = announced(kC);
  Keeper::Effects fx;
  keeper.on_register(register_of(5, 1, {kA, kB}, {{kA, 1}, {kB, 1}, {kC, 1}}), fx);
  EXPECT_FALSE(fx.ended);
  EXPECT_EQ(keeper.standing(), Standing::announced);
}

TEST(Keeper, RemovesOnlyWhoseBeatStandsStillYet) {
  Keeper keeper = running();
  Keeper::Effects fx;
  EXPECT_FALSE(keeper.is_due(kTwo));
  keeper.on_overdue({kB, 1});
  EXPECT_TRUE(keeper.is_due(kTwo));
  const Register beaten = register_of(5, 1, {kA, kB}, {{kA, 1}, {kB, 2}});
  EXPECT_FALSE(keeper.is_due(beaten));
  keeper.propose(fx);
  keeper.on_register(kTwo, fx);
  ASSERT_TRUE(fx.proposal.has_value());
  EXPECT_THAT(fx.proposal->next.members, ElementsAre(kA));
  EXPECT_THAT(fx.proposal->gone, ElementsAre(Beat{kB, 1}));
  fx.clear();
  keeper.on_proposed(Outcome::conflict, fx);
  EXPECT_TRUE(fx.read);
  keeper.on_register(beaten, fx);
  EXPECT_FALSE(keeper.is_due(kTwo));  // It beat meanwhile: watch it afresh.
}

TEST(Keeper, ReadsAgainWhenTheAnswerIsLost) {
  Keeper keeper = running();
  Keeper::Effects fx;
  const Register joined = register_of(5, 1, {kA, kB}, {{kA, 1}, {kB, 1}, {kC, 1}});
  keeper.propose(fx);
  keeper.on_register(joined, fx);
  ASSERT_TRUE(fx.proposal.has_value());
  fx.clear();
  keeper.on_proposed(Outcome::unknown, fx);
  EXPECT_TRUE(fx.read);
  EXPECT_FALSE(fx.stop);
  keeper.on_register(register_of(6, 2, {kA, kB, kC}, joined.beats), fx);  // It had happened.
  EXPECT_TRUE(fx.stop);
}

TEST(Keeper, FindsItsBeatAfterALostAnswer) {
  Keeper keeper{kA};
  Keeper::Effects fx;
  keeper.announce(fx);
  keeper.on_announced(Outcome::unknown, fx);
  EXPECT_TRUE(fx.read);
  keeper.on_register(register_of(0, 0, {}, {}), fx);
  EXPECT_EQ(keeper.standing(), Standing::outside);
  keeper.on_register(register_of(0, 0, {}, {{kA, 1}}), fx);
  EXPECT_EQ(keeper.standing(), Standing::announced);
  EXPECT_FALSE(keeper.is_leased());
}

TEST(Keeper, LeavesByProposingAViewWithoutItselfOnceNothingIsHeld) {
  Keeper keeper = running();
  Keeper::Effects fx;
  keeper.leave(fx);
  EXPECT_TRUE(fx.recall);
  EXPECT_FALSE(fx.lost) << "the clients inside were promised the lease";
  EXPECT_FALSE(keeper.may_grant());
  fx.clear();
  keeper.beat_due(fx);
  EXPECT_FALSE(fx.beat);
  EXPECT_FALSE(keeper.is_due(kTwo));
  keeper.drained();
  keeper.propose(fx);
  keeper.on_register(kTwo, fx);
  ASSERT_TRUE(fx.proposal.has_value());
  EXPECT_THAT(fx.proposal->next.members, ElementsAre(kB));
  EXPECT_THAT(fx.proposal->gone, ElementsAre(Beat{kA, 1}));
  keeper.on_proposed(Outcome::committed, fx);
  EXPECT_TRUE(fx.ended);
}

TEST(Keeper, EndsWhenItLeavesAndItsLeaseIsOverThoughSomethingIsHeld) {
  Keeper keeper = running();
  Keeper::Effects fx;
  keeper.leave(fx);
  keeper.lease_ended(fx);
  keeper.lapse();
  EXPECT_TRUE(fx.lost);
  keeper.on_register(kTwo, fx);
  EXPECT_TRUE(fx.ended);
}

TEST(Keeper, EndsIfItIsShutOutBeforeItIsAnnounced) {
  Keeper keeper{kA};
  Keeper::Effects fx;
  keeper.announce(fx);
  keeper.on_announced(Outcome::conflict, fx);
  EXPECT_TRUE(fx.read);
  keeper.on_register(register_of(0, 0, {}, {}), fx);
  EXPECT_TRUE(fx.ended);
}

TEST(Keeper, GivesUpOnManyInSeveralProposals) {
  Keeper keeper = running();
  std::vector<Beat> beats{{kA, 1}, {kB, 1}};
  for (std::uint64_t i = 0; i < 30; ++i) beats.push_back({Life{100 + i}, 1});
  for (const Beat& beat : beats) keeper.on_overdue(beat);
  Keeper::Effects fx;
  keeper.propose(fx);
  keeper.on_register(register_of(5, 1, {kA, kB}, beats), fx);
  ASSERT_TRUE(fx.proposal.has_value());
  EXPECT_EQ(fx.proposal->gone.size(), Keeper::kMostGone);
  EXPECT_EQ(fx.proposal->next.members.size(), beats.size() - Keeper::kMostGone);
}

TEST(Keeper, StrikesOffWhoIsAnnouncedAndGivenUpOnBeforeAnyViewHasIt) {
  Keeper keeper = running();
  keeper.on_overdue({Life{9}, 1});
  Register reg = kTwo;
  reg.beats.push_back({Life{9}, 1});
  EXPECT_TRUE(keeper.is_due(reg));
}

// Its lease may run on: only its record is gone.
TEST(Keeper, WaitsForAMemberWhoseRecordWasDeleted) {
  Keeper keeper = running();
  const Register without = register_of(5, 1, {kA, kB}, {{kA, 1}});
  Keeper::Effects fx;
  keeper.on_overdue({kB, 1});
  keeper.on_register(without, fx);
  EXPECT_FALSE(keeper.is_due(without)) << "that beat stood still, but this is news";
  keeper.on_overdue({kB, 0});
  keeper.on_register(without, fx);
  EXPECT_TRUE(keeper.is_due(without));
  keeper.propose(fx);
  keeper.on_register(without, fx);
  ASSERT_TRUE(fx.proposal.has_value());
  EXPECT_THAT(fx.proposal->next.members, ElementsAre(kA));
  EXPECT_THAT(fx.proposal->gone, ::testing::IsEmpty());
}

TEST(Keeper, RenewsAViewOnce) {
  Keeper keeper = running();
  Keeper::Effects fx;
  keeper.renew_view();
  keeper.propose(fx);
  keeper.on_register(kTwo, fx);
  ASSERT_TRUE(fx.proposal.has_value());
  EXPECT_EQ(fx.proposal->next, (Roll{Epoch{2}, {kA, kB}, {Epoch{1}}}));
  keeper.on_proposed(Outcome::committed, fx);
  EXPECT_TRUE(fx.stop);
  EXPECT_FALSE(keeper.is_due(register_of(6, 2, {kA, kB}, kTwo.beats)));
}

}  // namespace
}  // namespace hapax
