#include "mutex/readers_writers.h"

#include <gmock/gmock.h>

#include "mutex/ricart_agrawala.h"
#include "mutex/testing/network.h"

namespace hapax {
namespace {

using testing::Network;
using testing::verdict;
using Order = std::vector<std::uint32_t>;

TEST(ReadersWriters, AnEntryTakesTwoMessagesForEveryOtherMember) {
  for (const Mode mode : {Mode::exclusive, Mode::shared}) {
    Network<ReadersWriters> net{10};
    net.request(7, mode);
    net.settle();
    EXPECT_EQ(net.sent(), 18u);
  }
}

TEST(ReadersWriters, ReadersAreInsideTogether) {
  Network<ReadersWriters> net{5};
  for (std::uint32_t node = 0; node < 5; ++node) net.request(node, Mode::shared);
  net.drain();
  for (std::uint32_t node = 0; node < 5; ++node) EXPECT_EQ(net.phase(node), Phase::inside);
  EXPECT_EQ(net.sent(), 5u * 2 * 4);
}

TEST(ReadersWriters, AReaderInsideDefersAWriter) {
  Network<ReadersWriters> net{2};
  net.request(0, Mode::shared);
  net.drain();
  net.request(1);
  net.deliver(1, 0);
  EXPECT_EQ(net.reasons(), std::vector<std::string>{"#0 defers #1: it is inside, to read"});
  EXPECT_TRUE(net.node(0).is_wanted());
  net.release(0);
  net.drain();
  EXPECT_EQ(net.phase(1), Phase::inside);
}

// Nobody passes a writer that waits, or readers that come and go could keep it out for ever.
TEST(ReadersWriters, AReaderDoesNotOvertakeAWriterThatWaits) {
  Network<ReadersWriters> net{3};
  net.request(0, Mode::shared);
  net.drain();
  net.request(1);
  net.drain();
  net.request(2, Mode::shared);
  net.drain();
  EXPECT_EQ(net.phase(1), Phase::waiting);
  EXPECT_EQ(net.phase(2), Phase::waiting);
  net.settle();
  EXPECT_EQ(net.order(), (Order{0, 1, 2}));
}

TEST(ReadersWriters, AReaderThatAskedEarlierGoesBeforeTheWriter) {
  Network<ReadersWriters> net{3};
  net.request(0);
  net.drain();
  net.request(1, Mode::shared);
  net.drain();
  net.request(2);
  net.drain();
  net.settle();
  EXPECT_EQ(net.order(), (Order{0, 1, 2}));
}

TEST(ReadersWriters, StartFromASetOfReaders) {
  std::vector<ReadersWriters> nodes;
  for (std::uint32_t i = 0; i < 3; ++i) {
    nodes.emplace_back(View{Epoch{1}, 3, NodeId{i}, NodeId{0}, false}, ReadersWriters::Options{},
                       Holding{Mode::shared, i < 2 ? 1u : 0u});
  }
  EXPECT_EQ(nodes[0].phase(), Phase::inside);
  EXPECT_EQ(nodes[1].phase(), Phase::inside);
  Effects<ReadersWriters::Message> fx;
  nodes[2].request(Mode::exclusive, fx);
  const ReadersWriters::Request request{Clock{1}, Mode::exclusive};
  for (const std::uint32_t i : {0u, 1u}) {
    fx.clear();
    nodes[i].receive(NodeId{2}, request, fx);
    EXPECT_TRUE(fx.sends().empty()) << "a reader inside defers the writer";
    nodes[i].release(fx);
    ASSERT_EQ(fx.sends().size(), 1u);
    const ReadersWriters::Message reply = fx.sends()[0].message;
    fx.clear();
    nodes[2].receive(NodeId{i}, reply, fx);
    EXPECT_EQ(fx.entered().has_value(), i == 1);
  }
}

// Without readers it is the original, message by message.
TEST(ReadersWriters, WritersAloneDoAsRicartAndAgrawala) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Network<ReadersWriters> ours{4};
    Network<RicartAgrawala> theirs{4};
    ours.run_random(seed, 3);
    theirs.run_random(seed, 3);
    EXPECT_EQ(ours.order(), theirs.order());
    EXPECT_EQ(ours.sent(), theirs.sent());
  }
}

TEST(ReadersWriters, ServesReadersAndWritersInEverySchedule) {
  for (std::uint64_t seed = 0; seed < 200 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Prng prng{seed};
    const auto size = static_cast<std::uint32_t>(2 + seed % 4);
    Network<ReadersWriters> net{size};
    std::vector<std::uint32_t> left(size, 4);
    for (int step = 0;; ++step) {
      ASSERT_LT(step, 20'000) << net.states();
      const auto node = static_cast<std::uint32_t>(prng.below(size));
      if (net.phase(node) == Phase::idle && left[node] > 0) {
        --left[node];
        net.request(node, prng.below(2) == 0 ? Mode::shared : Mode::exclusive);
      } else if (net.phase(node) == Phase::inside && prng.below(3) == 0) {
        net.release(node);
      } else if (!net.packets().empty()) {
        const auto& packet = net.packets()[prng.below(net.packets().size())];
        net.deliver(number(packet.from), number(packet.to));
      }
      bool done = net.packets().empty();
      for (std::uint32_t i = 0; i < size; ++i) {
        done = done && left[i] == 0 && net.phase(i) == Phase::idle;
      }
      if (done) break;
    }
    EXPECT_EQ(net.entries().size(), 4 * size);
  }
}

TEST(ReadersWriters, StartsFromEveryView) {
  testing::expect_starts_from_every_view<ReadersWriters>();
}

TEST(ReadersWriters, RejectsAClockThatNobodyCanHave) {
  Network<ReadersWriters> net{3};
  const Clock absurd{std::uint64_t{1} << 62};
  EXPECT_EQ(verdict(net.node(0), 1, ReadersWriters::Request{absurd, Mode::shared}),
            Reject::absurd_clock);
  EXPECT_EQ(verdict(net.node(0), 1, ReadersWriters::Reply{absurd}), Reject::absurd_clock);
  EXPECT_EQ(verdict(net.node(0), 1, ReadersWriters::Reply{Clock{1}}), Reject::none);
}

TEST(ReadersWriters, AModeThatThereIsNotIsNoMessage) {
  Bytes bytes = encode(ReadersWriters::Message{ReadersWriters::Request{Clock{1}, Mode::shared}});
  bytes.back() = 2;
  EXPECT_FALSE(decode<ReadersWriters::Message>(bytes).has_value());
}

}  // namespace
}  // namespace hapax
