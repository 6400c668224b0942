// Bytes from peers are hostile: whatever they say, the table complains and goes on serving.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/prng.h"
#include "base/testing/fuzz.h"
#include "core/lock_name.h"
#include "locks/lock_payload.h"
#include "locks/lock_table.h"
#include "locks/testing/table_group.h"
#include "catalog/algorithms.h"

void fuzz_payloads(std::span<const std::uint8_t> input);

namespace hapax {
namespace {

using ::testing::HasSubstr;
using Kind = Outbox::Complaint::Kind;

// Payloads that members really send, of every algorithm, for locks named ALGORITHM/x.
std::vector<Bytes> recorded_payloads() {
  std::vector<Bytes> all;
  const auto record = [&]<class A>() {
    const bool counts = std::same_as<A, SemaphoreRa>;
    TableGroup group{3, all_by(std::string{A::kInfo.name} + (counts ? ":1" : ""))};
    Prng prng{5};
    const std::string name = fmt::format("{}/x", A::kInfo.name);
    for (int step = 0; step < 120; ++step) {
      const auto busy = group.busy_links();
      if (!busy.empty() && prng.below(4) > 0) {
        const auto [from, to] = busy[prng.below(busy.size())];
        group.deliver(from, to);
      } else if (!group.inside().empty() && prng.below(2) == 0) {
        group.release(TableGroup::Waiter{group.inside().front()});
      } else if (group.waiting().size() < 3) {
        group.acquire(static_cast<std::uint32_t>(prng.below(3)), name);
      }
    }
    EXPECT_GT(group.seen().size(), 5u) << A::kInfo.name;
    all.insert(all.end(), group.seen().begin(), group.seen().end());
  };
  for_each_mutex(record);
  for_each_shared(record);
  return all;
}

Policy policy_of_hostile_tests() {
  Policy policy;
  for_each_mutex([&]<class A>() {
    EXPECT_TRUE(policy.add(fmt::format("{0}/*={0}", A::kInfo.name)).has_value());
  });
  EXPECT_TRUE(policy.add("readers-writers/*=readers-writers").has_value());
  EXPECT_TRUE(policy.add("semaphore-ra/*=semaphore-ra:1").has_value());
  return policy;
}

// Member 1 of 3, and what it says to bytes of member 0.
class Hostile : public ::testing::Test {
 protected:
  Outbox::Complaint complaint_of(const Bytes& bytes, NodeId from = NodeId{0}) {
    const std::uint64_t instances = table_.stats().instances;
    out_.clear();
    table_.receive(from, bytes, out_);
    EXPECT_TRUE(out_.sends().empty());
    EXPECT_TRUE(out_.grants().empty());
    EXPECT_EQ(table_.stats().instances, instances) << "it left something behind";
    if (out_.complaints().size() == 1) return out_.complaints()[0];
    ADD_FAILURE() << out_.complaints().size() << " complaints";
    return {};
  }
  static Bytes header(std::string_view algorithm, std::string_view name, bool wake = false) {
    Bytes bytes;
    append_header(bytes, *algorithm_named(algorithm), wake, name);
    return bytes;
  }
  template <class A>
  static Bytes payload(std::string_view name, typename A::Message message) {
    Bytes bytes;
    append_payload(bytes, *algorithm_named(A::kInfo.name), name, message);
    return bytes;
  }
  static std::string name_at(std::uint32_t home, std::string_view prefix) {
    for (int i = 0;; ++i) {
      std::string name = fmt::format("{}/{}", prefix, i);
      if (home_of(name, 3) == NodeId{home}) return name;
    }
  }

  LockTable table_{{Epoch{1}, 3, NodeId{1}}, policy_of_hostile_tests(), {.most_locks = 4}};
  Outbox out_;
};

TEST_F(Hostile, EveryTruncationIsMalformed) {
  for (const Bytes& whole : recorded_payloads()) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Bytes part{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)};
      EXPECT_EQ(complaint_of(part).kind, Kind::malformed);
    }
    Bytes longer = whole;
    longer.push_back(0);
    EXPECT_EQ(complaint_of(longer).kind, Kind::malformed);
  }
}

TEST_F(Hostile, AnAlgorithmItDoesNotKnow) {
  Bytes bytes = header("central", "central/x");
  for (int tag = 0; tag < kMostAlgorithmIds; ++tag) {
    if (is_valid(AlgorithmId{static_cast<std::uint8_t>(tag)})) continue;
    bytes[0] = static_cast<std::uint8_t>(tag);
    EXPECT_EQ(complaint_of(bytes).kind, Kind::unknown_algorithm);
  }
}

