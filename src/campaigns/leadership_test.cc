// Who leads those that reach each other, over links that come and go and resend.
#include "campaigns/leadership.h"

#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/prng.h"
#include "election/catalog.h"

namespace hapax {
namespace {

using Kind = ElectionPayload::Kind;

// Links as the mesh has them: what was sent before a cut arrives after it. Each end notices a cut
// at its own time, but before the link is there again.
class Reach {
 public:
  Reach(std::uint32_t size, ElectionId election)
      : size_(size),
        links_(size, std::vector<std::deque<Bytes>>(size)),
        up_(size, std::vector<char>(size)) {
    for (std::uint32_t i = 0; i < size; ++i) {
      members_.emplace_back(Membership{Epoch{1}, size, NodeId{i}}, election);
    }
  }
  Leadership& at(std::uint32_t i) { return members_[i]; }
  bool is_up(std::uint32_t a, std::uint32_t b) const { return up_[a][b]; }

  void connect(std::uint32_t a, std::uint32_t b) {
    notice(a, b);
    notice(b, a);
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      up_[from][to] = true;
      members_[from].up(NodeId{to}, out_);
      collect(from);
    }
  }
  // `a` notices that its link to `b` is gone.
  void notice(std::uint32_t a, std::uint32_t b) {
    if (!up_[a][b]) return;
    up_[a][b] = false;
    members_[a].down(NodeId{b}, out_);
    collect(a);
  }
  void cut(std::uint32_t a, std::uint32_t b) {
    notice(a, b);
    notice(b, a);
  }
  bool deliver_one(Prng& prng) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> busy;
    for (std::uint32_t from = 0; from < size_; ++from) {
      for (std::uint32_t to = 0; to < size_; ++to) {
        if (up_[from][to] && up_[to][from] && !links_[from][to].empty())
          busy.emplace_back(from, to);
      }
    }
    if (busy.empty()) return false;
    const auto [from, to] = busy[prng.below(busy.size())];
    const Bytes payload = std::move(links_[from][to].front());
    links_[from][to].pop_front();
    members_[to].receive(NodeId{from}, payload, out_);
    EXPECT_TRUE(out_.complaints().empty()) << out_.complaints()[0].text;
    collect(to);
    return true;
  }
  void rest(Prng& prng) {
    int left = 100'000;
    while (left > 0 && deliver_one(prng)) --left;
    EXPECT_GT(left, 0) << "there is no end to it";
  }

 private:
  void collect(std::uint32_t node) {
    for (const auto& send : out_.sends()) {
      const auto bytes = out_.bytes(send);
      links_[node][number(send.to)].emplace_back(bytes.begin(), bytes.end());
    }
    out_.clear();
  }

  std::uint32_t size_;
  std::vector<Leadership> members_;
  std::vector<std::vector<std::deque<Bytes>>> links_;
  std::vector<std::vector<char>> up_;
  Outbox out_;
};

class LeadershipBy : public ::testing::TestWithParam<std::uint8_t> {
 protected:
  ElectionId election() const { return ElectionId{GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Elections, LeadershipBy, ::testing::Range<std::uint8_t>(0, kElections),
                         [](const auto& test) {
                           std::string name{name_of(ElectionId{test.param})};
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(LeadershipBy, AloneItLeadsItself) {
  Reach reach{3, election()};
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(reach.at(i).leader(), NodeId{i});
}

TEST_P(LeadershipBy, ASideOfAPartitionFollowsItsHighestAndTheWholeAgain) {
  Reach reach{4, election()};
  Prng prng{1};
  for (std::uint32_t a = 0; a < 4; ++a) {
    for (std::uint32_t b = a + 1; b < 4; ++b) reach.connect(a, b);
  }
  reach.rest(prng);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(reach.at(i).leader(), NodeId{3}) << i;
  for (std::uint32_t i = 0; i < 3; ++i) reach.cut(i, 3);
  reach.rest(prng);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(reach.at(i).leader(), NodeId{2}) << i;
  EXPECT_EQ(reach.at(3).leader(), NodeId{3});
  for (std::uint32_t i = 0; i < 3; ++i) reach.connect(i, 3);
  reach.rest(prng);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(reach.at(i).leader(), NodeId{3}) << i;
}

TEST_P(LeadershipBy, AllFollowTheHighestOnceLinksStayHoweverTheyCameAndWent) {
  for (std::uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const std::uint32_t size = 2 + static_cast<std::uint32_t>(seed % 3);
    Reach reach{size, election()};
    Prng prng{seed};
    const auto draw = [&] { return static_cast<std::uint32_t>(prng.below(size)); };
    for (int step = 0; step < 200 && !HasFailure(); ++step) {
      const std::uint32_t a = draw();
      const std::uint32_t b = (a + 1 + static_cast<std::uint32_t>(prng.below(size - 1))) % size;
      const std::uint64_t what = prng.below(10);
      if (what == 0) {
        reach.connect(a, b);
      } else if (what == 1) {
        reach.notice(a, b);
      } else {
        reach.deliver_one(prng);
      }
    }
    for (std::uint32_t a = 0; a < size; ++a) {
      for (std::uint32_t b = a + 1; b < size; ++b) {
        if (!reach.is_up(a, b) || !reach.is_up(b, a)) reach.connect(a, b);
      }
    }
    reach.rest(prng);
    for (std::uint32_t i = 0; i < size; ++i) EXPECT_EQ(reach.at(i).leader(), NodeId{size - 1});
  }
}

TEST_P(LeadershipBy, NoiseBreaksNothing) {
  Leadership leadership{{Epoch{1}, 3, NodeId{1}}, election()};
  Prng prng{2};
  Outbox out;
  leadership.up(NodeId{0}, out);
  leadership.up(NodeId{2}, out);
  std::size_t complaints = 0;
  for (int i = 0; i < 20'000; ++i) {
    out.clear();
    Bytes noise;
    append_election(noise, prng.below(8) == 0 ? Kind::life : Kind::call);
    for (std::uint64_t bytes = prng.below(30); bytes > 0; --bytes) {
      noise.push_back(static_cast<std::uint8_t>(prng.below(prng.below(2) == 0 ? 4 : 256)));
    }
    leadership.receive(NodeId{prng.below(2) == 0 ? 0u : 2u}, noise, out);
    complaints += out.complaints().size();
  }
  EXPECT_GT(complaints, 1'000u);
}

}  // namespace
}  // namespace hapax
