#include "net/frame.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "base/prng.h"

namespace hapax::net {
namespace {

using Found = FrameReader::Found;

Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }

Hello hello() {
  return {kProtocolVersion,  bytes("orders"), bytes("two"), Seat{2}, 77, Seat{0}, 55, 9, 4, 11, 12,
          std::string{"0.9"}};
}

Bytes frame_of(const Content& content, std::span<const std::uint8_t> messages = {}) {
  Bytes out;
  write_frame(out, content, messages);
  return out;
}

std::optional<Frame> decoded(const Bytes& frame) {
  return decode_frame(std::span{frame}.subspan(kLengthBytes));
}

// What a reader makes of `stream` if it comes in pieces of `piece` bytes.
std::vector<Bytes> read_in_pieces(const Bytes& stream, std::size_t piece, std::size_t largest) {
  FrameReader reader{largest};
  std::vector<Bytes> bodies;
  for (std::size_t at = 0; at < stream.size();) {
    const std::span<std::uint8_t> room = reader.room();
    const std::size_t count = std::min({piece, room.size(), stream.size() - at});
    std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), count, room.begin());
    reader.commit(count);
    at += count;
    std::span<const std::uint8_t> body;
    Found found = reader.next(body);
    for (; found == Found::frame; found = reader.next(body)) {
      bodies.emplace_back(body.begin(), body.end());
    }
    EXPECT_EQ(found, Found::more);
    EXPECT_LE(reader.capacity(), largest + kLengthBytes);
  }
  return bodies;
}

TEST(Frame, HasTheseBytes) {
  EXPECT_EQ(frame_of(Ack{5}), (Bytes{2, 0, 0, 0, 3, 5}));
  EXPECT_EQ(frame_of(Confirm{300, std::string{"x"}}), (Bytes{5, 0, 0, 0, 1, 0xac, 0x02, 1, 'x'}));
  EXPECT_EQ(frame_of(Bye{Drop::wrong_group, bytes("x")}), (Bytes{5, 0, 0, 0, 4, 1, 2, 1, 'x'}));
  EXPECT_EQ(frame_of(Bye{std::nullopt, {}}), (Bytes{3, 0, 0, 0, 4, 0, 0}));
  Bytes messages;
  write_message(messages, bytes("ab"));
  write_message(messages, bytes("\xff"));
  EXPECT_EQ(frame_of(Data{7, 6}, messages), (Bytes{8, 0, 0, 0, 2, 7, 6, 2, 'a', 'b', 1, 0xff}));
  EXPECT_EQ(frame_of(hello()),
            (Bytes{25,  0,   0, 0,  0, 3,  6, 'o', 'r', 'd', 'e', 'r', 's', 3,  't',
                   'w', 'o', 2, 77, 0, 55, 9, 4,   11,  12,  3,   '0', '.', '9'}));
}

// Members of the release before know these bytes, and those of later ones will.
TEST(Frame, HadTheseBytesInVersion2) {
  Bytes out;
  write_frame(out, hello(), {}, 2);
  const Bytes greeting{21, 0,   0,   0,   0, 3,  6, 'o', 'r', 'd', 'e', 'r', 's',
                       3,  't', 'w', 'o', 2, 77, 0, 55,  9,   4,   11,  12};
  EXPECT_EQ(out, greeting) << "it names version 3, for anybody to read";
  EXPECT_EQ(std::get<Hello>(decode_frame(std::span{out}.subspan(kLengthBytes), 2)->content).version,
            3u);
  EXPECT_FALSE(decode_frame(std::span{out}.subspan(kLengthBytes), 3));
  out.clear();
  write_frame(out, Confirm{300, std::string{"x"}}, {}, 2);
  EXPECT_EQ(out, (Bytes{3, 0, 0, 0, 1, 0xac, 0x02}));
  EXPECT_FALSE(decode_frame(std::span{out}.subspan(kLengthBytes), 3));
}

TEST(Frame, AfterTheGreetingAllVersionsAreAlike) {
  Bytes messages;
  write_message(messages, bytes("ab"));
  for (const Content& content : {Content{Ack{5}}, Content{Data{7, 6}}, Content{Bye{Drop::taken}}}) {
    const bool is_data = std::holds_alternative<Data>(content);
    Bytes before, now;
    write_frame(before, content,
                is_data ? std::span<const std::uint8_t>{messages} : std::span<const std::uint8_t>{},
                kOldestVersion);
    write_frame(
        now, content,
        is_data ? std::span<const std::uint8_t>{messages} : std::span<const std::uint8_t>{});
    EXPECT_EQ(before, now);
  }
}

TEST(Frame, ComesBackAsItWent) {
  const std::optional<Frame> frame = decoded(frame_of(hello()));
  ASSERT_TRUE(frame);
  EXPECT_TRUE(std::get<Hello>(frame->content) == hello());
  Bytes messages;
  write_message(messages, bytes("one"));
  write_message(messages, bytes(""));
  const Bytes data_bytes = frame_of(Data{7, 6}, messages);
  std::optional<Frame> data = decoded(data_bytes);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->count, 2u);
  EXPECT_EQ(take_message(data->messages).size(), 3u);
  EXPECT_EQ(take_message(data->messages).size(), 0u);
  EXPECT_TRUE(data->messages.empty());
}

