// What observers see: never an earlier term after a later one, whatever overtakes.
#include "campaigns/leader_watch.h"

#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/prng.h"
#include "campaigns/campaigns.h"

namespace hapax {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

session::Leader leader_of(const std::string& value, std::uint64_t turn) {
  session::Leader leader;
  leader.value = value;
  leader.who.fence = Fence{Epoch{1}, Turn{turn}};
  return leader;
}

// Member 0 of 3, what it sends, and what its one observer sees.
class ThreeMembers : public ::testing::Test {
 protected:
  LeaderWatch::Tell note() {
    return [this](const std::optional<session::Leader>& leader) {
      seen_.push_back(leader ? leader->value : "VACANT");
    };
  }
  void hear(std::uint32_t from, const std::optional<session::Leader>& leader) {
    EXPECT_TRUE(watch_.on(Seat{from}, TellLeader{"x", leader}));
  }

  std::vector<std::pair<Seat, PeerMessage>> sent_;
  std::vector<std::string> seen_;
  LeaderWatch watch_{
      Seat{0},
      [] {
        return std::vector{Seat{1}, Seat{2}};
      },
      [this](Seat to, const PeerMessage& message) { sent_.emplace_back(to, message); }};
};

TEST_F(ThreeMembers, SaysVacantOnlyWhenAllHaveAnsweredOrItTakesTooLong) {
  watch_.observe("x", note());
  EXPECT_EQ(sent_.size(), 2u);
  hear(1, std::nullopt);
  EXPECT_THAT(seen_, IsEmpty());
  watch_.hurry("x");
  EXPECT_THAT(seen_, ElementsAre("VACANT"));
  hear(2, std::nullopt);
  EXPECT_THAT(seen_, ElementsAre("VACANT")) << "nothing new";
}

TEST_F(ThreeMembers, NewsThatOvertakesDoesNotLeadBack) {
  watch_.observe("x", note());
  hear(1, leader_of("a", 1));
  hear(2, leader_of("b", 2));  // Before the news that a has resigned.
  hear(2, std::nullopt);
  EXPECT_THAT(seen_, ElementsAre("a", "b", "VACANT")) << "a's term is over";
  hear(1, std::nullopt);
  hear(1, leader_of("c", 3));
  EXPECT_THAT(seen_, ElementsAre("a", "b", "VACANT", "c"));
}

TEST_F(ThreeMembers, TellsOfOursToThoseWhoWatchAndToLateObservers) {
  watch_.claim("x", leader_of("a", 1));
  EXPECT_THAT(sent_, IsEmpty()) << "nobody wants to know";
  EXPECT_TRUE(watch_.on(Seat{2}, WatchLeader{"x", true}));
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(std::get<TellLeader>(sent_[0].second).leader->value, "a");
  watch_.unclaim("x");
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(std::get<TellLeader>(sent_[1].second).leader, std::nullopt);
  EXPECT_TRUE(watch_.on(Seat{2}, WatchLeader{"x", false}));
  watch_.claim("x", leader_of("b", 2));
  EXPECT_EQ(sent_.size(), 2u);
  const ObserverId observer = watch_.observe("x", note());
  watch_.observe("x", note());
  EXPECT_THAT(seen_, ElementsAre("b", "b"));
  watch_.unobserve(observer);
  watch_.unclaim("x");
  watch_.hurry("x");
  EXPECT_THAT(seen_, ElementsAre("b", "b", "VACANT"));
}

TEST_F(ThreeMembers, AMemberWithoutItsMemoryLeadsNothingAndIsAskedAgain) {
  watch_.observe("x", note());
  hear(2, std::nullopt);
  hear(1, leader_of("a", 1));
  sent_.clear();
  watch_.forgotten(Seat{1});
  EXPECT_THAT(seen_, ElementsAre("a", "VACANT"));
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].first, Seat{1});
  EXPECT_TRUE(std::get<WatchLeader>(sent_[0].second).on);
}

TEST_F(ThreeMembers, AMemberThatIsMetAgainIsAskedAgainAndStillLeads) {
  watch_.observe("x", note());
  hear(1, leader_of("a", 1));
  EXPECT_TRUE(watch_.on(Seat{1}, WatchLeader{"y", true}));
  sent_.clear();
  watch_.met(Seat{1});
  EXPECT_THAT(seen_, ElementsAre("a"));
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(std::get<WatchLeader>(sent_[0].second), (WatchLeader{"x", true}));
  watch_.claim("y", leader_of("b", 1));
  EXPECT_EQ(sent_.size(), 1u) << "it will ask again itself";
  hear(1, std::nullopt);  // What it answers.
  hear(2, std::nullopt);
  EXPECT_THAT(seen_, ElementsAre("a", "VACANT"));
}

TEST_F(ThreeMembers, DoesNotWaitForAMemberThatIsGone) {
  watch_.observe("x", note());
  hear(1, std::nullopt);
  watch_.forgotten(Seat{2});
  EXPECT_THAT(seen_, ElementsAre("VACANT"));
}

