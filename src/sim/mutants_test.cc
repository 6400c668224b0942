// Planted bugs that the simulator's own checks must catch, each beside the real algorithm, which
// under the very same options and seeds shows nothing.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/id_set.h"
#include "base/prng.h"
#include "core/stamp.h"
#include "mutex/bakery.h"
#include "mutex/carvalho_roucairol.h"
#include "mutex/central.h"
#include "mutex/lamport.h"
#include "mutex/maekawa.h"
#include "mutex/naimi_trehel.h"
#include "mutex/ricart_agrawala.h"
#include "mutex/suzuki_kasami.h"
#include "mutex/token_ring.h"
#include "mutex/voting_sets.h"
#include "sim/simulation.h"
#include "sim/testing/mutant.h"

namespace hapax {
namespace {

using testing::field;
using testing::hand_on_if;
using testing::Mutant;
using testing::NoBug;
using Kind = Violation::Kind;

// --- running ---

template <MutexAlgorithm A>
SimReport run(SimOptions options, std::uint64_t seed,
              const typename OptionsOf<A>::Type& algorithm_options = {}) {
  options.seed = seed;
  Prng prng{~seed};
  FaultPlan faults = FaultPlan::draw(options.faults, options.n, prng).value();
  return Simulation<A>{std::move(options), std::move(faults), algorithm_options}.run();
}

bool shows(const SimReport& report, Kind kind) {
  return std::any_of(report.violations.begin(), report.violations.end(),
                     [&](const Violation& v) { return v.kind == kind; });
}

std::string first_violation(const SimReport& report) {
  if (report.violations.empty()) return "none";
  return fmt::format("{}: {}", name_of(report.violations[0].kind), report.violations[0].text);
}

// Seeds 1 … kSeeds: the real algorithm shows nothing in any run, and the mutant shows `kind` in one
// of them.
constexpr std::uint64_t kSeeds = 20;

template <class Real, class Wrong>
void expect_caught(Kind kind, Real&& real, Wrong&& wrong) {
  std::string seen;
  bool caught = false;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const SimReport sound = real(seed);
    EXPECT_EQ(sound.violation_count, 0u)
        << "without the bug, seed " << seed << ": " << first_violation(sound);
    if (caught) continue;
    const SimReport report = wrong(seed);
    caught = shows(report, kind);
    if (caught) ::testing::Test::RecordProperty("seed", std::to_string(seed));
    seen = first_violation(report);
  }
  EXPECT_TRUE(caught) << "seeds 1 to " << kSeeds << " show no violation of " << name_of(kind)
                      << "; the last one showed: " << seen;
}

template <MutexAlgorithm A, class Bug>
void expect_caught(Kind kind, const SimOptions& options,
                   const typename OptionsOf<A>::Type& algorithm_options = {}) {
  expect_caught(
      kind, [&](std::uint64_t seed) { return run<A>(options, seed, algorithm_options); },
      [&](std::uint64_t seed) { return run<Mutant<A, Bug>>(options, seed, algorithm_options); });
}

// The bug is in the network: an algorithm that needs FIFO channels does not get them.
template <MutexAlgorithm A>
void expect_needs_fifo(Kind kind, SimOptions options,
                       const typename OptionsOf<A>::Type& algorithm_options = {}) {
  const auto run_over = [&](Channels channels, std::uint64_t seed) {
    options.channels = channels;
    return run<A>(options, seed, algorithm_options);
  };
  expect_caught(
      kind, [&](std::uint64_t seed) { return run_over(Channels::fifo, seed); },
      [&](std::uint64_t seed) { return run_over(Channels::unordered, seed); });
}

// Everybody asks all the time, and messages take long or short.
SimOptions crowd(std::uint32_t n) {
  SimOptions options;
  options.n = n;
  options.entries = 500;
  options.load.kind = Load::Kind::high;
  options.latency = Latency::parse("exp:1ms").value();
  options.inside = 2 * kMillisecond;
  return options;
}

// Somebody asks now and then, `rate` times a second in all, often while somebody else wants to
// enter. Unlike in a crowd, an early request may come late.
SimOptions visitors(std::uint32_t n, double rate, Nanos inside) {
  SimOptions options = crowd(n);
  options.load = {Load::Kind::poisson, rate};
  options.inside = inside;
  return options;
}

VotingSets listed(const std::vector<std::vector<std::uint32_t>>& sets) {
  std::vector<std::vector<NodeId>> ids;
  for (const auto& set : sets) {
    ids.emplace_back();
    for (const std::uint32_t node : set) ids.back().push_back(NodeId{node});
  }
  return VotingSets::listed(ids).value();
}

// --- no bug ---

struct HandsAllOn : NoBug<Maekawa> {
  HAPAX_RECORD(HandsAllOn)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    Fx real;
    self.real.receive(from, message, real);
    hand_on_if(real, self, fx, [](NodeId, const Message&) { return true; });
  }
};