TEST(Frame, RefusesWhatNoMemberWrites) {
  EXPECT_FALSE(decode_frame(Bytes{}));
  EXPECT_FALSE(decode_frame(Bytes{5})) << "unknown record";
  EXPECT_FALSE(decode_frame(Bytes{3, 5, 0})) << "trailing byte";
  EXPECT_FALSE(decode_frame(Bytes{3, 0x85, 0})) << "padded number";
  EXPECT_FALSE(decode_frame(Bytes{2, 7, 6})) << "a Data without a message";
  EXPECT_FALSE(decode_frame(Bytes{2, 7, 6, 2, 'a'})) << "a message cut short";
  EXPECT_FALSE(decode_frame(Bytes{4, 1, 11, 0})) << "unknown reason";
  EXPECT_FALSE(decoded(frame_of(Bye{Drop::replay, Bytes(kLongestBye + 1)})));
  Hello nobody = hello();
  nobody.settings = Bytes(kLongestSettings + 1);
  EXPECT_FALSE(decoded(frame_of(nobody)));
  nobody = hello();
  nobody.group.clear();
  EXPECT_FALSE(decoded(frame_of(nobody)));
  nobody.group.assign(kLongestGroup + 1, 'x');
  EXPECT_FALSE(decoded(frame_of(nobody)));
  nobody = hello();
  nobody.release = std::string(kLongestRelease + 1, 'x');
  EXPECT_FALSE(decoded(frame_of(nobody)));
  EXPECT_FALSE(decoded(frame_of(Confirm{1, std::string(kLongestRelease + 1, 'x')})));
  Hello unborn = hello();
  unborn.incarnation = 0;
  EXPECT_FALSE(decoded(frame_of(unborn)));
}

TEST(Frame, RefusesEveryTruncation) {
  Bytes messages;
  write_message(messages, bytes("payload"));
  for (const Bytes& frame :
       {frame_of(hello()), frame_of(Confirm{1u << 20}), frame_of(Ack{300}),
        frame_of(Data{7, 6}, messages), frame_of(Bye{Drop::replay, bytes("again")})}) {
    for (std::size_t length = 0; length + kLengthBytes < frame.size(); ++length) {
      EXPECT_FALSE(decode_frame(std::span{frame}.subspan(kLengthBytes, length)));
    }
  }
}

TEST(FrameReader, FindsFramesHoweverTheyArrive) {
  Bytes stream;
  std::vector<Bytes> expected;
  Prng prng{1};
  for (int i = 0; i < 50; ++i) {
    Bytes messages;
    write_message(messages, Bytes(prng.below(900), 'x'));
    const Bytes frame = frame_of(Data{7, 6}, messages);
    expected.emplace_back(frame.begin() + kLengthBytes, frame.end());
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 64u, 1000u, 100000u}) {
    EXPECT_EQ(read_in_pieces(stream, piece, 1000), expected) << piece;
  }
}

TEST(FrameReader, ChecksTheLengthBeforeTheBodyIsThere) {
  FrameReader reader{100};
  const Bytes lengths[] = {{101, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff}};
  for (const Bytes& length : lengths) {
    FrameReader fresh{100};
    std::copy(length.begin(), length.end(), fresh.room().begin());
    fresh.commit(length.size());
    std::span<const std::uint8_t> body;
    EXPECT_EQ(fresh.next(body), Found::oversized);
    EXPECT_LE(fresh.capacity(), 104u);
  }
  std::fill_n(reader.room().begin(), 4, std::uint8_t{0});
  reader.commit(4);
  std::span<const std::uint8_t> body;
  EXPECT_EQ(reader.next(body), Found::empty);
}

TEST(FrameReader, GrowsOnlyAsBytesComeIn) {
  FrameReader reader{std::size_t{1} << 24};
  const Bytes length{0, 0, 0, 1};  // 16 MiB are promised.
  std::copy(length.begin(), length.end(), reader.room().begin());
  reader.commit(4);
  std::size_t came = 4;
  std::span<const std::uint8_t> body;
  while (came < (std::size_t{1} << 20)) {
    ASSERT_EQ(reader.next(body), Found::more);
    const std::size_t count = reader.room().size();
    reader.commit(count);
    came += count;
    EXPECT_LE(reader.capacity(), std::max(2 * came, (std::size_t{64} << 10) + 4));
  }
}

RC_GTEST_PROP(Frame, RandomBytesEitherDecodeToThemselvesOrNotAtAll, (const Bytes& body)) {
  const std::optional<Frame> frame = decode_frame(body);
  if (!frame) return;
  const Bytes again = frame_of(frame->content, frame->messages);
  RC_ASSERT(std::equal(body.begin(), body.end(), again.begin() + kLengthBytes, again.end()));
}

}  // namespace
}  // namespace hapax::net
