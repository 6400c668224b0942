#include "net/link.h"

#include <deque>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "base/prng.h"

namespace hapax::net {
namespace {

using Meeting = Link::Meeting;
constexpr std::size_t kPlenty = std::size_t{1} << 20;

Bytes payload(std::string_view text) { return {text.begin(), text.end()}; }

// An end of the channel with what it delivers, and the wire towards it.
struct End {
  explicit End(std::uint64_t incarnation, LinkLimits limits = {})
      : own(incarnation), link(incarnation, limits) {}

  // False if the bytes at hand are impossible.
  bool take(std::size_t count) {
    for (; count > 0 && !wire.empty(); --count) {
      const std::span<std::uint8_t> room = reader.room();
      room[0] = wire.front();
      wire.pop_front();
      reader.commit(1);
      std::span<const std::uint8_t> body;
      while (reader.next(body) == FrameReader::Found::frame) {
        std::optional<Frame> frame = decode_frame(body);
        if (!frame || !take(*frame)) return false;
      }
    }
    return true;
  }
  bool take(Frame& frame) {
    if (const auto* ack = std::get_if<Ack>(&frame.content)) return link.receive(*ack);
    const auto known =
        link.receive(std::get<Data>(frame.content), frame.count, frame.messages.size());
    if (!known) return false;
    for (std::uint64_t i = 0; i < frame.count; ++i) {
      const std::span<const std::uint8_t> message = take_message(frame.messages);
      if (i < *known) {
        ++duplicates;
      } else {
        delivered.emplace_back(message.begin(), message.end());
      }
    }
    return true;
  }
  void write_to(End& other, std::size_t budget = kPlenty) {
    Bytes out;
    link.write(out, budget);
    other.wire.insert(other.wire.end(), out.begin(), out.end());
  }