// What is caught below is the bug, not the wrapper around it.
TEST(Mutants, AMutantWithoutABugRunsLikeTheRealAlgorithm) {
  SimOptions options = visitors(9, 200, kMillisecond);
  options.self_check = true;
  const SimReport real = run<Maekawa>(options, 1);
  const SimReport wrapped = run<Mutant<Maekawa, HandsAllOn>>(options, 1);
  EXPECT_EQ(wrapped.fingerprint, real.fingerprint);
  EXPECT_EQ(wrapped.messages, real.messages);
  EXPECT_EQ(wrapped.entries, 500u);
}

// --- Ricart-Agrawala ---

// Counts replies, where it should keep the set of those who have not replied: whoever answers, one
// less is missing.
struct CountsReplies : NoBug<RicartAgrawala> {
  HAPAX_RECORD(CountsReplies)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const auto* reply = std::get_if<RicartAgrawala::Reply>(&message);
    if (reply == nullptr || self.real.phase() != Phase::waiting) {
      return self.real.receive(from, message, fx);
    }
    const NodeId any = *field<NodeSet>(self.real, "awaiting").begin();
    const Clock asked = field<Clock>(self.real, "asked");
    self.real.receive(any, RicartAgrawala::Reply{std::max(reply->clock, asked)}, fx);
  }
};

TEST(Mutants, RicartAgrawalaCountsRepliesWhileMessagesAreDoubled) {
  SimOptions options = crowd(5);
  options.faults = {parse_fault("dup:0.05").value()};
  expect_caught<RicartAgrawala, CountsReplies>(Kind::exclusion, options);
}

// Without duplicates a count does as well as a set: it is the duplicates that show the bug.
TEST(Mutants, RicartAgrawalaThatCountsRepliesIsNotCaughtWithoutDuplicates) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto report = run<Mutant<RicartAgrawala, CountsReplies>>(crowd(5), seed);
    EXPECT_EQ(report.violation_count, 0u) << "seed " << seed << ": " << first_violation(report);
  }
}

// While waiting, lets the later request go first.
struct FlipsTheComparison : NoBug<RicartAgrawala> {
  HAPAX_RECORD(FlipsTheComparison)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const auto* theirs = std::get_if<RicartAgrawala::Request>(&message);
    if (theirs == nullptr || self.real.phase() != Phase::waiting) {
      return self.real.receive(from, message, fx);
    }
    // Show the real one a clock on the other side of its own.
    const Clock asked = field<Clock>(self.real, "asked");
    const bool earlier = Stamp{theirs->clock, from} < Stamp{asked, self.view.self};
    self.real.receive(from, RicartAgrawala::Request{earlier ? next(asked) : Clock{}}, fx);
    self.real.raise_clock(theirs->clock);
    for (auto& send : fx.sends()) send.message = RicartAgrawala::Reply{theirs->clock};
  }
};

TEST(Mutants, RicartAgrawalaFlipsTheComparison) {
  expect_caught<RicartAgrawala, FlipsTheComparison>(Kind::exclusion, crowd(3));
}

