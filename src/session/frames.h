// Records of a session as frames in a stream of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "session/protocol.h"
#include "wire/codec.h"

namespace hapax::session {

// Appends the frame as that version has it; or nothing, and false, if it is longer than any reader
// takes. REQUIRES: it exists in that version.
template <class Record>
[[nodiscard]] bool write_frame(Bytes& out, const Record& record, std::uint32_t version = kVersion) {
  const std::size_t start = out.size();
  out.resize(start + kLengthBytes);
  encode_to(out, record, version);
  const std::size_t length = out.size() - start - kLengthBytes;
  if (length > kLargestAnswer) {
    out.resize(start);
    return false;
  }
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    out[start + i] = static_cast<std::uint8_t>(length >> (8 * i));
  }
  return true;
}

// How long the frame at the front of what a client says may be: only one that puts a file is long.
inline std::size_t largest_ask(std::span<const std::uint8_t> bytes, std::uint32_t version) {
  constexpr auto kPut = []<std::size_t... I>(std::index_sequence<I...>) {
    return ((std::is_same_v<std::variant_alternative_t<I, Ask>, FilePut> ? I : 0) + ...);
  }(std::make_index_sequence<std::variant_size_v<Ask>>{});
  const bool may_be_put = bytes.size() <= kLengthBytes || bytes[kLengthBytes] == kPut;
  return version >= FilePut::kSince && may_be_put ? kLargestPut : kLargestAsk;
}

enum class Taken { record, more, malformed };

// Takes the first frame off `bytes` if all of it is there. Longer ones than `largest` are
// malformed, and so is everything that write_frame() would not have written in that version.
template <class Record>
Taken take_frame(std::span<const std::uint8_t>& bytes, std::size_t largest, Record& record,
                 std::uint32_t version = kVersion) {
  if (bytes.size() < kLengthBytes) return Taken::more;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) length |= std::size_t{bytes[i]} << (8 * i);
  if (length == 0 || length > largest) return Taken::malformed;
  if (bytes.size() < kLengthBytes + length) return Taken::more;
  Decoder decoder{bytes.subspan(kLengthBytes, length), version};
  if (!decoder.read(record) || !decoder.at_end()) return Taken::malformed;
  bytes = bytes.subspan(kLengthBytes + length);
  return Taken::record;
}

}  // namespace hapax::session
