// Locks that several hold at once, in lock tables joined by FIFO links in memory.
#include "locks/shared_locks.h"

#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>

#include "base/prng.h"

namespace hapax {
namespace {

using ::testing::HasSubstr;

Policy policy_with(const std::string& rule) {
  Policy policy;
  EXPECT_TRUE(policy.add(rule).has_value()) << rule;
  return policy;
}

class Group {
 public:
  struct Asker {
    std::uint32_t node = 0;
    std::string name;
    WaiterId id{};
  };

  Group(std::uint32_t size, const Policy& policy) : links_(size * size) {
    for (std::uint32_t i = 0; i < size; ++i) {
      tables_.push_back(std::make_unique<LockTable>(Membership{Epoch{7}, size, NodeId{i}}, policy));
    }
  }

  LockTable& table(std::uint32_t node) { return *tables_[node]; }
  std::size_t messages() const { return messages_; }
  bool holds(const Asker& asker) const { return held_.contains(asker.id); }
  Fence fence(const Asker& asker) const { return held_.at(asker.id); }
  std::size_t held() const { return held_.size(); }

  Asker ask(std::uint32_t node, const std::string& name, Want want) {
    const Asker asker{node, name, WaiterId{++last_}};
    EXPECT_TRUE(tables_[node]->acquire(name, asker.id, want, out_).has_value());
    collect(node);
    return asker;
  }
  std::string refusal(std::uint32_t node, const std::string& name, Want want) {
    const auto done = tables_[node]->acquire(name, WaiterId{++last_}, want, out_);
    EXPECT_TRUE(out_.empty());
    return done ? "" : done.error().message;
  }
  void release(const Asker& asker) {
    EXPECT_EQ(held_.erase(asker.id), 1u);
    EXPECT_TRUE(tables_[asker.node]->release(asker.name, asker.id, out_).has_value());
    collect(asker.node);
  }
  void abandon(const Asker& asker) {
    EXPECT_TRUE(tables_[asker.node]->abandon(asker.name, asker.id, out_).has_value());
    collect(asker.node);
  }
  bool deliver(std::size_t link) {
    if (links_[link].empty()) return false;
    const Bytes payload = std::move(links_[link].front());
    links_[link].pop_front();
    const auto to = static_cast<std::uint32_t>(link % tables_.size());
    tables_[to]->receive(NodeId{static_cast<std::uint32_t>(link / tables_.size())}, payload, out_);
    collect(to);
    return true;
  }
  void drain() {
    for (bool any = true; any;) {
      any = false;
      for (std::size_t link = 0; link < links_.size(); ++link) any = deliver(link) || any;
    }
  }
  std::size_t links() const { return links_.size(); }
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  void collect(std::uint32_t node) {
    for (const auto& send : out_.sends()) {
      const auto bytes = out_.bytes(send);
      links_[node * tables_.size() + number(send.to)].emplace_back(bytes.begin(), bytes.end());
      ++messages_;
    }
    for (const auto& grant : out_.grants()) held_[grant.waiter] = grant.fence;
    for (const auto& complaint : out_.complaints()) {
      complaints_.push_back(std::string{name_of(complaint.kind)} + ": " + complaint.text);
    }
    out_.clear();
  }