  std::uint64_t own;
  Link link;
  FrameReader reader{kPlenty};
  std::deque<std::uint8_t> wire;
  std::vector<Bytes> delivered;
  std::uint64_t duplicates = 0;
};

void cut(End& a, End& b) {
  for (End* end : {&a, &b}) {
    end->wire.clear();
    end->reader = FrameReader{kPlenty};
  }
}

std::pair<Meeting, Meeting> meet(End& a, End& b) {
  cut(a, b);
  const Link before_a = a.link;
  const Meeting at_a = a.link.meet(b.own, b.link.seen(), b.link.received());
  return {at_a, b.link.meet(a.own, before_a.seen(), before_a.received())};
}

TEST(Link, DeliversWhatWasQueuedBeforeTheyMet) {
  End a{10};
  End b{20};
  ASSERT_TRUE(a.link.push(payload("early")));
  EXPECT_EQ(meet(a, b), std::pair(Meeting::first, Meeting::first));
  a.write_to(b);
  EXPECT_TRUE(b.take(kPlenty));
  EXPECT_THAT(b.delivered, ::testing::ElementsAre(payload("early")));
}

TEST(Link, ManyMessagesOfOneTurnAreOneFrame) {
  End a{10};
  End b{20};
  meet(a, b);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(a.link.push(payload("x")));
  Bytes out;
  EXPECT_EQ(a.link.write(out, kPlenty), 1u);
  EXPECT_EQ(a.link.write(out, kPlenty), 0u);
}

TEST(Link, ResendsExactlyWhatIsMissing) {
  End a{10};
  End b{20};
  meet(a, b);
  for (const char* text : {"one", "two"}) ASSERT_TRUE(a.link.push(payload(text)));
  a.write_to(b);
  ASSERT_TRUE(b.take(kPlenty));
  for (const char* text : {"three", "four"}) ASSERT_TRUE(a.link.push(payload(text)));
  a.write_to(b);  // Lost with the connection.
  EXPECT_EQ(meet(a, b), std::pair(Meeting::again, Meeting::again));
  EXPECT_EQ(a.link.unacknowledged(), 2u);
  a.write_to(b);
  ASSERT_TRUE(b.take(kPlenty));
  EXPECT_THAT(b.delivered, ::testing::ElementsAre(payload("one"), payload("two"), payload("three"),
                                                  payload("four")));
  EXPECT_EQ(b.duplicates, 0u);
  EXPECT_EQ(a.link.resent(), 2u);
}

TEST(Link, DataCarriesTheAcknowledgement) {
  End a{10};
  End b{20};
  meet(a, b);
  ASSERT_TRUE(a.link.push(payload("ping")));
  a.write_to(b);
  ASSERT_TRUE(b.take(kPlenty));
  EXPECT_FALSE(b.link.wants_to_write());
  ASSERT_TRUE(b.link.push(payload("pong")));
  b.write_to(a);
  ASSERT_TRUE(a.take(kPlenty));
  EXPECT_EQ(a.link.unacknowledged(), 0u);
}

TEST(Link, AcknowledgesOneWayTrafficBeforeTheOtherRunsFull) {
  const LinkLimits limits{1 << 20, 1 << 20, 64};
  End a{10, limits};
  End b{20, limits};
  meet(a, b);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(a.link.push(payload("x"))) << i;
    a.write_to(b);
    ASSERT_TRUE(b.take(kPlenty));
    b.write_to(a);
    ASSERT_TRUE(a.take(kPlenty));
  }
  EXPECT_EQ(b.delivered.size(), 1000u);
}

TEST(Link, DropsWhatItHas) {
  End b{20};
  b.link.meet(10, 0, 0);
  EXPECT_EQ(b.link.receive(Data{1, 0}, 3, 9), 0u);
  EXPECT_EQ(b.link.receive(Data{2, 0}, 4, 9), 2u);  // 2 and 3 again, 4 and 5 anew.
  EXPECT_EQ(b.link.receive(Data{1, 0}, 3, 9), 3u);
  EXPECT_EQ(b.link.received(), 5u);
}

TEST(Link, SeesGapsAndImpossibleAcknowledgements) {
  End a{10};
  a.link.meet(20, 0, 0);
  EXPECT_FALSE(a.link.receive(Data{2, 0}, 1, 1)) << "a gap";
  EXPECT_FALSE(a.link.receive(Data{0, 0}, 1, 1)) << "there is no message 0";
  EXPECT_FALSE(a.link.receive(Ack{1})) << "nothing was sent";
  ASSERT_TRUE(a.link.push(payload("one")));
  EXPECT_FALSE(a.link.receive(Ack{1})) << "queued, but not written";
  Bytes out;
  a.link.write(out, kPlenty);
  EXPECT_TRUE(a.link.receive(Ack{1}));
  EXPECT_FALSE(a.link.receive(Ack{0})) << "it had more";
  EXPECT_EQ(a.link.meet(20, 10, 0), Meeting::impossible) << "it had more";
  EXPECT_EQ(a.link.meet(20, 10, 2), Meeting::impossible) << "it never was sent so much";
  EXPECT_EQ(a.link.meet(20, 10, 1), Meeting::again);
}

TEST(Link, ForgetsAPeerThatComesBackAnew) {
  End a{10};
  End b{20};
  meet(a, b);
  ASSERT_TRUE(a.link.push(payload("to the old one")));
  a.write_to(b);
  End again{21};
  EXPECT_EQ(meet(a, again), std::pair(Meeting::forgotten, Meeting::first));
  EXPECT_EQ(a.link.unacknowledged(), 0u);
  ASSERT_TRUE(a.link.push(payload("to the new one")));
  a.write_to(again);
  ASSERT_TRUE(again.take(kPlenty));
  EXPECT_THAT(again.delivered, ::testing::ElementsAre(payload("to the new one")));
}

TEST(Link, RefusesWhatIsTooMuchAndStaysWhole) {
  End a{10, {1024, 4096, 4}};
  End b{20, {1024, 4096, 4}};
  EXPECT_FALSE(a.link.push(Bytes(1024))) << "does not fit a frame";
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(a.link.push(Bytes(10)));
  EXPECT_FALSE(a.link.push(Bytes(10))) << "too many";
  End c{30, {1024, 1000, 100}};
  EXPECT_TRUE(c.link.push(Bytes(900)));
  EXPECT_FALSE(c.link.push(Bytes(900))) << "too large together";
  meet(a, b);
  a.write_to(b);
  ASSERT_TRUE(b.take(kPlenty));
  EXPECT_EQ(b.delivered.size(), 4u);
}

// Whatever is pushed, wherever the wires are cut, however late a side notices.
RC_GTEST_PROP(Link, DeliversExactlyOnceInOrder, ()) {
  // Long walks from the first test on, which rapidcheck's own numbers are too small for.
  Prng prng{*rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>())};
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(prng.below(bound)); };
  End ends[2] = {End{10}, End{20}};
  std::uint64_t pushed[2] = {0, 0};
  const auto push = [&](std::size_t from) {
    Bytes message = encode(++pushed[from]);
    message.resize(message.size() + below(40));
    RC_ASSERT(ends[from].link.push(message));
  };
  meet(ends[0], ends[1]);
  for (int i = 0; i < 500; ++i) {
    const std::size_t who = below(2);
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        push(who);
        break;
      case 3:
      case 4:
        ends[who].write_to(ends[1 - who], 1 + below(200));
        break;
      case 5:
      case 6:
        RC_ASSERT(ends[who].take(1 + below(120)));
        break;
      default: {
        // The one who accepts says what it has; more comes over the old connection; then it is cut.
        End& dials = ends[who];
        End& accepts = ends[1 - who];
        const std::uint64_t said = accepts.link.received();
        const std::uint64_t had = dials.link.received();
        dials.wire.clear();
        RC_ASSERT(accepts.take(below(100)));
        cut(dials, accepts);
        RC_ASSERT(dials.link.meet(accepts.own, dials.own, said) == Meeting::again);
        RC_ASSERT(accepts.link.meet(dials.own, accepts.own, had) == Meeting::again);
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (const std::size_t who : {0u, 1u}) {
      while (ends[who].link.wants_to_write()) ends[who].write_to(ends[1 - who]);
      RC_ASSERT(ends[1 - who].take(std::size_t{1} << 30));
    }
  }
  for (const std::size_t who : {0u, 1u}) {
    RC_ASSERT(ends[1 - who].delivered.size() == pushed[who]);
    std::uint64_t expected = 0;
    for (const Bytes& message : ends[1 - who].delivered) {
      std::uint64_t number = 0;
      RC_ASSERT(Decoder{message}.read(number));
      RC_ASSERT(number == ++expected);
    }
  }
}

}  // namespace
}  // namespace hapax::net
