// What members write to one another about locks: which algorithm, which lock, and its message.
//
//   tag      1 byte    AlgorithmId; with tags::kWakeBit: a WAKE, and nothing after the name
//   length   2 bytes   of the name, little endian
//   name     length bytes
//   message  the rest  as wire/codec.h writes the algorithm's Message
//
// A WAKE asks the home of a lock whose token goes round to send it on its way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/mutex_info.h"
#include "wire/codec.h"
#include "wire/tags.h"

namespace hapax {

// Far more than any message needs; a token that lists 50,000 members has less.
inline constexpr std::size_t kLargestPayload = 1 << 20;

struct LockPayload {
  std::uint8_t tag = 0;  // Without the WAKE bit. Not yet looked at: maybe no AlgorithmId.
  bool wake = false;
  std::string_view name;                  // Not yet looked at, but for its length.
  std::span<const std::uint8_t> message;  // Not yet looked at.
};

// Divides; nothing if there is no telling where. The parts live as long as `bytes`.
std::optional<LockPayload> divide_payload(std::span<const std::uint8_t> bytes);

// REQUIRES: check_lock_name(name).
void append_header(Bytes& bytes, AlgorithmId algorithm, bool wake, std::string_view name);

template <class Message>
void append_payload(Bytes& bytes, AlgorithmId algorithm, std::string_view name,
                    const Message& message) {
  append_header(bytes, algorithm, false, name);
  encode_to(bytes, message);
}

}  // namespace hapax