// A request does not raise the receiver's clock, so its own next one may come before it.
struct LetsTheClockBe : NoBug<RicartAgrawala> {
  HAPAX_RECORD(LetsTheClockBe)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const Clock before = field<Clock>(self.real, "clock");
    self.real.receive(from, message, fx);
    if (std::holds_alternative<RicartAgrawala::Request>(message)) {
      field<Clock>(self.real, "clock") = before;
    }
  }
};

TEST(Mutants, RicartAgrawalaDoesNotRaiseTheClockOnRequestsAndLetsTwoIn) {
  expect_caught<RicartAgrawala, LetsTheClockBe>(Kind::exclusion,
                                                visitors(7, 500, 10 * kMillisecond));
}

// One at a time: nobody meets inside, the fence alone tells.
TEST(Mutants, RicartAgrawalaDoesNotRaiseTheClockOnRequestsAndFencesFallBack) {
  SimOptions options = crowd(7);
  options.load.kind = Load::Kind::low;
  expect_caught<RicartAgrawala, LetsTheClockBe>(Kind::fence, options);
}

// --- Lamport ---

TEST(Mutants, LamportWithoutFifoLetsTwoIn) {
  expect_needs_fifo<Lamport>(Kind::exclusion, crowd(3));
}

struct ForgetsOneRelease : NoBug<Lamport> {
  HAPAX_RECORD(ForgetsOneRelease)

  void release(Self self, Fx& fx) {
    Fx real;
    self.real.release(real);
    const NodeId forgotten{(number(self.view.self) + 1) % self.view.size};
    hand_on_if(real, self, fx, [&](NodeId to, const Message&) { return to != forgotten; });
  }
};

TEST(Mutants, LamportForgetsToTellOneThatItLeft) {
  expect_caught<Lamport, ForgetsOneRelease>(Kind::progress, crowd(4));
}

// --- Carvalho-Roucairol ---

// Draws the turn as it asks, not as it enters.
struct TurnIsTheRequestsStamp : NoBug<CarvalhoRoucairol> {
  HAPAX_RECORD(TurnIsTheRequestsStamp)

  void request(Self self, Fx& fx) {
    Fx real;
    self.real.request(real);
    hand_on(real, self, fx);
  }
  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    Fx real;
    self.real.receive(from, message, real);
    hand_on(real, self, fx);
  }

 private:
  static void hand_on(const Fx& real, Self self, Fx& fx) {
    real.for_each_message(self.view.self, self.view.size,
                          [&](NodeId to, const Message& message) { fx.send(to, message); });
    if (real.rejected() != Reject::none) fx.reject(real.rejected());
    const Stamp own{field<Clock>(self.real, "asked"), self.view.self};
    if (real.entered()) fx.enter(turn_of(own, self.view.size));
  }
};

TEST(Mutants, CarvalhoRoucairolTakesTheRequestsStampAsFence) {
  expect_caught<CarvalhoRoucairol, TurnIsTheRequestsStamp>(Kind::fence,
                                                           visitors(4, 100, 2 * kMillisecond));
}

// --- tokens ---

// Once, the token also goes to the one after the next, as if the next one had died; and a member
// takes it from anybody.
struct SendsTheRingTokenTwice : NoBug<TokenRing> {
  bool done = false;
  HAPAX_RECORD(SendsTheRingTokenTwice, done)

  void release(Self self, Fx& fx) {
    self.real.release(fx);
    if (self.view.self != self.view.holder || std::exchange(done, true)) return;
    const Message token = fx.sends().front().message;
    fx.send(NodeId{(number(self.view.self) + 2) % self.view.size}, token);
  }
  void receive(Self self, NodeId, const Message& message, Fx& fx) {
    const std::uint32_t n = self.view.size;
    self.real.receive(NodeId{(number(self.view.self) + n - 1) % n}, message, fx);
  }
};

TEST(Mutants, TokenRingSendsTheTokenTwice) {
  expect_caught<TokenRing, SendsTheRingTokenTwice>(Kind::exclusion, crowd(5));
}

