// The coordinator of `central`: one for an epoch, whatever the schedule; and nobody is let in by
// two, whatever elections and members do.
#include "campaigns/appointment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/prng.h"
#include "campaigns/view_elections.h"
#include "locks/testing/table_group.h"

namespace hapax {
namespace {

using ::testing::HasSubstr;
using Kind = ElectionPayload::Kind;

std::vector<std::string> names_of_elections() {
  std::vector<std::string> names;
  for_each_election([&]<class A>() { names.emplace_back(A::kInfo.name); });
  return names;
}

class CoordinatorBy : public ::testing::TestWithParam<std::string> {
 protected:
  ElectionId election() const { return *election_named(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Elections, CoordinatorBy, ::testing::ValuesIn(names_of_elections()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Clients come and go while the election is under way; messages of links arrive in any order that
// keeps each link's own.
TEST_P(CoordinatorBy, IsTheSameForAllAndExcludesInAnySchedule) {
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed={}", seed));
    const std::uint32_t size = 2 + static_cast<std::uint32_t>(seed % 4);
    TableGroup group{size, all_by("central"), Epoch{7}, election()};
    Prng prng{seed};
    for (int step = 0; step < 300 && !HasFailure(); ++step) {
      const auto busy = group.busy_links();
      if (!busy.empty() && prng.below(10) < 6) {
        const auto [from, to] = busy[prng.below(busy.size())];
        group.deliver(from, to);
      } else if (prng.below(10) < 5 && group.waiting().size() < 8) {
        group.acquire(static_cast<std::uint32_t>(prng.below(size)),
                      "name-" + std::to_string(prng.below(2)));
      } else if (prng.below(10) < 8 && !group.inside().empty()) {
        group.release(TableGroup::Waiter{group.inside()[prng.below(group.inside().size())]});
      } else if (!group.waiting().empty()) {
        group.abandon(TableGroup::Waiter{group.waiting()[prng.below(group.waiting().size())]});
      }
    }
    EXPECT_TRUE(group.serve_all()) << group.waiting().size() << " wait for ever";
    EXPECT_GT(group.entries(), 0u);
    for (std::uint32_t i = 0; i < size; ++i) {
      EXPECT_EQ(group.appointment(i).coordinator(), NodeId{size - 1});
      EXPECT_EQ(group.table(i).coordinator(), NodeId{size - 1});
      EXPECT_EQ(group.table(i).stats().waiting, 0u);
    }
  }
}

TEST_P(CoordinatorBy, IsHomeToEveryLockByCentralAndToNoOther) {
  Policy policy = all_by("central");
  ASSERT_TRUE(policy.add("r/*=raymond").has_value());
  TableGroup group{3, policy, Epoch{7}, election()};
  for (int i = 0; i < 8; ++i) {
    group.acquire(0, "c" + std::to_string(i));
    group.acquire(1, "r/" + std::to_string(i));
  }
  ASSERT_TRUE(group.drain());
  bool raymond_elsewhere = false;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(group.table(0).describe("c" + std::to_string(i))->home, NodeId{2});
    raymond_elsewhere |= group.table(0).describe("r/" + std::to_string(i))->home != NodeId{2};
  }
  EXPECT_TRUE(raymond_elsewhere);
  EXPECT_TRUE(group.serve_all());
}

TEST_P(CoordinatorBy, AGroupWithoutCentralIsSilent) {
  TableGroup group{3, all_by("ricart-agrawala"), Epoch{7}, election()};
  group.acquire(0, "it");
  EXPECT_TRUE(group.serve_all());
  for (const Bytes& payload : group.seen()) EXPECT_FALSE(is_election(payload));
  EXPECT_EQ(group.appointment(0).coordinator(), std::nullopt);
}

TEST_P(CoordinatorBy, AloneInItsGroupNeedsNoMessage) {
  TableGroup group{1, all_by("central"), Epoch{7}, election()};
  const auto waiter = group.acquire(0, "it");
  EXPECT_TRUE(group.is_inside(waiter));
  EXPECT_EQ(group.messages(), 0u);
}

TEST_P(CoordinatorBy, GivingUpBeforeThereIsOneLeavesNothingBehind) {
  TableGroup group{3, all_by("central"), Epoch{7}, election()};
  group.abandon(group.acquire(0, "it"));
  EXPECT_EQ(group.table(0).stats().instances, 0u);
  ASSERT_TRUE(group.drain());
  EXPECT_EQ(group.entries(), 0u);
  group.acquire(1, "it");
  EXPECT_TRUE(group.serve_all());
}

// Appointments joined by FIFO links in memory; members may lose their memory.
class Voters {
 public:
  Voters(std::uint32_t size, ElectionId election)
      : election_(election), links_(size, std::vector<std::deque<Bytes>>(size)) {
    for (std::uint32_t i = 0; i < size; ++i) {
      members_.emplace_back(Membership{Epoch{1}, size, NodeId{i}}, election);
    }
  }
  Appointment& at(std::uint32_t i) { return members_[i]; }
  void call(std::uint32_t i) {
    members_[i].call(out_);
    collect(i);
  }
  // A new process takes its place; what was under way to it or from it is gone.
  void restart(std::uint32_t i) {
    const auto size = static_cast<std::uint32_t>(members_.size());
    members_[i] = Appointment{Membership{Epoch{1}, size, NodeId{i}}, election_};
    for (std::uint32_t peer = 0; peer < size; ++peer) {
      links_[i][peer].clear();
      links_[peer][i].clear();
    }
    for (std::uint32_t peer = 0; peer < size; ++peer) {
      if (peer == i) continue;
      members_[peer].forgotten(NodeId{i}, out_);
      collect(peer);
    }
  }
  bool deliver_one(Prng& prng) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> busy;
    for (std::uint32_t from = 0; from < links_.size(); ++from) {
      for (std::uint32_t to = 0; to < links_.size(); ++to) {
        if (!links_[from][to].empty()) busy.emplace_back(from, to);
      }
    }
    if (busy.empty()) return false;
    const auto [from, to] = busy[prng.below(busy.size())];
    const Bytes payload = std::move(links_[from][to].front());
    links_[from][to].pop_front();
    members_[to].receive(NodeId{from}, *divide_election(payload), out_);
    collect(to);
    return true;
  }
  // Those that act.
  std::vector<NodeId> acting() const {
    std::vector<NodeId> list;
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
      if (members_[i].coordinator() == NodeId{i}) list.push_back(NodeId{i});
    }
    return list;
  }