  std::vector<std::unique_ptr<LockTable>> tables_;
  std::vector<std::deque<Bytes>> links_;
  std::map<WaiterId, Fence> held_;
  std::vector<std::string> complaints_;
  Outbox out_;
  std::size_t messages_ = 0;
  std::uint64_t last_ = 0;
};

const std::string kReports = "reports/7";
const std::string kPool = "pool/x";

class Readers : public ::testing::Test {
 protected:
  Group group{3, policy_with("reports/*=readers-writers")};
  Group::Asker ask(std::uint32_t node, Want want) {
    const auto asker = group.ask(node, kReports, want);
    group.drain();
    return asker;
  }
};

TEST_F(Readers, OfOneMemberAreInsideForTheMessagesOfOne) {
  const auto first = ask(0, Want::shared);
  EXPECT_EQ(group.messages(), 4u);
  const auto second = ask(0, Want::shared);
  EXPECT_EQ(group.messages(), 4u);
  EXPECT_TRUE(group.holds(first));
  EXPECT_TRUE(group.holds(second));
  EXPECT_EQ(group.fence(first), group.fence(second)) << "they share the member's entry";
  const auto third = ask(1, Want::shared);
  EXPECT_TRUE(group.holds(third));
  EXPECT_EQ(group.table(0).describe(kReports)->sharers.size(), 2u);
  EXPECT_EQ(group.table(0).stats().held, 2u);
  group.release(first);
  group.release(second);
  group.release(third);
  group.drain();
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(group.table(i).stats().instances, 0u);
}

TEST_F(Readers, QueueBehindAWriterThatWaitsElsewhere) {
  const auto reader = ask(0, Want::shared);
  const auto writer = ask(1, Want::exclusive);
  const auto late = ask(0, Want::shared);
  EXPECT_FALSE(group.holds(writer));
  EXPECT_FALSE(group.holds(late)) << "else readers could keep the writer out for ever";
  const Fence read = group.fence(reader);
  group.release(reader);
  group.drain();
  ASSERT_TRUE(group.holds(writer));
  EXPECT_GT(group.fence(writer), read) << "they exclude each other, so fences grow";
  const Fence before = group.fence(writer);
  group.release(writer);
  group.drain();
  EXPECT_TRUE(group.holds(late));
  EXPECT_GT(group.fence(late), before);
}

TEST_F(Readers, QueueBehindAWriterThatWaitsHere) {
  const auto reader = ask(0, Want::shared);
  const auto writer = ask(0, Want::exclusive);
  const auto late = ask(0, Want::shared);
  EXPECT_FALSE(group.holds(late));
  group.abandon(writer);
  EXPECT_TRUE(group.holds(late)) << "nobody stands between them any more";
  EXPECT_TRUE(group.holds(reader));
}

// A mutex on such a lock is a writer.
TEST_F(Readers, AnExclusiveRequestIsAlone) {
  const auto writer = ask(2, Want::exclusive);
  EXPECT_TRUE(group.holds(writer));
  EXPECT_TRUE(group.table(2).describe(kReports)->holder.has_value());
  const auto reader = ask(0, Want::shared);
  EXPECT_FALSE(group.holds(reader));
  group.release(writer);
  group.drain();
  EXPECT_TRUE(group.holds(reader));
}

TEST_F(Readers, WhoGivesUpKeepsNobodyWaiting) {
  const auto writer = ask(0, Want::exclusive);
  const auto other = ask(1, Want::exclusive);
  group.abandon(other);
  const auto reader = ask(1, Want::shared);
  group.release(writer);
  group.drain();
  EXPECT_TRUE(group.holds(reader)) << "the request that was under way serves it";
}

TEST_F(Readers, StartFromASetOfHolders) {
  const LockHolder one{WaiterId{100}, Fence{Epoch{6}, Turn{4}}, Mode::shared};
  const LockHolder two{WaiterId{101}, Fence{Epoch{6}, Turn{9}}, Mode::shared};
  ASSERT_TRUE(group.table(0).begin_shared(kReports, {one, two}).has_value());
  ASSERT_TRUE(group.table(1).begin_shared(kReports, {one}).has_value());
  EXPECT_TRUE(group.holds(ask(2, Want::shared)));
  const auto writer = ask(2, Want::exclusive);
  EXPECT_FALSE(group.holds(writer));
}

TEST_F(Readers, AreRefusedWhereOnlyOneIsLetIn) {
  EXPECT_THAT(group.refusal(0, "orders", Want::shared),
              HasSubstr("--algorithm 'orders=readers-writers'"));
  EXPECT_THAT(group.refusal(0, "orders", Want::unit),
              HasSubstr("--algorithm 'orders=semaphore-ra:4'"));
  EXPECT_THAT(group.refusal(0, kReports, Want::unit), HasSubstr("semaphore-ra:4"));
  EXPECT_EQ(group.table(0).stats().instances, 0u);
}

class Units : public ::testing::Test {
 protected:
  Group group{3, policy_with("pool/*=semaphore-ra:3")};
  Group::Asker ask(std::uint32_t node) {
    const auto asker = group.ask(node, kPool, Want::any);
    group.drain();
    return asker;
  }
};

TEST_F(Units, AreGivenToSeveralOfOneMemberAndOfOthers) {
  const auto a = ask(0);
  const auto b = ask(0);
  const auto c = ask(1);
  const auto d = ask(0);
  const auto e = ask(2);
  EXPECT_TRUE(group.holds(a) && group.holds(b) && group.holds(c));
  EXPECT_FALSE(group.holds(d));
  EXPECT_FALSE(group.holds(e));
  EXPECT_NE(group.fence(a), group.fence(b)) << "each unit is an entry";
  EXPECT_EQ(group.table(0).describe(kPool)->sharers.size(), 2u);
  group.release(c);
  group.drain();
  EXPECT_TRUE(group.holds(d)) << "it asked before the other";
  EXPECT_FALSE(group.holds(e));
  group.release(a);
  group.drain();
  EXPECT_TRUE(group.holds(e));
  for (const auto& asker : {b, d, e}) group.release(asker);
  group.drain();
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(group.table(i).stats().instances, 0u);
}

TEST_F(Units, AreNothingForWhoWantsToBeAlone) {
  EXPECT_THAT(group.refusal(0, kPool, Want::exclusive), HasSubstr("semaphore of 3"));
  EXPECT_THAT(group.refusal(0, kPool, Want::shared), HasSubstr("semaphore of 3"));
  Group one{2, policy_with("pool/*=semaphore-ra:1")};
  const auto alone = one.ask(0, kPool, Want::exclusive);
  one.drain();
  EXPECT_TRUE(one.holds(alone)) << "of one unit, one is alone";
}

// Policies that differ are a complaint, not two truths.
TEST(SharedLocks, ComplainOfMembersThatCountOtherwise) {
  const Membership here{Epoch{7}, 2, NodeId{0}};
  const Membership there{Epoch{7}, 2, NodeId{1}};
  for (const char* rule : {"pool/*=semaphore-ra:4", "pool/*=readers-writers", "pool/*=raymond"}) {
    LockTable three{here, policy_with("pool/*=semaphore-ra:3")};
    LockTable four{there, policy_with(rule)};
    Outbox out;
    ASSERT_TRUE(three.acquire(kPool, WaiterId{1}, Want::any, out).has_value());
    ASSERT_EQ(out.sends().size(), 1u);
    const Bytes payload{out.bytes(out.sends()[0]).begin(), out.bytes(out.sends()[0]).end()};
    out.clear();
    four.receive(NodeId{0}, payload, out);
    ASSERT_EQ(out.complaints().size(), 1u) << rule;
    EXPECT_EQ(out.complaints()[0].kind, Outbox::Complaint::Kind::policies_differ) << rule;
    EXPECT_TRUE(out.sends().empty());
    EXPECT_EQ(four.stats().instances, 0u);
  }
}

// Clients of three members come and go at random; never too many inside, and all are served.
void play(std::uint64_t seed, const std::string& rule, std::uint32_t capacity) {
  SCOPED_TRACE(rule + " seed " + std::to_string(seed));
  Group group{3, policy_with(rule)};
  Prng prng{seed};
  struct Client {
    Group::Asker asker;
    bool shared;
    bool was_inside = false;
  };
  std::vector<Client> clients;
  int left = 60;
  std::uint64_t last_writer = 0;
  for (int step = 0; left > 0 || !clients.empty(); ++step) {
    ASSERT_LT(step, 100'000) << "somebody waits for ever";
    const std::uint64_t what = prng.below(6);
    if (what == 0 && left > 0) {
      --left;
      const bool shared = capacity != kAnyNumber || prng.below(3) > 0;
      const Want want = capacity != kAnyNumber ? Want::unit
                        : shared               ? Want::shared
                                               : Want::exclusive;
      clients.push_back(
          {group.ask(static_cast<std::uint32_t>(prng.below(3)), kPool, want), shared});
    } else if (what == 1 && !clients.empty()) {
      const std::size_t at = prng.below(clients.size());
      const Client client = clients[at];
      const bool holds = group.holds(client.asker);
      if (!holds && prng.below(4) > 0) continue;
      clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(at));
      holds ? group.release(client.asker) : group.abandon(client.asker);
    } else {
      group.deliver(prng.below(group.links()));
    }
    std::uint32_t shared = 0;
    std::uint32_t alone = 0;
    for (Client& client : clients) {
      if (!group.holds(client.asker)) continue;
      ++(client.shared ? shared : alone);
      const std::uint64_t turn = number(group.fence(client.asker).turn);
      if (!std::exchange(client.was_inside, true) && capacity == kAnyNumber) {
        EXPECT_GT(turn, last_writer);
        if (!client.shared) last_writer = turn;
      }
    }
    ASSERT_TRUE(alone == 0 || (alone == 1 && shared == 0)) << alone << " and " << shared;
    ASSERT_LE(shared, capacity);
    ASSERT_TRUE(group.complaints().empty()) << group.complaints().front();
  }
  group.drain();
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(group.table(i).stats().instances, 0u);
}

TEST(SharedLocks, ServeEverybodyInEveryOrder) {
  for (std::uint64_t seed = 1; seed <= 150 && !::testing::Test::HasFailure(); ++seed) {
    play(seed, "pool/*=readers-writers", kAnyNumber);
    play(seed, "pool/*=semaphore-ra:1", 1);
    play(seed, "pool/*=semaphore-ra:3", 3);
  }
}

}  // namespace
}  // namespace hapax
