// Leadership of programs: candidates and observers against real daemons, all in one process.
#include "hapax/election.h"

#include <future>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "client/testing/group.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using namespace std::chrono_literals;

std::string text_of(const std::optional<Election::Change>& change) {
  if (!change) return "nothing";
  return change->leader ? change->leader->value : "VACANT";
}

// The next change; tests that wait longer than this have failed.
std::string next_of(Election::Observation& observation) {
  return text_of(observation.next_until(Election::Clock::now() + 10s));
}

// A candidate on a thread of its own.
class Campaigner {
 public:
  Campaigner(Client& client, const std::string& name, const std::string& value)
      : election_(client, name), leads_(std::async(std::launch::async, [this, value] {
          return election_.campaign_until(value, Election::Clock::now() + 30s, stop_.get_token());
        })) {}
  ~Campaigner() {
    stop_.request_stop();
    if (leads_.valid()) leads_.wait();
  }
  std::error_code await() { return leads_.get(); }
  bool waits() const { return leads_.wait_for(0s) != std::future_status::ready; }
  Election& election() { return election_; }

 private:
  Election election_;
  std::stop_source stop_;
  std::future<std::error_code> leads_;
};

// Until the lock has so many waiters.
void await_waiters(Client& client, const std::string& name, std::size_t count) {
  for (int i = 0; i < 2'000; ++i) {
    const auto locks = client.who(name);
    if (!locks.empty() && locks[0].waiters.size() == count) return;
    std::this_thread::sleep_for(5ms);
  }
  ADD_FAILURE() << name << " never had " << count << " waiters";
}

TEST(Election, OneLeadsAndObserversOfAllMembersSeeWhom) {
  Daemons group{3};
  Client client{group.address(0)};
  Client elsewhere{group.address(2)};
  Election first{client, "scheduler"};
  Election spectator{elsewhere, "scheduler"};
  auto observation = spectator.observe();
  EXPECT_EQ(next_of(observation), "VACANT");
  EXPECT_EQ(spectator.leader(), std::nullopt);
  EXPECT_FALSE(first.is_leader());

  first.campaign("host-7:8080");
  EXPECT_TRUE(first.is_leader());
  EXPECT_EQ(next_of(observation), "host-7:8080");
  const auto leader = spectator.leader();
  ASSERT_TRUE(leader.has_value());
  EXPECT_EQ(leader->value, "host-7:8080");
  EXPECT_EQ(leader->fence, first.fence());
  EXPECT_EQ(leader->who.pid, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(leader->who.member, 1u);
  EXPECT_EQ(text_of(Election{client, "scheduler"}.observe().next()), "host-7:8080");

  const Fence term = first.fence();
  first.resign();
  EXPECT_FALSE(first.is_leader());
  EXPECT_EQ(next_of(observation), "VACANT");
  first.campaign("");
  EXPECT_LT(term, first.fence());
  EXPECT_EQ(next_of(observation), "");
}

TEST(Election, TheNextLeadsWhenTheLeaderResignsOrIsGone) {
  Daemons group{3};
  Client observer{group.address(2)};
  Election spectator{observer, "x"};
  auto observation = spectator.observe();
  EXPECT_EQ(next_of(observation), "VACANT");
  auto doomed = std::make_unique<Client>(group.address(0));
  Client client{group.address(1)};
  auto first = std::make_unique<Election>(*doomed, "x");
  first->campaign("a");
  EXPECT_EQ(next_of(observation), "a");
  Campaigner second{client, "x", "b"};
  await_waiters(observer, "x", 1);
  EXPECT_TRUE(second.waits());
  const Fence term = first->fence();
  first.reset();
  doomed.reset();
  EXPECT_EQ(second.await(), std::error_code{});
  EXPECT_LT(term, second.election().fence());
  std::string seen = next_of(observation);
  if (seen == "VACANT") seen = next_of(observation);
  EXPECT_EQ(seen, "b");
}

TEST(Election, WaitsNoLongerThanAsked) {
  Daemons group{2};
  Client client{group.address(0)};
  Client other{group.address(1)};
  Election leader{client, "x"};
  leader.campaign("a");
  Election late{other, "x"};
  EXPECT_EQ(late.campaign_until("b", Election::Clock::now() + 50ms, {}), Errc::timed_out);
  EXPECT_FALSE(late.campaign_for("b", 20ms));
  std::stop_source stop;
  auto cancelled = std::async(std::launch::async, [&] {
    return late.campaign_until("b", Election::Clock::now() + 30s, stop.get_token());
  });
  await_waiters(client, "x", 1);
  stop.request_stop();
  EXPECT_EQ(cancelled.get(), Errc::cancelled);
  EXPECT_EQ(late.campaign_until(std::string(513, 'v'), Election::Clock::now(), {}),
            Errc::bad_value);
  EXPECT_EQ(late.campaign_until("a\nb", Election::Clock::now(), {}), Errc::bad_value);
  EXPECT_THROW((Election{client, "a\nb"}), std::system_error);
  leader.resign();
  EXPECT_TRUE(late.campaign_for("b", 10s));
}

TEST(Election, HandsOverToTheChosenOnePastThoseInFront) {
  for (const std::string_view algorithm :
       {"carvalho-roucairol", "central", "ricart-agrawala", "raymond"}) {
    SCOPED_TRACE(algorithm);
    Daemons group{3, Policy::parse(algorithm, {}).value()};
    std::vector<std::unique_ptr<Client>> clients;
    for (std::uint32_t i = 0; i < 3; ++i) {
      clients.push_back(std::make_unique<Client>(group.address(i)));
    }
    Election leader{*clients[0], "x"};
    leader.campaign("old");
    std::vector<std::unique_ptr<Campaigner>> others;
    std::size_t count = 0;
    for (const auto& [at, value] : std::vector<std::pair<std::uint32_t, std::string>>{
             {0, "a"}, {1, "b"}, {2, "c"}, {2, "chosen"}, {1, "d"}}) {
      others.push_back(std::make_unique<Campaigner>(*clients[at], "x", value));
      await_waiters(*clients[0], "x", ++count);
    }
    EXPECT_EQ(leader.hand_over("nobody"), Errc::no_candidate);
    EXPECT_TRUE(leader.is_leader());
    await_waiters(*clients[0], "x", count);  // They queue again.
    const Fence term = leader.fence();
    auto observation = leader.observe();
    EXPECT_EQ(next_of(observation), "old");
    EXPECT_EQ(leader.hand_over("chosen"), std::error_code{});
    EXPECT_FALSE(leader.is_leader());
    EXPECT_EQ(others[3]->await(), std::error_code{});
    EXPECT_LT(term, others[3]->election().fence());
    std::string seen = next_of(observation);
    if (seen == "VACANT") seen = next_of(observation);
    EXPECT_EQ(seen, "chosen");
    await_waiters(*clients[0], "x", count - 1);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (i != 3) {
        EXPECT_TRUE(others[i]->waits()) << i;
      }
    }
    // Everybody's turn comes.
    others[3]->election().resign();
    for (std::size_t served = 0; served < 4;) {
      for (const auto& other : others) {
        if (!other->election().is_leader()) continue;
        other->election().resign();
        ++served;
      }
    }
  }
}

