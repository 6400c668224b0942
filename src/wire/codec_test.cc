#include "wire/codec.h"

#include <boost/container/vector.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/ids.h"

namespace hapax {
namespace {

using hapax::operator==;  // For std::variant and others, which look where the records are.

enum class Light : std::uint8_t { red, green };
constexpr bool is_valid(Light light) { return light <= Light::green; }

struct Empty {
  HAPAX_RECORD(Empty)
};
struct Ask {
  Clock clock{};
  HAPAX_RECORD(Ask, clock)
};
struct Token {
  std::vector<std::pair<NodeId, std::uint64_t>> served;
  std::vector<NodeId> queue;
  HAPAX_RECORD(Token, served, queue)
};
using Message = std::variant<Empty, Ask, Token>;

// Everything that the codec knows, once.
struct Everything {
  Fixed<NodeId> self;
  std::uint8_t small = 0;
  std::uint32_t middle = 0;
  std::uint64_t large = 0;
  bool flag = false;
  Light light = Light::red;
  NodeSet set;
  std::vector<NodeId> list;
  std::optional<Clock> maybe;
  Box<Ask> box;
  Message message;

  HAPAX_RECORD(Everything, self, small, middle, large, flag, light, set, list, maybe, box, message)
};

Everything example() {
  Everything e;
  e.small = 255;
  e.middle = 300;
  e.large = ~std::uint64_t{0};
  e.flag = true;
  e.light = Light::green;
  e.set = {NodeId{2}, NodeId{3}, NodeId{200}};
  e.list = {NodeId{7}, NodeId{0}};
  e.maybe = Clock{128};
  e.box.fill({Clock{5}});
  e.message = Token{{{NodeId{1}, 9}}, {NodeId{4}}};
  return e;
}

template <class T>
std::optional<T> decode_bytes(std::initializer_list<std::uint8_t> bytes) {
  return decode<T>(Bytes{bytes});
}

TEST(Codec, NumbersAreSevenBitsAByteLowestFirst) {
  EXPECT_EQ(encode(0u), Bytes{0});
  EXPECT_EQ(encode(127u), Bytes{127});
  EXPECT_EQ(encode(128u), (Bytes{0x80, 1}));
  EXPECT_EQ(encode(300u), (Bytes{0xac, 2}));
  EXPECT_EQ(encode(std::uint8_t{255}), (Bytes{0xff, 1}));
  EXPECT_EQ(encode(~std::uint64_t{0}),
            (Bytes{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}));
}

TEST(Codec, EveryKindOfFieldHasItsGoldenBytes) {
  EXPECT_EQ(encode(Message{Empty{}}), Bytes{0});
  EXPECT_EQ(encode(Message{Ask{Clock{300}}}), (Bytes{1, 0xac, 2}));
  EXPECT_EQ(encode(NodeSet{NodeId{2}, NodeId{3}, NodeId{200}}), (Bytes{3, 2, 0, 0xc4, 1}));
  EXPECT_EQ(encode(std::optional<Clock>{}), Bytes{0});
  EXPECT_EQ(encode(std::optional{Clock{4}}), (Bytes{1, 4}));
  const Bytes golden{0xff, 1,                                                  // small
                     0xac, 2,                                                  // middle
                     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,  // large
                     1,    1,                                                  // flag, light
                     3,    2,    0,    0xc4, 1,                                // set
                     2,    7,    0,                                            // list
                     1,    0x80, 1,                                            // maybe
                     1,    5,                                                  // box
                     2,    1,    1,    9,    1,    4};                         // message
  EXPECT_EQ(encode(example()), golden);
}

TEST(Codec, WhatIsFixedForAViewIsLeftOut) {
  Everything other = example();
  other.self = {NodeId{99}};
  EXPECT_EQ(encode(other), encode(example()));
  EXPECT_EQ(hash_of(other), hash_of(example()));
}

TEST(Codec, ComesBackFromItsBytes) {
  const auto copy = decode<Everything>(encode(example()));
  ASSERT_TRUE(copy.has_value());
  EXPECT_TRUE(*copy == example());
}

TEST(Codec, EveryTruncationIsRefused) {
  const Bytes bytes = encode(example());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode<Everything>(std::span{bytes}.first(length)).has_value()) << length;
  }
}