 private:
  void collect(std::uint32_t node) {
    for (const auto& send : out_.sends()) {
      const auto bytes = out_.bytes(send);
      links_[node][number(send.to)].emplace_back(bytes.begin(), bytes.end());
    }
    out_.clear();
  }

  ElectionId election_;
  std::vector<Appointment> members_;
  std::vector<std::vector<std::deque<Bytes>>> links_;
  Outbox out_;
};

TEST_P(CoordinatorBy, TwoNeverActEvenIfMembersLoseTheirMemory) {
  for (std::uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed={}", seed));
    Voters voters{3, election()};
    Prng prng{seed};
    for (int step = 0; step < 200 && !HasFailure(); ++step) {
      const std::uint64_t what = prng.below(20);
      if (what == 0) {
        voters.restart(static_cast<std::uint32_t>(prng.below(3)));
      } else if (what < 3) {
        voters.call(static_cast<std::uint32_t>(prng.below(3)));
      } else {
        voters.deliver_one(prng);
      }
      EXPECT_LE(voters.acting().size(), 1u);
    }
  }
}

TEST_P(CoordinatorBy, AMemberThatLostItsMemoryIsToldAgain) {
  Voters voters{3, election()};
  Prng prng{1};
  voters.call(0);
  while (voters.deliver_one(prng)) {
  }
  ASSERT_EQ(voters.at(1).coordinator(), NodeId{2});
  voters.restart(1);
  EXPECT_EQ(voters.at(1).coordinator(), std::nullopt);
  voters.call(1);
  while (voters.deliver_one(prng)) {
  }
  EXPECT_EQ(voters.at(1).coordinator(), NodeId{2});
  voters.restart(2);  // With what it had granted: nobody votes for it twice.
  voters.call(2);
  while (voters.deliver_one(prng)) {
  }
  EXPECT_EQ(voters.at(2).coordinator(), std::nullopt);
}

// --- hostile bytes ---

// Member 1 of 3.
class HostileElection : public ::testing::Test {
 protected:
  void receive(Kind kind, const Bytes& body = {}) {
    appointment_.receive(NodeId{0}, {kind, 0, body}, out_);
  }
  Appointment appointment_{{Epoch{1}, 3, NodeId{1}}, *election_named("bully")};
  Outbox out_;
};

TEST_F(HostileElection, WhoSaysThatItIsAppointedNeedsOurVote) {
  receive(Kind::appointed);
  ASSERT_EQ(out_.complaints().size(), 1u);
  EXPECT_THAT(out_.complaints()[0].text, HasSubstr("without our vote"));
  EXPECT_EQ(appointment_.coordinator(), std::nullopt);
}

TEST_F(HostileElection, VotesWithoutAnElectionAppointNobody) {
  receive(Kind::vote);
  receive(Kind::vote, {1});
  EXPECT_EQ(out_.complaints().size(), 1u);
  appointment_.receive(NodeId{2}, {Kind::vote, 0, {}}, out_);
  EXPECT_EQ(appointment_.coordinator(), std::nullopt);
  EXPECT_TRUE(out_.sends().empty());
}

TEST_F(HostileElection, TermsThatNobodyCanHaveReachedAreRefused) {
  receive(Kind::ballot, encode(Bully::Message{Bully::Election{Term{~std::uint64_t{0}}}}));
  ASSERT_EQ(out_.complaints().size(), 1u);
  EXPECT_TRUE(out_.sends().empty());
}

TEST(ViewElections, ThatDifferAreComplainedOf) {
  ViewElections ours{{Epoch{1}, 3, NodeId{1}}, *election_named("bully")};
  Outbox out;
  for (const std::uint8_t other : {number(*election_named("ring-election")), std::uint8_t{200}}) {
    for (std::uint8_t kind = 0; kind < ElectionPayload::kKinds; ++kind) {
      out.clear();
      ours.receive(NodeId{0}, Bytes{tags::kElection, kind, other}, out);
      ASSERT_EQ(out.complaints().size(), 1u);
      EXPECT_THAT(out.complaints()[0].text, HasSubstr("we by bully"));
      EXPECT_TRUE(out.sends().empty());
    }
  }
}

TEST_P(CoordinatorBy, NoiseIsComplainedOfAndBreaksNothing) {
  Appointment appointment{{Epoch{1}, 3, NodeId{1}}, election()};
  Prng prng{3};
  std::size_t complaints = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes noise(prng.below(40));
    for (auto& byte : noise) {
      byte = static_cast<std::uint8_t>(prng.below(prng.below(2) == 0 ? 4 : 256));
    }
    noise.insert(noise.begin(), {tags::kElection, static_cast<std::uint8_t>(prng.below(8))});
    Outbox out;
    const auto payload = divide_election(noise);
    if (!payload) {
      EXPECT_TRUE(noise.size() < 3 || noise[1] >= ElectionPayload::kKinds);
      continue;
    }
    if (payload->kind == Kind::life || payload->kind == Kind::call) continue;
    appointment.receive(NodeId{prng.below(2) == 0 ? 0u : 2u}, *payload, out);
    complaints += out.complaints().size();
  }
  EXPECT_GT(complaints, 1'000u);
}

}  // namespace
}  // namespace hapax
