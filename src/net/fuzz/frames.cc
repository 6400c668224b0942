// Bytes of a stranger through everything that reads them before and after a greeting.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/match.h"
#include "base/testing/fuzz.h"
#include "net/frame.h"
#include "net/greeting.h"
#include "net/link.h"

namespace hapax::net {
namespace {

constexpr std::size_t kLargest = 4096;

// A link with three messages out and one in, so that acknowledgements and duplicates mean
// something.
Link busy_link() {
  Link link{10, {kLargest, 4 * kLargest, 100}};
  HAPAX_CHECK(link.meet(20, 0, 0) == Link::Meeting::first);
  const Bytes message{'a'};
  for (int i = 0; i < 3; ++i) HAPAX_CHECK(link.push(message));
  Bytes out;
  link.write(out, kLargest);
  HAPAX_CHECK((link.receive(Data{1, 0}, 1, 2) == std::uint64_t{0}));
  return link;
}

void check_encodes_to(const Frame& frame, std::span<const std::uint8_t> body,
                      std::uint32_t version) {
  Bytes again;
  write_frame(again, frame.content, frame.messages, version);
  HAPAX_CHECK(std::equal(body.begin(), body.end(), again.begin() + kLengthBytes, again.end()));
}

void take(Link& link, Frame& frame) {
  const std::uint64_t received = link.received();
  match(
      frame.content,
      [&](const Data& data) {
        const auto known = link.receive(data, frame.count, frame.messages.size());
        std::size_t seen = 0;
        for (std::uint64_t i = 0; i < frame.count; ++i) seen += take_message(frame.messages).size();
        HAPAX_CHECK(seen <= kLargest);
        HAPAX_CHECK(frame.messages.empty());
        HAPAX_CHECK(link.received() == received + (known ? frame.count - *known : 0));
      },
      [&](const Ack& ack) {
        const bool possible = link.receive(ack);
        HAPAX_CHECK((!possible || ack.ack <= 3));
      },
      [&](const Hello& hello) {
        const Identity me{Seat{0}, 3, {'t'}, {'s'}, 10};
        if (objection(me, hello, std::nullopt, std::nullopt)) return;
        HAPAX_CHECK(hello.from != me.self);
        link.meet(hello.incarnation, hello.seen, hello.received);
      },
      [](const Confirm&) {}, [](const Bye& bye) { (void)words_of(bye); });
  HAPAX_CHECK(link.unacknowledged() <= 3);
}

void read_all(std::span<const std::uint8_t> bytes, std::size_t piece, std::uint32_t version) {
  FrameReader reader{kLargest};
  Link link = busy_link();
  while (!bytes.empty()) {
    const std::span<std::uint8_t> room = reader.room();
    const std::size_t count = std::min({piece, room.size(), bytes.size()});
    std::copy_n(bytes.begin(), count, room.begin());
    reader.commit(count);
    bytes = bytes.subspan(count);
    std::span<const std::uint8_t> body;
    FrameReader::Found found = reader.next(body);
    for (; found == FrameReader::Found::frame; found = reader.next(body)) {
      std::optional<Frame> frame = decode_frame(body, version);
      if (!frame) return;
      check_encodes_to(*frame, body, version);
      take(link, *frame);
    }
    if (found != FrameReader::Found::more) return;
    HAPAX_CHECK(reader.capacity() <= kLargest + kLengthBytes);
  }
}

}  // namespace
}  // namespace hapax::net

// The first byte says in what pieces the others arrive; in each version that we speak.
HAPAX_FUZZ(frames, 50'000) {
  using namespace hapax::net;
  if (input.empty()) return;
  for (std::uint32_t version = kOldestVersion; version <= kProtocolVersion; ++version) {
    read_all(input.subspan(1), std::size_t{input[0]} + 1, version);
  }
}