TEST(Codec, TrailingBytesAreRefused) {
  Bytes bytes = encode(example());
  bytes.push_back(0);
  EXPECT_FALSE(decode<Everything>(bytes).has_value());
  EXPECT_FALSE(decode_bytes<Empty>({0}).has_value());
  EXPECT_TRUE(decode_bytes<Empty>({}).has_value());
}

TEST(Codec, ANumberPaddedWithZerosIsRefused) {
  EXPECT_TRUE(decode_bytes<std::uint32_t>({0}).has_value());
  EXPECT_FALSE((decode_bytes<std::uint32_t>({0x80, 0}).has_value()));
  EXPECT_FALSE((decode_bytes<std::uint32_t>({0xff, 0x80, 0}).has_value()));
  EXPECT_TRUE((decode_bytes<std::uint32_t>({0xff, 0x80, 1}).has_value()));
}

TEST(Codec, ANumberTooLargeForItsFieldIsRefused) {
  EXPECT_EQ((decode_bytes<std::uint8_t>({0xff, 1})), 255);
  EXPECT_FALSE((decode_bytes<std::uint8_t>({0x80, 2}).has_value()));
  EXPECT_EQ((decode_bytes<std::uint32_t>({0xff, 0xff, 0xff, 0xff, 0x0f})), ~std::uint32_t{0});
  EXPECT_FALSE((decode_bytes<std::uint32_t>({0xff, 0xff, 0xff, 0xff, 0x1f}).has_value()));
  EXPECT_FALSE(
      (decode_bytes<std::uint64_t>({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2})
           .has_value()));
  EXPECT_FALSE(
      (decode_bytes<std::uint64_t>({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1})
           .has_value()));
}

TEST(Codec, AnUnknownTagIsRefused) {
  EXPECT_TRUE((decode_bytes<Message>({1, 5}).has_value()));
  for (unsigned tag = 3; tag < 256; ++tag) {
    EXPECT_FALSE((decode_bytes<Message>({static_cast<std::uint8_t>(tag), 0, 0}).has_value()))
        << tag;
    EXPECT_FALSE((decode_bytes<Message>({static_cast<std::uint8_t>(tag)}).has_value())) << tag;
  }
}

TEST(Codec, AnEnumOutOfRangeIsRefused) {
  EXPECT_EQ(decode_bytes<Light>({1}), Light::green);
  EXPECT_FALSE(decode_bytes<Light>({2}).has_value());
}

TEST(Codec, ABoolIsZeroOrOne) {
  EXPECT_EQ(decode_bytes<bool>({1}), true);
  EXPECT_FALSE(decode_bytes<bool>({2}).has_value());
  EXPECT_FALSE((decode_bytes<std::optional<Clock>>({2, 0}).has_value()));
  EXPECT_FALSE((decode_bytes<Box<Ask>>({2, 0}).has_value()));
}

// Counts its reservations, and refuses to hold anything.
struct Counted {
  using value_type = std::uint64_t;
  static inline std::size_t largest_reserved = 0;
  std::vector<std::uint64_t> items;
  void reserve(std::size_t n) { largest_reserved = std::max(largest_reserved, n); }
  std::uint64_t& emplace_back() { return items.emplace_back(); }
  void clear() { items.clear(); }
  std::size_t size() const { return items.size(); }
  auto begin() const { return items.begin(); }
  auto end() const { return items.end(); }
};

