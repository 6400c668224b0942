#include "sim/run.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "voting/voting_sets.h"

namespace hapax {
namespace {

using hapax::operator==;  // For std::variant, which looks where the records are.

SimOptions high_load(std::uint32_t n, std::uint64_t entries) {
  SimOptions options;
  options.n = n;
  options.entries = entries;
  options.load = {Load::Kind::high};
  return options;
}

SimOptions with(SimOptions options, std::initializer_list<const char*> faults) {
  for (const char* fault : faults) options.faults.push_back(*parse_fault(fault));
  return options;
}

bool has(const SimReport& report, Violation::Kind kind) { return report.count_of(kind) > 0; }

std::string first_violation(const SimReport& report) {
  return report.violations.empty() ? "no violation" : report.violations[0].text;
}

// Every algorithm but the one that deadlocks when all ask at once.
template <class F>
void for_each_live_mutex(F&& f) {
  for (const Operations* algorithm : algorithms()) {
    const MutexInfo& info = algorithm->info;
    SCOPED_TRACE(info.name);
    if (!algorithm->shared && !info.can_deadlock) f(info.name);
  }
}

TEST(Simulate, SameSeedSameRunOtherSeedAnother) {
  for_each_live_mutex([](std::string_view algorithm) {
    SimOptions options = high_load(6, 300);
    options.load = {Load::Kind::poisson, 120};
    options.latency = *Latency::parse("exp:1ms");
    const SimReport first = *simulate(algorithm, options);
    const SimReport again = *simulate(algorithm, options);
    EXPECT_EQ(first.fingerprint, again.fingerprint);
    EXPECT_EQ(first.events, again.events);
    EXPECT_EQ(first.messages, again.messages);
    options.seed = 2;
    EXPECT_NE(simulate(algorithm, options)->fingerprint, first.fingerprint);
  });
}

// Who checks every step sees every message of its own.
TEST(Simulate, AMulticastAsOneEventArrivesAsItsMessagesDo) {
  for_each_live_mutex([](std::string_view algorithm) {
    for (const std::uint32_t n : {1u, 2u, 9u, 70u}) {
      SimOptions options = high_load(n, 200);
      options.inside = 0;
      const SimReport as_one = *simulate(algorithm, options);
      options.self_check = true;
      const SimReport as_many = *simulate(algorithm, options);
      EXPECT_EQ(as_one.fingerprint, as_many.fingerprint);
      EXPECT_EQ(as_one.events, as_many.events);
      EXPECT_EQ(as_one.messages, as_many.messages);
      EXPECT_EQ(as_one.sends, as_many.sends);
    }
  });
}

TEST(Simulate, FaultsAreDrawnFromTheSeedToo) {
  const SimOptions options = with(high_load(5, 200), {"loss:0.01", "dup:0.01"});
  EXPECT_EQ(simulate("ricart-agrawala", options)->fingerprint,
            simulate("ricart-agrawala", options)->fingerprint);
}

TEST(Simulate, EveryStepIsDeterministicAndEveryMessageSurvivesTheCodec) {
  for (const Operations* algorithm : algorithms()) {
    const MutexInfo& info = algorithm->info;
    SCOPED_TRACE(info.name);
    SimOptions options = high_load(7, 300);
    if (info.can_deadlock) options.load = {Load::Kind::low};
    options.latency = *Latency::parse("exp:1ms");
    options.channels = info.needs;
    options.self_check = true;  // Aborts if not.
    const SimReport report = *simulate(info.name, options);
    EXPECT_EQ(report.violation_count, 0u) << first_violation(report);
    EXPECT_EQ(report.entries, 300u);
  }
}

TEST(Simulate, EveryoneIsServedUnderEveryLatencyAndLoad) {
  for_each_live_mutex([](std::string_view algorithm) {
    for (const char* latency : {"const:1ms", "uniform:0ns:2ms", "exp:1ms", "europe", "world"}) {
      for (const Load load :
           {Load{Load::Kind::low}, Load{Load::Kind::high}, Load{Load::Kind::poisson, 50}}) {
        SimOptions options = high_load(5, 60);
        options.load = load;
        options.latency = *Latency::parse(latency);
        const SimReport report = *simulate(algorithm, options);
        EXPECT_EQ(report.violation_count, 0u) << latency << ' ' << first_violation(report);
        EXPECT_EQ(report.entries, 60u) << latency << ' ' << load.text();
      }
    }
  });
}

TEST(Simulate, MaekawaAsInTheLectureDeadlocksWhenAllAskAtOnce) {
  for (const std::uint32_t n : {3u, 4u}) {
    const VotingSets sets = *VotingSets::lecture(n);
    const MutexChoices choices{.voting_sets = &sets};
    EXPECT_TRUE(
        has(*simulate("maekawa-basic", high_load(n, 50), choices), Violation::Kind::progress));
    EXPECT_EQ(simulate("maekawa", high_load(n, 50), choices)->violation_count, 0u);
  }
}

TEST(Simulate, AViewMayStartWithItsHolderInside) {
  for_each_live_mutex([](std::string_view algorithm) {
    for (const std::uint32_t holder : {0u, 2u}) {
      SimOptions options = high_load(4, 40);
      options.holder = NodeId{holder};
      options.held = true;
      const SimReport report = *simulate(algorithm, options);
      EXPECT_EQ(report.violation_count, 0u) << first_violation(report);
      EXPECT_EQ(report.entries, 40u);
      EXPECT_GE(report.wait.most, options.inside) << "they waited until the holder had left";
    }
  });
}

TEST(Simulate, LossStopsProgress) {
  for_each_live_mutex([](std::string_view algorithm) {
    const SimReport report = *simulate(algorithm, with(high_load(5, 500), {"loss:0.05"}));
    EXPECT_TRUE(has(report, Violation::Kind::progress)) << first_violation(report);
    EXPECT_LT(report.entries, 500u);
  });
}

TEST(Simulate, ACrashInsideStopsProgress) {
  for_each_live_mutex([](std::string_view algorithm) {
    SimOptions options = with(high_load(5, 100), {"crash:1@1ms"});
    options.holder = NodeId{1};
    options.held = true;
    const SimReport report = *simulate(algorithm, options);
    EXPECT_TRUE(has(report, Violation::Kind::progress)) << first_violation(report);
    EXPECT_EQ(report.entries, 0u);
  });
}

TEST(Simulate, APartitionStopsProgressEvenWhenItHeals) {
  for_each_live_mutex([](std::string_view algorithm) {
    const SimReport report =
        *simulate(algorithm, with(high_load(5, 500), {"partition:0-1@20ms+500ms"}));
    EXPECT_TRUE(has(report, Violation::Kind::progress)) << first_violation(report);
  });
}

TEST(Simulate, APauseIsHarmless) {
  for_each_live_mutex([](std::string_view algorithm) {
    const SimOptions options =
        with(high_load(5, 300), {"pause:0@20ms+30ms", "pause:any@30ms..90ms+40ms",
                                 "pause:2@200ms+10ms", "pause:2@205ms+20ms"});
    const SimReport report = *simulate(algorithm, options);
    EXPECT_EQ(report.violation_count, 0u) << first_violation(report);
    EXPECT_EQ(report.entries, 300u);
    EXPECT_GT(report.wait.most, 30 * kMillisecond) << "somebody noticed";
  });
}

// On every entry and exit #0 writes the next number to #1, who rejects any other.
class Counter {
 public:
  static constexpr MutexInfo kInfo{
      .name = "counter", .summary = "", .kind = "test", .needs = Channels::fifo};
  struct Next {
    std::uint64_t number = 0;
    HAPAX_RECORD(Next, number)
  };
  using Message = std::variant<Next>;

