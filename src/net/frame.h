// What members say to each other, as bytes: four bytes of length (little-endian), then one of the
// records below through the codec. Messages travel inside a Data, each with its length before it
// and its bytes as they are: the only part of a frame that the codec does not see.
//
// Members of neighbouring versions understand each other. Who dials names a version, and from the
// answer on both write the records as that version has them: a field with Since, or a record with
// kSince, is not in earlier ones.
//
// Pure. Bytes come from strangers: a length is checked before anything is allocated for it, and
// what write_frame() would not have written is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/record.h"
#include "base/seat.h"
#include "net/stats.h"
#include "wire/codec.h"

namespace hapax::net {

inline constexpr std::uint32_t kProtocolVersion = 3;
inline constexpr std::uint32_t kOldestVersion = 2;  // That we speak, too.
// What a dialler's Hello looks like, for ever, whatever version it names: so that everybody can
// read it, and refuse a version by name.
inline constexpr std::uint32_t kGreetingVersion = 2;
inline constexpr std::size_t kLengthBytes = 4;
inline constexpr std::size_t kLargestGreeting =
    2048;  // The frame limit until both know each other.
inline constexpr std::size_t kLongestGroup = 64;
inline constexpr std::size_t kLongestSettings = 512;
inline constexpr std::size_t kLongestRelease = 64;
inline constexpr std::size_t kLongestBye = 1280;  // Twice the settings, and what is said of them.
inline constexpr std::size_t kDataOverhead = 64;  // More than a Data costs besides its message.

constexpr bool is_valid(Drop drop) { return static_cast<std::size_t>(drop) < kDrops; }

// The first frame of either side; the one who dialled speaks first. `seen` is the incarnation of
// the addressed member that the sender has been in touch with (0: none), and `received` the number
// of the last message that it has from that incarnation. `nonce` is fresh in every connection; the
// other side repeats it, so that a recorded conversation cannot be played to it again. `release` is
// what the sender runs; the dialler says it in its Confirm.
struct Hello {
  std::uint32_t version = kProtocolVersion;
  Bytes group;
  Bytes settings;  // What all members must have in common, as people read it.
  Seat from{};
  std::uint64_t incarnation = 0;
  Seat to{};
  std::uint64_t seen = 0;
  std::uint64_t received = 0;
  std::uint64_t attempt = 0;  // Grows with every connection that this incarnation dials.
  std::uint64_t nonce = 0;
  std::uint64_t echo = 0;  // The nonce being answered; 0 in the dialler's.
  Since<3, std::string> release{};

  HAPAX_RECORD(Hello, version, group, settings, from, incarnation, to, seen, received, attempt,
               nonce, echo, release)
};
// The dialler's answer to the other's Hello. From here on both may send.
struct Confirm {
  std::uint64_t echo = 0;
  Since<3, std::string> release{};

  HAPAX_RECORD(Confirm, echo, release)
};
// Messages `first`, `first`+1, …; everything up to `ack` has been received.
struct Data {
  std::uint64_t first = 0;
  std::uint64_t ack = 0;

  HAPAX_RECORD(Data, first, ack)
};
// Everything up to `ack` has been received. Also a sign of life if there is nothing to say.
struct Ack {
  std::uint64_t ack = 0;

  HAPAX_RECORD(Ack, ack)
};
// The last frame: why the connection ends (nothing: the sender stops), and in words.
struct Bye {
  std::optional<Drop> why;
  Bytes text{};

  HAPAX_RECORD(Bye, why, text)
};

using Content = std::variant<Hello, Confirm, Data, Ack, Bye>;

struct Frame {
  Content content;
  std::span<const std::uint8_t> messages;  // Of a Data, with their lengths; else empty.
  std::uint64_t count = 0;                 // How many they are. Invariant: 1 or more in a Data.
};

// The frame with that body (without its length); nothing if no member would write it in that
// version.
std::optional<Frame> decode_frame(std::span<const std::uint8_t> body,
                                  std::uint32_t version = kProtocolVersion);

// The next message of a Data. REQUIRES: `messages` is of a decoded frame and not used up.
std::span<const std::uint8_t> take_message(std::span<const std::uint8_t>& messages);

// Appends a frame. Of a Data, `messages` are its messages with their lengths. (Data, Ack and Bye
// are alike in all versions that we speak.)
void write_frame(Bytes& out, const Content& content, std::span<const std::uint8_t> messages = {},
                 std::uint32_t version = kProtocolVersion);

// Appends one message with its length before it.
void write_message(Bytes& out, std::span<const std::uint8_t> message);

// Finds the frames in a stream that arrives in pieces. The buffer is reused, and grows no faster
// than bytes come in and never beyond one frame of the largest size.
class FrameReader {
 public:
  explicit FrameReader(std::size_t largest_frame);

  // Larger frames are welcome from here on, and room for many of them at a time.
  void allow(std::size_t largest_frame);

  // Where the next bytes go, never empty; then how many came.
  // REQUIRES: next() has said `more` since the last commit().
  std::span<std::uint8_t> room();
  void commit(std::size_t count);

  enum class Found { frame, more, oversized, empty };
  // `body` is valid until room() is called.
  Found next(std::span<const std::uint8_t>& body);

  std::size_t capacity() const { return buffer_.size(); }

 private:
  static constexpr std::size_t kRoom = std::size_t{64} << 10;

  std::size_t largest_;
  Bytes buffer_;
  std::size_t begin_ = 0;  // Invariant: begin_ <= end_ <= buffer_.size().
  std::size_t end_ = 0;
};

}  // namespace hapax::net