TEST(Codec, AHugeCountIsRefusedBeforeAnythingIsAllocated) {
  Counted::largest_reserved = 0;
  EXPECT_FALSE((decode_bytes<Counted>({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0})
                    .has_value()));
  EXPECT_FALSE((decode_bytes<Counted>({0x80, 0x80, 0x80, 0x80, 8, 1, 2, 3}).has_value()));
  EXPECT_FALSE((decode_bytes<Counted>({4, 1, 2, 3}).has_value()));
  EXPECT_EQ(Counted::largest_reserved, 0u);
  EXPECT_TRUE((decode_bytes<Counted>({3, 1, 2, 3}).has_value()));
  EXPECT_EQ(Counted::largest_reserved, 3u);
}

TEST(Codec, AFewBytesCannotMakeASetOfHalfAGigabyte) {
  EXPECT_TRUE((decode_bytes<NodeSet>({1, 0xff, 0xff, 0xff, 7}).has_value())) << "id 2^24 - 1";
  EXPECT_FALSE((decode_bytes<NodeSet>({1, 0x80, 0x80, 0x80, 8}).has_value())) << "id 2^24";
  EXPECT_FALSE((decode_bytes<NodeSet>({2, 1, 0xff, 0xff, 0xff, 0xff, 0x0f}).has_value()))
      << "the sum runs over";
  EXPECT_FALSE((decode_bytes<NodeSet>({3, 1, 1}).has_value())) << "fewer bytes than members";
}

TEST(Codec, ReadingReplacesWhatWasThere) {
  Everything copy = example();
  const Bytes bytes = encode(Everything{});
  Decoder decoder{bytes};
  ASSERT_TRUE(decoder.read(copy));
  EXPECT_TRUE(decoder.at_end());
  EXPECT_TRUE(copy == Everything{});
}

TEST(Codec, BoostVectorsAreWrittenLikeStandardOnes) {
  const boost::container::vector<NodeId> compact{NodeId{5}, NodeId{9}};
  EXPECT_EQ(encode(compact), encode(std::vector{NodeId{5}, NodeId{9}}));
}

TEST(Codec, HashesTellWhatDiffersInOneFieldAndAgreeOnEquals) {
  const Everything base = example();
  EXPECT_EQ(hash_of(base), hash_of(example()));
  Everything other = base;
  other.list.push_back(NodeId{0});
  EXPECT_NE(hash_of(base), hash_of(other));
  other = base;
  other.flag = false;
  EXPECT_NE(hash_of(base), hash_of(other));
  other = base;
  other.message = Empty{};
  EXPECT_NE(hash_of(base), hash_of(other));
}

TEST(Codec, TheHashIsTheSameOnEveryMachine) {
  EXPECT_EQ(hash_of(std::uint64_t{0}), 0x25fc6dd36ce04b20);
  EXPECT_EQ(hash_of(example()), 0x96b4c798018c9caf);
}

