// What members write to one another about elections.
//
//   tag       1 byte    tags::kElection
//   kind      1 byte    ElectionPayload::Kind
//   election  1 byte    ElectionId of the sender: members with different ones find out
//   body      the rest  as its kind says
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "campaigns/election_id.h"
#include "wire/codec.h"
#include "wire/tags.h"

namespace hapax {

struct ElectionPayload {
  enum class Kind : std::uint8_t {
    ballot,     // Of the election of the coordinator: a message of the algorithm.
    vote,       // The receiver is the sender's coordinator for this epoch. No body.
    appointed,  // The sender has everybody's vote. No body.
    life,       // The sender's number for this life of the link.
    call        // Of the election among those that reach each other: the receiver's number for the
                // life of the link, and a message of the algorithm.
  };
  static constexpr std::uint8_t kKinds = 5;

  Kind kind{};
  std::uint8_t election = 0;           // Not yet looked at: maybe no ElectionId.
  std::span<const std::uint8_t> body;  // Not yet looked at.
};

inline bool is_election(std::span<const std::uint8_t> payload) {
  return !payload.empty() && payload[0] == tags::kElection;
}

// Divides; nothing if there is no such kind. REQUIRES: is_election(bytes).
inline std::optional<ElectionPayload> divide_election(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 3 || bytes[1] >= ElectionPayload::kKinds) return std::nullopt;
  return ElectionPayload{static_cast<ElectionPayload::Kind>(bytes[1]), bytes[2], bytes.subspan(3)};
}

inline void append_election(Bytes& bytes, ElectionPayload::Kind kind, ElectionId election) {
  bytes.insert(bytes.end(), {tags::kElection, static_cast<std::uint8_t>(kind), number(election)});
}

}  // namespace hapax