TEST(Election, ALeaderIsAskedToStepDownFromAnywhere) {
  Daemons group{3};
  Client client{group.address(0)};
  Client other{group.address(2)};
  Election leader{client, "x"};
  Election somebody{other, "x"};
  EXPECT_EQ(somebody.ask_to_resign(), Errc::no_leader);
  leader.campaign("a");
  EXPECT_FALSE(leader.asked_to_resign().stop_requested());
  EXPECT_EQ(somebody.ask_to_resign("b"), Errc::no_candidate) << "nobody campaigns as b";
  EXPECT_FALSE(leader.asked_to_resign().stop_requested());
  std::stop_source enough;
  auto waiting = std::async(std::launch::async, [&] {
    Election second{other, "x"};
    return second.campaign_until("b", Election::Clock::now() + 30s, enough.get_token());
  });
  std::error_code asked = Errc::no_candidate;
  for (int i = 0; i < 2'000 && asked == Errc::no_candidate; ++i)
    asked = somebody.ask_to_resign("b");
  EXPECT_EQ(asked, std::error_code{});
  for (int i = 0; i < 2'000 && !leader.asked_to_resign().stop_requested(); ++i) {
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_TRUE(leader.asked_to_resign().stop_requested());
  EXPECT_EQ(leader.wanted_successor(), "b");
  EXPECT_TRUE(leader.is_leader()) << "it is a wish";
  enough.request_stop();
  EXPECT_EQ(waiting.get(), Errc::cancelled);
  leader.resign();
  leader.campaign("a");
  EXPECT_FALSE(leader.asked_to_resign().stop_requested()) << "that was the last term's";
}

TEST(Election, AnObserverHearsThatItsDaemonIsGone) {
  Daemons group{2};
  Client client{group.address(1)};
  Election spectator{client, "x"};
  auto observation = spectator.observe();
  EXPECT_EQ(next_of(observation), "VACANT");
  group.stop(1);
  EXPECT_EQ(next_of(observation), "nothing");
  EXPECT_TRUE(observation.is_lost());
}

TEST(Election, AMemberThatIsAwayDoesNotKeepObserversWaiting) {
  Daemons group{3};
  Client client{group.address(0)};
  Election leader{client, "x"};
  leader.campaign("a");
  group.stop(2);
  EXPECT_EQ(leader.leader()->value, "a");
  std::vector<std::uint32_t> silent;
  client.who({}, &silent);
  EXPECT_EQ(silent, std::vector<std::uint32_t>{3});
  Election nobody{client, "y"};
  EXPECT_EQ(nobody.leader(), std::nullopt);
  EXPECT_EQ(leader.hand_over("b"), Errc::no_candidate) << "member 3 does not answer";
  EXPECT_TRUE(leader.is_leader());
}

TEST(Election, WorksForMembersInsideTheProgram) {
  Nodes nodes{3};
  Election first{nodes[0], "x"};
  Election second{nodes[1], "x"};
  auto observation = Election{nodes[2], "x"}.observe();
  EXPECT_EQ(next_of(observation), "VACANT");
  first.campaign("a");
  EXPECT_EQ(next_of(observation), "a");
  EXPECT_FALSE(second.campaign_for("b", 50ms));
  auto leads = std::async(std::launch::async, [&] { return second.campaign_for("b", 30s); });
  for (int i = 0; i < 2'000 && nodes[2].who("x").at(0).waiters.empty(); ++i) {
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(first.hand_over("c"), Errc::no_candidate);
  EXPECT_EQ(first.hand_over("b"), std::error_code{});
  EXPECT_TRUE(leads.get());
  std::string seen = next_of(observation);
  if (seen == "VACANT") seen = next_of(observation);
  EXPECT_EQ(seen, "b");
  EXPECT_EQ(Election(nodes[0], "x").ask_to_resign("a"), Errc::no_candidate);
  EXPECT_FALSE(second.asked_to_resign().stop_requested());
  EXPECT_EQ(Election(nodes[0], "x").ask_to_resign(), std::error_code{});
  for (int i = 0; i < 2'000 && !second.asked_to_resign().stop_requested(); ++i) {
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(second.wanted_successor(), "");
  EXPECT_TRUE(second.asked_to_resign().stop_requested());
  second.resign();
  EXPECT_EQ(next_of(observation), "VACANT");
}

TEST(Node, GivesUpItsLeadAlsoWhenItLeavesRightAfterwards) {
  Nodes nodes{2};
  auto first = std::make_unique<Election>(nodes[0], "x");
  first->campaign("a");
  Election second{nodes[1], "x"};
  auto leads = std::async(std::launch::async, [&] {
    return second.campaign_until("b", Election::Clock::now() + 10s, {});
  });
  const auto waits = [&] {
    const auto locks = nodes[1].who("x");
    return !locks.empty() && locks[0].waiters.size() == 1;
  };
  while (!waits()) std::this_thread::sleep_for(5ms);
  first.reset();
  nodes.leave(0);
  EXPECT_FALSE(leads.get());
}

TEST(Node, AnswersWhoAndStatus) {
  Nodes nodes{2};
  Mutex mutex{nodes[0], "x"};
  {
    Mutex other{nodes[1], "x"};
    const std::scoped_lock elsewhere{other};  // So that messages are needed.
  }
  const std::scoped_lock lock{mutex};
  while (!nodes[1].is_complete()) std::this_thread::yield();
  const auto locks = nodes[1].who("x");
  ASSERT_EQ(locks.size(), 1u);
  ASSERT_TRUE(locks[0].holder.has_value());
  EXPECT_EQ(locks[0].holder->member, 1u);
  const GroupStatus status = nodes[0].status();
  EXPECT_EQ(status.size, 2u);
  EXPECT_EQ(status.held, 1u);
  EXPECT_EQ(status.election, "bully");
  for (int i = 0; i < 2'000 && nodes[0].status().leader != 2u; ++i) {
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(nodes[0].status().leader, 2u);
  const MemberStats stats = nodes[0].stats();
  ASSERT_FALSE(stats.traffic.empty());
  EXPECT_EQ(stats.traffic[0].algorithm, "carvalho-roucairol");
  EXPECT_GT(stats.traffic[0].sent, 0u);
}

}  // namespace
}  // namespace hapax