TEST_F(Hostile, NamesThatAreNone) {
  const auto kind_of = [&](const std::string& name) {
    Bytes bytes = header("carvalho-roucairol", name);
    encode_to(bytes, CarvalhoRoucairol::Message{CarvalhoRoucairol::Request{Clock{1}}});
    return complaint_of(bytes).kind;
  };
  EXPECT_EQ(kind_of(""), Kind::malformed);
  EXPECT_EQ(kind_of(std::string(513, 'x')), Kind::malformed);
  EXPECT_EQ(kind_of(std::string(60'000, 'x')), Kind::malformed);
  EXPECT_EQ(kind_of("a\nb"), Kind::malformed);
  EXPECT_EQ(kind_of("\xff"), Kind::malformed);
  EXPECT_EQ(complaint_of(Bytes(kLargestPayload + 1, 1)).kind, Kind::malformed);
}

TEST_F(Hostile, PoliciesThatDiffer) {
  const auto unheard_of = complaint_of(payload<Central>("raymond/x", Central::Request{}));
  EXPECT_EQ(unheard_of.kind, Kind::policies_differ);
  EXPECT_THAT(unheard_of.text, HasSubstr("raymond/x is central there and raymond here"));

  ASSERT_TRUE(table_.acquire("raymond/x", WaiterId{1}, out_).has_value());
  EXPECT_EQ(complaint_of(payload<Central>("raymond/x", Central::Request{})).kind,
            Kind::policies_differ);
}

TEST_F(Hostile, SendersWhoAreNoOtherMember) {
  const Bytes bytes = payload<Central>("central/x", Central::Request{});
  EXPECT_EQ(complaint_of(bytes, NodeId{1}).kind, Kind::not_a_member);
  EXPECT_EQ(complaint_of(bytes, NodeId{3}).kind, Kind::not_a_member);
}

TEST_F(Hostile, WhatTheAlgorithmRefuses) {
  const std::string name = name_at(0, "central");
  const auto complaint = complaint_of(payload<Central>(name, Central::Grant{Turn{5}}));
  EXPECT_EQ(complaint.kind, Kind::broken_protocol);
  EXPECT_EQ(complaint.reject, Reject::not_asked);
  EXPECT_EQ(complaint.peer, NodeId{0});
  EXPECT_THAT(complaint.text, HasSubstr(name));
}

TEST_F(Hostile, WakesThatNobodySends) {
  EXPECT_EQ(complaint_of(header("central", "central/x", true)).kind, Kind::malformed);
  Bytes too_long = header("token-ring", name_at(1, "token-ring"), true);
  too_long.push_back(0);
  EXPECT_EQ(complaint_of(too_long).kind, Kind::malformed);
  const auto elsewhere = complaint_of(header("token-ring", name_at(2, "token-ring"), true));
  EXPECT_EQ(elsewhere.kind, Kind::broken_protocol);
  EXPECT_EQ(elsewhere.reject, Reject::not_a_member);
}

TEST_F(Hostile, MoreLocksThanItMayKeep) {
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(table_.acquire(std::to_string(i), WaiterId{1}, out_).has_value());
  }
  EXPECT_EQ(complaint_of(payload<Central>("central/x", Central::Request{})).kind,
            Kind::too_many_locks);
}

// A clock that is just believable stays with the lock it came for.
TEST_F(Hostile, AClockThatLeaptDoesNotReachOtherLocks) {
  const Clock leapt{std::uint64_t{1} << 55};
  table_.receive(NodeId{0},
                 payload<RicartAgrawala>("ricart-agrawala/x", RicartAgrawala::Request{leapt}),
                 out_);
  EXPECT_TRUE(out_.complaints().empty());
  EXPECT_EQ(table_.stats().instances, 1u) << "forgotten, with a clock that nobody counted to";
  out_.clear();
  ASSERT_TRUE(table_.acquire("ricart-agrawala/y", WaiterId{1}, out_).has_value());
  const auto bytes = out_.bytes(out_.sends()[0]);
  EXPECT_EQ((Bytes{bytes.begin(), bytes.end()}),
            payload<RicartAgrawala>("ricart-agrawala/y", RicartAgrawala::Request{Clock{1}}));
}

// Whatever came before, a lock that the noise did not name is served as always.
TEST_F(Hostile, NoiseDoesNoHarmToOtherLocks) {
  TableGroup group{3, policy_of_hostile_tests()};
  Prng prng{11};
  const std::vector<Bytes> recorded = recorded_payloads();
  Outbox ignored;
  for (int i = 0; i < 5'000; ++i) {
    Bytes noise = recorded[prng.below(recorded.size())];
    for (std::uint64_t flips = prng.below(4); flips > 0; --flips) {
      noise[prng.below(noise.size())] = static_cast<std::uint8_t>(prng.next());
    }
    if (prng.below(5) == 0) {
      noise.resize(prng.below(40));
      for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>(prng.next());
    }
    group.table(1).receive(NodeId{static_cast<std::uint32_t>(prng.below(2)) * 2}, noise, ignored);
    ignored.clear();
  }
  std::uint64_t asked = 0;
  for_each_mutex([&]<class A>() {
    const std::uint32_t askers = A::kInfo.can_deadlock ? 1 : 3;
    asked += askers;
    for (std::uint32_t node = 0; node < askers; ++node) {
      group.acquire(node, fmt::format("{}/another", A::kInfo.name));
    }
  });
  EXPECT_TRUE(group.serve_all());
  EXPECT_EQ(group.entries(), asked);
}

// --- the fuzz target, with g++ ---

Bytes as_input(const std::vector<Bytes>& payloads, Prng& prng) {
  Bytes input;
  for (std::uint64_t left = 1 + prng.below(30); left > 0; --left) {
    if (prng.below(3) == 0) {
      input.push_back(static_cast<std::uint8_t>(0x80 | prng.next()));
      input.push_back(static_cast<std::uint8_t>(prng.next()));
      continue;
    }
    const Bytes& payload = payloads[prng.below(payloads.size())];
    input.push_back(static_cast<std::uint8_t>(prng.below(3)));
    input.push_back(static_cast<std::uint8_t>(payload.size()));
    input.insert(input.end(), payload.begin(), payload.end());
  }
  return input;
}

TEST(PayloadFuzz, RunsOverRecordedPayloadsAndMutationsOfThem) {
  const std::vector<Bytes> recorded = recorded_payloads();
  Prng prng{3};
  for (int i = 0; i < 20'000; ++i) {
    Bytes input = as_input(recorded, prng);
    if (i % 4 != 0) mutate(input, prng);
    fuzz_payloads(input);
  }
}

}  // namespace
}  // namespace hapax