// Serves the first two of the queue at once.
struct SendsTheTokenToTwo : NoBug<SuzukiKasami> {
  HAPAX_RECORD(SendsTheTokenToTwo)

  void release(Self self, Fx& fx) {
    self.real.release(fx);
    if (fx.sends().empty()) return;
    Message copy = fx.sends().front().message;
    auto& privilege = std::get<SuzukiKasami::Token>(copy).privilege;
    if (privilege->queue.empty()) return;
    const NodeId second = privilege->queue.pop();
    fx.send(second, copy);
  }
};

TEST(Mutants, SuzukiKasamiSendsTheTokenToTwo) {
  expect_caught<SuzukiKasami, SendsTheTokenToTwo>(Kind::exclusion, crowd(5));
}

// Sends the token on with the number that it came with.
struct DoesNotCountTheTurn : NoBug<NaimiTrehel> {
  Turn came_with{};
  HAPAX_RECORD(DoesNotCountTheTurn, came_with)

  void release(Self self, Fx& fx) {
    self.real.release(fx);
    set_back(fx);
  }
  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (const auto* token = std::get_if<NaimiTrehel::Token>(&message)) came_with = token->turn;
    self.real.receive(from, message, fx);
    set_back(fx);
  }

 private:
  void set_back(Fx& fx) const {
    for (auto& send : fx.sends()) {
      if (auto* token = std::get_if<NaimiTrehel::Token>(&send.message)) token->turn = came_with;
    }
  }
};

TEST(Mutants, NaimiTrehelDoesNotCountTheTurn) {
  expect_caught<NaimiTrehel, DoesNotCountTheTurn>(Kind::fence, crowd(5));
}

// --- central ---

// The coordinator takes the next request for a sign that whoever is inside has left.
struct GrantsWhileBusy : NoBug<Central> {
  std::optional<NodeId> inside;
  HAPAX_RECORD(GrantsWhileBusy, inside)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (std::holds_alternative<Central::Release>(message)) {
      if (inside != from) return;  // Struck off already.
      inside.reset();
    } else if (std::holds_alternative<Central::Request>(message)) {
      if (inside) self.real.receive(*inside, Central::Release{}, fx);
      inside = from;
    }
    self.real.receive(from, message, fx);
  }
};

TEST(Mutants, CentralGrantsWhileBusy) {
  SimOptions options = crowd(5);
  options.draw = Draw::not_home;
  expect_caught<Central, GrantsWhileBusy>(Kind::exclusion, options);
}

// --- bakery ---

// Says that it has chosen, also while it is choosing.
struct DoesNotWaitForChoosing : NoBug<Bakery> {
  HAPAX_RECORD(DoesNotWaitForChoosing)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (std::holds_alternative<Bakery::ReadChosen>(message)) return fx.send(from, Bakery::Chosen{});
    self.real.receive(from, message, fx);
  }
};

TEST(Mutants, BakeryReadsNumbersWithoutWaitingForChoosing) {
  expect_caught<Bakery, DoesNotWaitForChoosing>(Kind::exclusion,
                                                visitors(7, 500, 2 * kMillisecond));
}

// --- Maekawa ---

// Without Sanders' correction: who was first among the waiting does not learn that somebody else
// now comes before it.
struct WithoutSanders : NoBug<Maekawa> {
  HAPAX_RECORD(WithoutSanders)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (!std::holds_alternative<Maekawa::Request>(message)) {
      return self.real.receive(from, message, fx);
    }
    Fx real;
    self.real.receive(from, message, real);
    hand_on_if(real, self, fx, [&](NodeId to, const Message& m) {
      return to == from || !std::holds_alternative<Maekawa::Failed>(m);
    });
  }
};

// Of six, 0, 2 and 4 ask; the others only vote. So every vote and every refusal is a message.
SimOptions three_of_six() {
  SimOptions options = visitors(6, 200, kMillisecond);
  options.requesters = 3;
  return options;
}