  explicit Counter(const View&) {}
  void request(Effects<Message>& fx) {
    phase_ = Phase::inside;
    fx.enter(Turn{count_ + 1});
    fx.send(NodeId{1}, Next{count_++});
  }
  void release(Effects<Message>& fx) {
    phase_ = Phase::idle;
    fx.send(NodeId{1}, Next{count_++});
  }
  void receive(NodeId, const Message& message, Effects<Message>& fx) {
    if (std::get<Next>(message).number != count_++) fx.reject(Reject::not_asked);
  }
  Phase phase() const { return phase_; }
  Turn turn() const { return Turn{count_}; }
  void raise_turn(Turn) {}

  HAPAX_RECORD(Counter, count_, phase_)

 private:
  std::uint64_t count_ = 0;
  Phase phase_ = Phase::idle;
};

// The first number arrives at 2 ms and has to wait; the second at 3 ms, just when #1 goes on.
TEST(Simulate, APauseKeepsTheOrderOfALink) {
  SimOptions options;
  options.n = 2;
  options.entries = 1;
  options.requesters = 1;
  options.latency = Latency::constant(2 * kMillisecond);
  options.inside = kMillisecond;
  Prng prng{1};
  const FaultPlan plan = *FaultPlan::draw({*parse_fault("pause:1@1500us+1500us")}, 2, prng);
  const SimReport report = Simulation<Counter>{options, plan}.run();
  EXPECT_EQ(report.messages, 2u);
  EXPECT_EQ(report.violation_count, 0u) << first_violation(report);
  EXPECT_EQ(report.virtual_time, 3 * kMillisecond);
}

TEST(Simulate, FifoChannelsKeepTheOrderUnderAnyLatencyAndUnorderedOnesDoNot) {
  SimOptions options;
  options.n = 2;
  options.entries = 500;
  options.requesters = 1;
  options.load = {Load::Kind::high};
  options.inside = 100'000;
  options.latency = *Latency::parse("exp:1ms");
  EXPECT_EQ((Simulation<Counter>{options, {}}.run().violation_count), 0u);
  options.channels = Channels::unordered;
  EXPECT_GT((Simulation<Counter>{options, {}}.run().violation_count), 0u);
}

TEST(Simulate, LamportBreaksWithoutFifoAndRicartAgrawalaDoesNot) {
  SimOptions options = high_load(5, 1000);
  options.latency = *Latency::parse("exp:1ms");
  options.channels = Channels::unordered;
  EXPECT_TRUE(has(*simulate("lamport", options), Violation::Kind::exclusion));
  const SimReport report = *simulate("ricart-agrawala", options);
  EXPECT_EQ(report.violation_count, 0u) << first_violation(report);
  EXPECT_EQ(report.entries, 1000u);
}

TEST(Simulate, ADuplicatedTokenLetsTwoIn) {
  bool two_inside = false;
  for (std::uint64_t seed = 1; seed <= 40 && !two_inside; ++seed) {
    SimOptions options = with(high_load(4, 300), {"dup:0.02"});
    options.latency = *Latency::parse("exp:5ms");
    options.channels = Channels::unordered;
    options.seed = seed;
    two_inside = has(*simulate("naimi-trehel", options), Violation::Kind::exclusion);
  }
  EXPECT_TRUE(two_inside);
}

TEST(Simulate, DuplicatesDoNoHarmToRicartAgrawala) {
  SimOptions options = with(high_load(5, 1000), {"dup:0.2"});
  options.latency = *Latency::parse("exp:1ms");
  options.channels = Channels::unordered;
  const SimReport report = *simulate("ricart-agrawala", options);
  EXPECT_EQ(report.violation_count, 0u) << first_violation(report);
  EXPECT_EQ(report.entries, 1000u);
}

TEST(Simulate, OnlySomeMayAsk) {
  SimOptions options = high_load(10, 50);
  options.requesters = 1;
  const SimReport report = *simulate("carvalho-roucairol", options);
  EXPECT_EQ(report.messages, 0u) << "the one who asks has the permission from the start";
  EXPECT_EQ(report.entries, 50u);
}

TEST(Simulate, CentralMaySayDenied) {
  const SimReport quiet = *simulate("central", high_load(5, 100));
  const SimReport loud = *simulate("central", high_load(5, 100), {.say_denied = true});
  EXPECT_GT(loud.messages, quiet.messages);
  EXPECT_EQ(loud.violation_count, 0u);
}

TEST(Simulate, AnObserverMayStopTheRun) {
  std::uint64_t calls = 0;
  const SimReport report =
      *simulate("ricart-agrawala", high_load(100, 1'000'000), {}, [&](const SimProgress& p) {
        EXPECT_EQ(p.entries_wanted, 1'000'000u);
        return ++calls < 3;
      });
  EXPECT_TRUE(report.interrupted);
  EXPECT_LT(report.entries, 1'000'000u);
  EXPECT_EQ(report.violation_count, 0u) << "to be interrupted is no violation";
}

TEST(Simulate, UnknownNamesAndFaultsThatDoNotFitAreErrors) {
  EXPECT_FALSE(simulate("paxos", high_load(3, 1)).has_value());
  EXPECT_FALSE(simulate("lamport", with(high_load(3, 1), {"crash:3@1ms"})).has_value());
}

TEST(Simulate, AMillionProcessesOfMaekawaOf64Askers) {
  SimOptions options = high_load(1'000'000, 128);
  options.requesters = 64;
  const VotingSets sets = VotingSets::smallest(options.n);
  const SimReport report = *simulate("maekawa", options, {.voting_sets = &sets});
  EXPECT_EQ(report.entries, 128u);
  EXPECT_EQ(report.violation_count, 0u) << first_violation(report);
}

}  // namespace
}  // namespace hapax