Everything draw() {
  Everything e;
  e.small = *rc::gen::arbitrary<std::uint8_t>();
  e.middle = *rc::gen::arbitrary<std::uint32_t>();
  e.large = *rc::gen::oneOf(
      rc::gen::arbitrary<std::uint64_t>(),
      rc::gen::map(rc::gen::inRange(0, 64), [](int bits) { return std::uint64_t{1} << bits; }));
  e.flag = *rc::gen::arbitrary<bool>();
  e.light = *rc::gen::element(Light::red, Light::green);
  for (const std::uint32_t id : *rc::gen::container<std::vector<std::uint32_t>>(
           rc::gen::oneOf(rc::gen::inRange(0u, 70u), rc::gen::inRange(0u, 100'000u)))) {
    e.set.insert(NodeId{id});
    e.list.push_back(NodeId{id});
  }
  if (*rc::gen::arbitrary<bool>()) e.maybe = Clock{e.large};
  if (*rc::gen::arbitrary<bool>()) e.box.fill({Clock{e.middle}});
  if (*rc::gen::arbitrary<bool>()) e.message = Ask{Clock{e.small}};
  return e;
}

RC_GTEST_PROP(Codec, DecodeUndoesEncode, ()) {
  const Everything value = draw();
  const auto copy = decode<Everything>(encode(value));
  RC_ASSERT(copy.has_value());
  RC_ASSERT((*copy == value));
  RC_ASSERT(hash_of(*copy) == hash_of(value));
}

RC_GTEST_PROP(Codec, EqualBytesMeanEqualValues, ()) {
  const Everything a = draw();
  const Everything b = draw();
  RC_ASSERT((encode(a) == encode(b)) == (a == b));
}

// Whatever is accepted is exactly what encode() writes.
RC_GTEST_PROP(Codec, AnyBytesAreRefusedOrCanonical, (Bytes bytes)) {
  if (const auto value = decode<Message>(bytes)) RC_ASSERT(encode(*value) == bytes);
  if (const auto value = decode<NodeSet>(bytes)) RC_ASSERT(encode(*value) == bytes);
  if (const auto value = decode<Everything>(bytes)) RC_ASSERT(encode(*value) == bytes);
}

RC_GTEST_PROP(Codec, ASpoiltByteIsRefusedOrGivesAnotherValue, ()) {
  const Everything value = draw();
  Bytes bytes = encode(value);
  const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  const auto flip = *rc::gen::inRange(1, 256);
  bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ flip);
  const auto spoilt = decode<Everything>(bytes);
  if (spoilt) RC_ASSERT(encode(*spoilt) == bytes);
  RC_ASSERT(!spoilt || !(*spoilt == value));
}

// --- versions ---

struct Grown {
  std::uint32_t clock = 0;
  Since<3, std::string> name{};
  bool last = false;
  HAPAX_RECORD(Grown, clock, name, last)
};
struct Newcomer {
  static constexpr std::uint32_t kSince = 3;
  std::uint32_t what = 0;
  HAPAX_RECORD(Newcomer, what)
};
using Said = std::variant<Grown, Newcomer>;

Bytes in_version(const Said& said, std::uint32_t version) {
  Bytes bytes;
  encode_to(bytes, said, version);
  return bytes;
}
std::optional<Said> read_in(const Bytes& bytes, std::uint32_t version) {
  std::optional<Said> said{std::in_place};
  Decoder decoder{bytes, version};
  if (!decoder.read(*said) || !decoder.at_end()) return std::nullopt;
  return said;
}

TEST(Codec, AFieldIsThereSinceItsVersion) {
  const Grown grown{5, std::string{"ab"}, true};
  EXPECT_EQ(in_version(grown, 2), (Bytes{0, 5, 1}));
  EXPECT_EQ(in_version(grown, 3), (Bytes{0, 5, 2, 'a', 'b', 1}));
  EXPECT_EQ(encode(Said{grown}), in_version(grown, 4)) << "elsewhere all of it exists";
  EXPECT_TRUE(*read_in({0, 5, 1}, 2) == Said{(Grown{5, {}, true})});
  EXPECT_TRUE(*read_in({0, 5, 2, 'a', 'b', 1}, 3) == Said{grown});
}

TEST(Codec, BytesOfAnotherVersionAreRefused) {
  EXPECT_FALSE(read_in({0, 5, 2, 'a', 'b', 1}, 2));
  EXPECT_FALSE(read_in({0, 5, 1}, 3));
}

TEST(Codec, AnAlternativeIsThereSinceItsVersion) {
  EXPECT_EQ(in_version(Newcomer{7}, 3), (Bytes{1, 7}));
  EXPECT_TRUE(*read_in({1, 7}, 3) == Said{Newcomer{7}});
  EXPECT_FALSE(read_in({1, 7}, 2));
  EXPECT_EQ(first_version_of(Said{Newcomer{7}}), 3u);
  EXPECT_EQ(first_version_of(Said{Grown{}}), 0u);
  EXPECT_DEATH(in_version(Newcomer{7}, 2), "first_version_of");
}

}  // namespace
}  // namespace hapax