VotingSets shared_by_all_six() { return listed(std::vector(6, std::vector<std::uint32_t>{1, 3})); }

TEST(Mutants, MaekawaWithoutSandersWhenThreeShareOneVotingSetOfTwo) {
  const VotingSets shared = shared_by_all_six();
  expect_caught<Maekawa, WithoutSanders>(Kind::progress, three_of_six(), {&shared});
}

// A voter of V1={1,2}, V2={2,3}, V3={3,1} has two requesters, and the correction is about a third.
TEST(Mutants, MaekawaWithoutSandersIsNotCaughtWhenEveryVoterHasTwoRequesters) {
  const VotingSets lecture = VotingSets::lecture(3).value();
  const VotingSets apart = listed({{1, 3}, {1, 3, 5}, {3, 5}, {1, 3, 5}, {5, 1}, {1, 3, 5}});
  const SimOptions three = visitors(3, 200, kMillisecond);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const SimReport& report :
         {run<Mutant<Maekawa, WithoutSanders>>(three, seed, {&lecture}),
          run<Mutant<Maekawa, WithoutSanders>>(three_of_six(), seed, {&apart})}) {
      EXPECT_EQ(report.violation_count, 0u) << "seed " << seed << ": " << first_violation(report);
      EXPECT_EQ(report.entries, 500u);
    }
  }
}

// Gives a vote back with all votes in hand.
struct YieldsWhileInside : NoBug<Maekawa> {
  HAPAX_RECORD(YieldsWhileInside)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    self.real.receive(from, message, fx);
    if (self.real.phase() == Phase::inside && std::holds_alternative<Maekawa::Inquire>(message)) {
      fx.send(from, Maekawa::Yield{});
    }
  }
};

TEST(Mutants, MaekawaYieldsWhileInside) {
  const VotingSets plane = VotingSets::plane(7).value();
  // Inside long enough for the vote to get somewhere else.
  expect_caught<Maekawa, YieldsWhileInside>(Kind::exclusion, visitors(7, 100, 10 * kMillisecond),
                                            {&plane});
}

// Gives a vote back after it left: to a voter whose vote is somebody else's by now.
struct YieldsAfterRelease : NoBug<Maekawa> {
  HAPAX_RECORD(YieldsAfterRelease)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    self.real.receive(from, message, fx);
    if (self.real.phase() == Phase::idle && std::holds_alternative<Maekawa::Inquire>(message)) {
      fx.send(from, Maekawa::Yield{});
    }
  }
};

// Our voter looks whose vote it is and refuses; one that did not would give away a vote in use.
TEST(Mutants, MaekawaYieldsAfterReleaseAndTheVoterRefuses) {
  const VotingSets shared = shared_by_all_six();
  expect_caught<Maekawa, YieldsAfterRelease>(Kind::protocol, three_of_six(), {&shared});
}

// A vote that does not say the highest turn its voter knows of.
struct VotesWithoutTheTurn : NoBug<Maekawa> {
  HAPAX_RECORD(VotesWithoutTheTurn)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (std::holds_alternative<Maekawa::Locked>(message)) {
      return self.real.receive(from, Maekawa::Locked{}, fx);
    }
    self.real.receive(from, message, fx);
  }
};

TEST(Mutants, MaekawaVotesWithoutTheTurn) {
  const VotingSets plane = VotingSets::plane(7).value();
  expect_caught<Maekawa, VotesWithoutTheTurn>(Kind::fence, crowd(7), {&plane});
}

// Nothing tags an INQUIRE with the vote that it is about, so one that overtakes the vote is lost.
TEST(Mutants, MaekawaWithoutFifoWaitsForEver) {
  const VotingSets plane = VotingSets::plane(7).value();
  SimOptions options = visitors(7, 100, kMillisecond);
  options.latency = Latency::parse("exp:5ms").value();
  expect_needs_fifo<Maekawa>(Kind::progress, options, {&plane});
}

}  // namespace
}  // namespace hapax
