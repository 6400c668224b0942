// What holds of elections, over every order of events, and what is found if it does not. The counts
// are pinned, so that a search that sees less fails; those over FIFO channels without a crash and
// with one agree with a search of its own over SmallWorld (src/election/testing).
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "check/counterexample.h"
#include "check/election_model.h"
#include "check/explore.h"
#include "check/proved.h"
#include "check/run.h"
#include "election/any_election.h"
#include "election/bully.h"
#include "election/chang_roberts.h"
#include "election/ring_election.h"
#include "world/election_stage.h"

namespace hapax {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct PinnedElection {
  std::string_view algorithm;
  CheckOptions options;
  std::uint64_t states;
  std::uint64_t transitions;
};

void PrintTo(const PinnedElection& pinned, std::ostream* out) {
  *out << pinned.algorithm << " of " << pinned.options.n << ", crashes " << pinned.options.crashes;
}

class ElectionHolds : public ::testing::TestWithParam<PinnedElection> {};

TEST_P(ElectionHolds, InEveryOrder) {
  const PinnedElection& pinned = GetParam();
  const CheckReport report = check(pinned.algorithm, pinned.options).value();
  EXPECT_EQ(report.verdict, Verdict::holds) << report.property << ": " << report.finding;
  EXPECT_EQ(report.states, pinned.states);
  EXPECT_EQ(report.transitions, pinned.transitions);
  EXPECT_THAT(report.proved, HasSubstr("every run comes to rest, and at rest"));
}

constexpr CheckOptions options(std::uint32_t n, std::uint32_t crashes, std::uint32_t entries = 1,
                               Channels channels = Channels::fifo) {
  return {.n = n, .entries = entries, .channels = channels, .crashes = crashes};
}
constexpr Channels kUnordered = Channels::unordered;

INSTANTIATE_TEST_SUITE_P(
    Bully, ElectionHolds,
    ::testing::Values(PinnedElection{"bully", options(1, 0), 2, 1}, PinnedElection{"bully", options(2, 1), 25, 56},
                      PinnedElection{"bully", options(3, 0), 157, 436},
                      PinnedElection{"bully", options(3, 1), 652, 2'354},
                      PinnedElection{"bully", options(3, 2), 901, 3'988},
                      PinnedElection{"bully", options(3, 2, 1, kUnordered), 952, 4'389},
                      PinnedElection{"bully", options(3, 1, 2), 56'305, 266'340},
                      PinnedElection{"bully", options(4, 0), 7'930, 39'941},
                      PinnedElection{"bully", options(4, 1), 228'401, 1'091'489}));

INSTANTIATE_TEST_SUITE_P(
    RingElection, ElectionHolds,
    ::testing::Values(PinnedElection{"ring-election", options(2, 1), 42, 82},
                      PinnedElection{"ring-election", options(3, 0), 45, 71},
                      PinnedElection{"ring-election", options(3, 1), 838, 1'853},
                      PinnedElection{"ring-election", options(3, 2), 1'597, 5'137},
                      PinnedElection{"ring-election", options(3, 2, 1, kUnordered), 11'237, 46'438},
                      PinnedElection{"ring-election", options(3, 1, 2), 7'660, 18'790},
                      PinnedElection{"ring-election", options(4, 0), 145, 301},
                      PinnedElection{"ring-election", options(4, 1), 9'310, 27'211},
                      PinnedElection{"ring-election", options(4, 2), 90'097, 318'533}));

INSTANTIATE_TEST_SUITE_P(
    ChangRoberts, ElectionHolds,
    ::testing::Values(PinnedElection{"chang-roberts", options(2, 1), 33, 69},
                      PinnedElection{"chang-roberts", options(3, 0), 33, 57},
                      PinnedElection{"chang-roberts", options(3, 1), 613, 1'318},
                      PinnedElection{"chang-roberts", options(3, 2), 1'158, 3'690},
                      PinnedElection{"chang-roberts", options(3, 2, 1, kUnordered), 8'682, 36'366},
                      PinnedElection{"chang-roberts", options(3, 1, 2), 4'898, 11'601},
                      PinnedElection{"chang-roberts", options(4, 0), 86, 198},
                      PinnedElection{"chang-roberts", options(4, 1), 7'004, 18'922},
                      PinnedElection{"chang-roberts", options(4, 2), 72'055, 248'172}));

TEST(ElectionCheck, SaysWhatIsProvedNeitherMoreNorLess) {
  EXPECT_EQ(check("bully", options(3, 0)).value().proved,
            "In every order of campaigns and deliveries, over FIFO channels, with 3 processes that "
            "may each campaign when they know no leader, whoever follows a process that lives "
            "follows the highest that lives, so no two that live lead at once, and no two follow "
            "different ones in the same term; nobody follows one that it outranks, no term falls, "
            "no message is rejected; every run comes to rest, and "
            "at rest, once anybody has campaigned, all that live follow the highest that lives.");
  const std::string faulty = check("bully", options(2, 2, 3, kUnordered)).value().proved;
  EXPECT_THAT(faulty, HasSubstr("campaigns, deliveries, at most 2 crashes and the suspicions that "
                                "follow, over unordered channels"));
  EXPECT_THAT(faulty, HasSubstr("when they know no leader, and twice though they do, whoever"));
  EXPECT_THAT(faulty, HasSubstr("one that it outranks or was told is down, no term falls"));
  EXPECT_THAT(what_is_proved_of_election(options(3, 0), Progress::by_fairness, true),
              HasSubstr("; every run comes to rest, provided that a step that stays possible is "
                        "taken at last (weak fairness: messages arrive, who has crashed is "
                        "suspected), and at rest"));
}

// The successor of a crashed bully may use the same term, before all have heard of it; the members
// of a ring start again in the next one.
TEST(ElectionCheck, SaysWhetherATermHasOneLeader) {
  const std::string one = "no two follow different ones in the same term";
  EXPECT_THAT(check("bully", options(3, 0, 2)).value().proved, HasSubstr(one));
  EXPECT_THAT(check("bully", options(3, 1)).value().proved, Not(HasSubstr(one)));
  for (const std::string_view ring : {"ring-election", "chang-roberts"}) {
    EXPECT_THAT(check(ring, options(4, 2)).value().proved, HasSubstr(one));
  }
}

TEST(ElectionCheck, RefusesFaultsThatNoElectionSurvives) {
  EXPECT_FALSE(check("bully", {.losses = 1}).has_value());
  EXPECT_FALSE(check("bully", {.duplicates = 1}).has_value());
  EXPECT_FALSE(check("bully", {.n = 8}).has_value());
}

TEST(ElectionCheck, GivesUpWhenMemoryEndsAndSaysSo) {
  CheckOptions small = options(4, 1);
  small.most_bytes = 1 << 20;
  const CheckReport report = check("bully", small).value();
  EXPECT_EQ(report.verdict, Verdict::unfinished);
  EXPECT_LT(report.states, 228'401u);
}

// --- planted bugs: a check that never fails proves nothing ---

template <class A>
using Fx = Effects<typename A::Message>;

template <class T, Record R>
T& field(R& record, std::string_view name) {
  T* found = nullptr;
  for_each_field(record, [&]<class Value>(std::string_view field_name, Value& value) {
    if constexpr (std::same_as<Value, T>) {
      if (field_name == name) found = &value;
    }
  });
  HAPAX_CHECK(found != nullptr);
  return *found;
}
template <Record R>
NodeId self_of(R& member) {
  return field<Fixed<NodeId>>(member, "self").value;
}
template <Record R>
std::uint32_t size_of(R& member) {
  return field<Fixed<std::uint32_t>>(member, "size").value;
}

// Does what the real step did, with the messages as `change(to, message)` leaves them, except those
// that it refuses.
template <class Member, class Message, class Change>
void hand_on(Member& member, const Effects<Message>& real, Effects<Message>& fx, Change&& change) {
  for (const std::string& reason : real.reasons()) fx.because("{}", reason);
  real.for_each_message(self_of(member), size_of(member), [&](NodeId to, Message message) {
    if (change(to, message)) fx.send(to, std::move(message));
  });
  if (real.rejected() != Reject::none) fx.reject(real.rejected());
}

struct NeverStarts : Bully {
  using Bully::Bully;
  void campaign(Fx<Bully>&) {}
};

struct DeafToElections : Bully {
  using Bully::Bully;
  void receive(NodeId from, const Message& message, Fx<Bully>& fx) {
    if (!std::holds_alternative<Election>(message)) Bully::receive(from, message, fx);
  }
};

struct TellsNotTheLowest : Bully {
  using Bully::Bully;
  template <class Step>
  void watched(Fx<Bully>& fx, Step&& step) {
    Fx<Bully> real;
    step(real);
    hand_on(*this, real, fx, [](NodeId to, const Message& message) {
      return to != NodeId{0} || !std::holds_alternative<Coordinator>(message);
    });
  }
  void campaign(Fx<Bully>& fx) {
    watched(fx, [&](Fx<Bully>& real) { Bully::campaign(real); });
  }
  void receive(NodeId from, const Message& message, Fx<Bully>& fx) {
    watched(fx, [&](Fx<Bully>& real) { Bully::receive(from, message, real); });
  }
};

struct AsksNobody : Bully {
  using Bully::Bully;
  void campaign(Fx<Bully>& fx) {
    Fx<Bully> unheard;
    for (NodeId peer = next(self_of(*this)); number(peer) < size_of(*this); peer = next(peer)) {
      suspect(peer, unheard);
    }
    Bully::campaign(fx);
  }
};

struct BoastsToAll : Bully {
  using Bully::Bully;
  void campaign(Fx<Bully>& fx) {
    Bully::campaign(fx);
    fx.send_to_others(Coordinator{term()});
  }
};

struct DeafToFalls : RingElection {
  using RingElection::RingElection;
  void suspect(NodeId, Fx<RingElection>&) {}
};

struct AddsNotItself : RingElection {
  using RingElection::RingElection;
  void receive(NodeId from, const Message& message, Fx<RingElection>& fx) {
    Fx<RingElection> real;
    RingElection::receive(from, message, real);
    hand_on(*this, real, fx, [](NodeId, Message& sent) {
      auto* list = std::get_if<Election>(&sent);
      if (list != nullptr && list->ids.size() > 1) list->ids.pop_back();
      return true;
    });
  }
};

struct CountsTheDead : RingElection {
  using RingElection::RingElection;
  void receive(NodeId from, const Message& message, Fx<RingElection>& fx) {
    Message longer = message;
    if (auto* list = std::get_if<Election>(&longer))
      list->ids.push_back(NodeId{size_of(*this) - 1});
    RingElection::receive(from, longer, fx);
  }
};

// An announcement of an earlier term counts like a new one.
struct BelievesOldNews : RingElection {
  using RingElection::RingElection;
  void receive(NodeId from, const Message& message, Fx<RingElection>& fx) {
    const auto* news = std::get_if<Coordinator>(&message);
    if (news == nullptr || news->ballot.term >= term()) {
      RingElection::receive(from, message, fx);
      return;
    }
    field<std::optional<NodeId>>(*this, "leader") = news->leader;
    field<Stage>(*this, "stage") = Stage::idle;
  }
};

struct GoesBackInTerms : RingElection {
  using RingElection::RingElection;
  void receive(NodeId from, const Message& message, Fx<RingElection>& fx) {
    if (const auto* news = std::get_if<Coordinator>(&message)) {
      field<Ballot>(*this, "ballot") = Ballot{};
      RingElection::receive(from, Coordinator{*news}, fx);
      return;
    }
    RingElection::receive(from, message, fx);
  }
};

struct SwallowsNothing : ChangRoberts {
  using ChangRoberts::ChangRoberts;
  void receive(NodeId from, const Message& message, Fx<ChangRoberts>& fx) {
    const auto* m = std::get_if<Election>(&message);
    if (m == nullptr || m->candidate >= self_of(*this)) {
      ChangRoberts::receive(from, message, fx);
      return;
    }
    fx.because("{} passes candidate {} on", self_of(*this), m->candidate);
    fx.send(NodeId{(number(self_of(*this)) + 1) % size_of(*this)}, message);
  }
};

// Passes on even its own id.
struct KnowsNotItself : ChangRoberts {
  using ChangRoberts::ChangRoberts;
  void receive(NodeId from, const Message& message, Fx<ChangRoberts>& fx) {
    const auto* m = std::get_if<Election>(&message);
    if (m == nullptr || m->candidate != self_of(*this)) {
      ChangRoberts::receive(from, message, fx);
      return;
    }
    fx.send(NodeId{(number(self_of(*this)) + 1) % size_of(*this)}, message);
  }
};

// Lower ids go on, too, until the highest has won: no harm, unless they overtake its id for ever.
struct PassesLowerIdsOn : ChangRoberts {
  using ChangRoberts::ChangRoberts;
  void receive(NodeId from, const Message& message, Fx<ChangRoberts>& fx) {
    const auto* m = std::get_if<Election>(&message);
    const NodeId self = self_of(*this);
    const bool is_top = number(self) + 1 == size_of(*this);
    const bool is_own = m != nullptr && m->candidate == self && !is_top;
    if (!is_own) ChangRoberts::receive(from, message, fx);
    const bool is_lower = m != nullptr && m->candidate < self && !leader();
    if (is_own || is_lower) fx.send(NodeId{(number(self) + 1) % size_of(*this)}, message);
  }
};

template <class A>
CheckReport check_election_mutant(const CheckOptions& options) {
  return check_election(elect_among<A>(options.n), options);
}

// The counterexample, played by the algorithm that has the bug.
template <class A>
std::vector<std::string> play(const CheckReport& report, std::uint32_t n) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < n; ++i) names.push_back(fmt::format("P{}", i + 1));
  ElectionStage stage{Names{names}, elect_among<A>(n)};
  std::vector<std::string> told;
  for (const std::string& step : report.commands) {
    std::istringstream commands{step};
    for (std::string line; std::getline(commands, line);) {
      const Result<Lines> lines = stage.perform(words_of(line));
      EXPECT_TRUE(lines.has_value()) << line << ": " << lines.error().message;
      if (lines) told.insert(told.end(), lines->begin(), lines->end());
    }
  }
  return told;
}

// `shown` is a line of the trace.
template <class A>
CheckReport expect_found(const CheckOptions& options, std::string_view property,
                         const std::string& finding, const std::string& shown) {
  const CheckReport report = check_election_mutant<A>(options);
  EXPECT_EQ(report.verdict, Verdict::violated);
  EXPECT_EQ(report.property, property);
  EXPECT_EQ(report.finding, finding);
  EXPECT_THAT(play<A>(report, options.n), Contains(shown));
  return report;
}

TEST(ElectionMutants, LeadWithoutAsking) {
  expect_found<AsksNobody>(options(3, 0), "leaders", "P1 leads, though P3 lives",
                           "P1: follows P1 in term 1");
}
TEST(ElectionMutants, AnswerNobody) {
  expect_found<DeafToElections>(options(3, 0), "agreement", "all is quiet, and P1 has no leader",
                                "P2: knows no leader");
}
TEST(ElectionMutants, AnnounceToAllButOne) {
  const CheckReport report = expect_found<TellsNotTheLowest>(
      options(3, 0), "agreement", "all is quiet, and P1 has no leader", "P1: knows no leader");
  EXPECT_THAT(report.commands, ElementsAre("campaign P3", "deliver P3->P2\nstabilize\nshow"));
}
TEST(ElectionMutants, AnnounceToThoseThatOutrankThem) {
  expect_found<BoastsToAll>(options(3, 0), "protocol",
                            "P2 rejects a message that only another member may send",
                            "P2 rejects a message that only another member may send");
}
TEST(ElectionMutants, DoNotHearOfFalls) {
  EXPECT_EQ(check_election_mutant<DeafToFalls>(options(3, 0)).verdict, Verdict::holds);
  expect_found<DeafToFalls>(options(3, 1), "agreement", "all is quiet, and P2 has no leader",
                            "P3: knows no leader");
}
TEST(ElectionMutants, PassOnAListWithoutThemselves) {
  expect_found<AddsNotItself>(options(3, 0), "leaders", "P1 leads, though P3 lives",
                              "P1: follows P1 in term 1");
}
TEST(ElectionMutants, CountTheDead) {
  EXPECT_EQ(check_election_mutant<CountsTheDead>(options(3, 0)).verdict, Verdict::holds);
  expect_found<CountsTheDead>(options(3, 1), "agreement", "all is quiet, and P1 has no leader",
                              "P2 does not announce P3: it is down");
}
TEST(ElectionMutants, GoBackToADeadLeader) {
  EXPECT_EQ(check_election_mutant<BelievesOldNews>(options(3, 0)).verdict, Verdict::holds);
  expect_found<BelievesOldNews>(options(3, 1), "following",
                                "P2 follows P3, which it knows to be down",
                                "P2: follows P3 in term 2");
}
TEST(ElectionMutants, GoBackToAnEarlierTerm) {
  expect_found<GoesBackInTerms>(options(3, 1), "following", "P2 goes back from term 2 to 1",
                                "P2 does not follow P3: it is down");
}
TEST(ElectionMutants, SwallowNoLowerId) {
  expect_found<SwallowsNothing>(options(3, 0), "leaders", "P1 leads, though P3 lives",
                                "P1: follows P1 in term 1");
}
TEST(ElectionMutants, PassOnTheirOwnIdForEver) {
  const CheckReport report = expect_found<KnowsNotItself>(
      options(3, 0), "progress", "P1 can wait for a leader for ever although everybody goes on",
      "P3 -> P1: ELECTION(term=1 candidate=P3)");
  EXPECT_THAT(report.commands,
              ElementsAre("campaign P1", "deliver P1->P2", "deliver P2->P3",  // and round it goes
                          "deliver P3->P1", "deliver P1->P2", "deliver P2->P3"));
}
TEST(ElectionMutants, ComeToRestOnlyIfMessagesDoNotOvertake) {
  const CheckReport ordered = check_election_mutant<PassesLowerIdsOn>(options(3, 0));
  EXPECT_EQ(ordered.verdict, Verdict::holds) << ordered.finding;
  EXPECT_THAT(ordered.proved, HasSubstr("; every run comes to rest, and at rest"));
  const CheckReport any = check_election_mutant<PassesLowerIdsOn>(options(3, 0, 1, kUnordered));
  EXPECT_EQ(any.verdict, Verdict::holds) << any.finding;
  EXPECT_THAT(any.proved, HasSubstr("; whether every run comes to rest was not decided, and at"));
}
TEST(ElectionMutants, NeverStart) {
  EXPECT_EQ(check_election_mutant<NeverStarts>(options(3, 0)).finding, "nobody is ever elected");
}

// Nothing from an old link arrives after its end was told: the trace drops it.
TEST(ElectionCounterexample, IsATraceThatPlays) {
  ElectionModel model{elect_among<Bully>(3), options(3, 1)};
  const auto step = [](ElectionStep kind, std::uint8_t from, std::uint8_t to = 0) {
    return SearchStep{static_cast<std::uint8_t>(kind), from, to};
  };
  CheckReport report;
  report.property = "example";
  report.finding = "P1 never hears of it";
  report.commands = model.tell({step(ElectionStep::campaign, 2), step(ElectionStep::crash, 2),
                                step(ElectionStep::suspect, 2, 0)});
  const Script trace = trace_of("bully", options(3, 1), {}, report).value();
  EXPECT_EQ(trace.text(),
            "# Example violated after 3 steps: P1 never hears of it.\n"
            "nodes bully P1 P2 P3\n"
            "----\n\n"
            "campaign P3\n"
            "----\n"
            "P3 leads in term 1: nobody that lives outranks it\n"
            "P3 -> P1 P2: COORDINATOR(term=1)\n"
            "P3 is the leader\n\n"
            "crash P3\n"
            "----\n"
            "P3 crashes\n\n"
            "drop P3->P1\n"
            "suspect P1 P3\n"
            "----\n"
            "COORDINATOR(term=1) from P3 to P1 is lost\n"
            "P1 holds election 1: it asks the 1 that outrank it\n"
            "P1 -> P2: ELECTION(term=1)\n");
}

}  // namespace
}  // namespace hapax
