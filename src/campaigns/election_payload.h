// What members write to one another about who leads those that reach each other.
//
//   tag   1 byte    tags::kElection
//   kind  1 byte    ElectionPayload::Kind
//   body  the rest  as its kind says
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "wire/codec.h"
#include "wire/tags.h"

namespace hapax {

struct ElectionPayload {
  enum class Kind : std::uint8_t {
    life,  // The sender's number for this life of the link.
    call   // The receiver's number for the life of the link, and a message of the algorithm.
  };
  static constexpr std::uint8_t kKinds = 2;

  Kind kind{};
  std::span<const std::uint8_t> body;  // Not yet looked at.
};

inline bool is_election(std::span<const std::uint8_t> payload) {
  return !payload.empty() && payload[0] == tags::kElection;
}

// Divides; nothing if there is no such kind. REQUIRES: is_election(bytes).
inline std::optional<ElectionPayload> divide_election(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 2 || bytes[1] >= ElectionPayload::kKinds) return std::nullopt;
  return ElectionPayload{static_cast<ElectionPayload::Kind>(bytes[1]), bytes.subspan(2)};
}

inline void append_election(Bytes& bytes, ElectionPayload::Kind kind) {
  bytes.insert(bytes.end(), {tags::kElection, static_cast<std::uint8_t>(kind)});
}

}  // namespace hapax