TEST_F(ThreeMembers, RefusesWhatNoMemberSays) {
  watch_.observe("x", note());
  EXPECT_FALSE(watch_.on(Seat{1}, WatchLeader{"a\nb", true}));
  EXPECT_FALSE(watch_.on(Seat{1}, TellLeader{"x", leader_of(std::string(513, 'v'), 1)}));
  session::Leader without_fence = leader_of("a", 1);
  without_fence.who.fence.reset();
  EXPECT_FALSE(watch_.on(Seat{1}, TellLeader{"x", without_fence}));
  EXPECT_THAT(seen_, IsEmpty());
  for (std::size_t i = 0; i < LeaderWatch::kMostWatched; ++i) {
    EXPECT_TRUE(watch_.on(Seat{1}, WatchLeader{std::to_string(i), true}));
  }
  EXPECT_FALSE(watch_.on(Seat{1}, WatchLeader{"one more", true})) << "memory is bounded";
}

// A host whose queue is a list, and whose timers ring when told to.
class QuietHost final : public CampaignHost {
 public:
  std::vector<Seat> others() const override { return {Seat{1}}; }
  void send(Seat, const PeerMessage&) override { ++sent; }
  std::string name_at(Seat peer) const override {
    return fmt::format("member {}", number(peer) + 1);
  }
  bool is_reached(Seat) const override { return true; }
  void enqueue(const std::string&, WaiterId waiter) override { queue.push_back(waiter); }
  bool withdraw(const std::string&, WaiterId waiter) override {
    return std::erase(queue, waiter) == 1;
  }
  session::Person describe(WaiterId) const override { return {}; }
  void ask_to_resign(WaiterId, const std::string&) override { ++asked; }
  void after(std::chrono::milliseconds, std::function<void()> then) override {
    timers.push_back(std::move(then));
  }
  void ring() {
    for (const auto& then : std::exchange(timers, {})) then();
  }

  std::vector<WaiterId> queue;
  std::deque<std::function<void()>> timers;
  int sent = 0;
  int asked = 0;
};

TEST(Campaigns, ThoseWhoStepAsideQueueAgainInTheirOrder) {
  QuietHost host;
  Campaigns campaigns{Seat{0}, host};
  for (std::uint64_t i = 1; i <= 3; ++i) campaigns.enter(WaiterId{i}, "x", std::to_string(i));
  EXPECT_TRUE(campaigns.on(Seat{1}, StepAside{7, "x", "2"}));
  EXPECT_THAT(host.queue, ElementsAre(WaiterId{2}));
  campaigns.enter(WaiterId{4}, "x", "4");
  EXPECT_THAT(host.queue, ElementsAre(WaiterId{2})) << "who comes meanwhile waits, too";
  EXPECT_TRUE(campaigns.leave(WaiterId{3})) << "it gave up while aside";
  campaigns.granted(WaiterId{2}, Fence{Epoch{1}, Turn{5}});
  EXPECT_THAT(host.queue, ElementsAre(WaiterId{2}, WaiterId{1}, WaiterId{4}));
  EXPECT_TRUE(campaigns.leads(WaiterId{2}));
  EXPECT_FALSE(campaigns.leave(WaiterId{2}));
}

TEST(Campaigns, NobodyStandsAsideForEver) {
  QuietHost host;
  Campaigns campaigns{Seat{0}, host};
  campaigns.enter(WaiterId{1}, "x", "a");
  EXPECT_TRUE(campaigns.on(Seat{1}, StepAside{7, "x", "somebody"}));
  EXPECT_THAT(host.queue, IsEmpty());
  host.ring();
  EXPECT_THAT(host.queue, ElementsAre(WaiterId{1}));
}

TEST(Campaigns, AMemberThatDoesNotAnswerKeepsTheLeader) {
  QuietHost host;
  Campaigns campaigns{Seat{0}, host};
  campaigns.enter(WaiterId{1}, "x", "a");
  campaigns.granted(WaiterId{1}, Fence{Epoch{1}, Turn{1}});
  campaigns.enter(WaiterId{2}, "x", "b");
  campaigns.enter(WaiterId{3}, "x", "c");
  std::string error = "not asked";
  campaigns.hand_over(WaiterId{1}, "c", [&](const std::string& e) { error = e; });
  EXPECT_EQ(error, "not asked");
  host.ring();
  EXPECT_EQ(error, "member 2 does not answer");
  EXPECT_THAT(host.queue, ElementsAre(WaiterId{1}, WaiterId{3}, WaiterId{2}));
  EXPECT_TRUE(campaigns.on(Seat{1}, SteppedAside{1, true})) << "late";
  EXPECT_TRUE(campaigns.leads(WaiterId{1}));
}

TEST(Campaigns, NoiseBreaksNothing) {
  QuietHost host;
  Campaigns campaigns{Seat{0}, host};
  campaigns.enter(WaiterId{1}, "x", "a");
  campaigns.granted(WaiterId{1}, Fence{Epoch{1}, Turn{1}});
  campaigns.observe("x", [](const auto&) {});
  Prng prng{4};
  int decoded = 0;
  for (int i = 0; i < 50'000; ++i) {
    Bytes noise{tags::kBetweenDaemons, static_cast<std::uint8_t>(prng.below(10))};
    for (std::uint64_t left = prng.below(20); left > 0; --left) {
      noise.push_back(static_cast<std::uint8_t>(prng.below(prng.below(2) == 0 ? 3 : 256)));
    }
    const auto message = peer_message_of(noise);
    if (!message) continue;
    ++decoded;
    std::visit(
        [&](const auto& m) {
          if constexpr (requires { campaigns.on(Seat{1}, m); }) campaigns.on(Seat{1}, m);
        },
        *message);
    if (i % 100 == 0) host.ring();
  }
  EXPECT_GT(decoded, 100);
  EXPECT_TRUE(campaigns.leads(WaiterId{1}));
}

}  // namespace
}  // namespace hapax
