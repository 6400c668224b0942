// What daemons tell each other besides what the algorithms do: who holds and who waits, for people.
// As payload of the mesh: kGossip, which is no algorithm's tag, then the record.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/record.h"
#include "session/protocol.h"
#include "wire/codec.h"

namespace hapax {

inline constexpr std::uint8_t kGossip = 0x7f;

// Tell me your locks. An empty name: all of them.
struct AskLocks {
  std::uint64_t question = 0;
  std::string name;
  HAPAX_RECORD(AskLocks, question, name)
};
struct TellLocks {
  std::uint64_t question = 0;
  std::vector<session::Lock> locks;  // As the teller sees them: its own holders and waiters.
  HAPAX_RECORD(TellLocks, question, locks)
};
using Gossip = std::variant<AskLocks, TellLocks>;

inline Bytes gossip_payload(const Gossip& gossip) {
  Bytes bytes{kGossip};
  encode_to(bytes, gossip);
  return bytes;
}

inline bool is_gossip(std::span<const std::uint8_t> payload) {
  return !payload.empty() && payload[0] == kGossip;
}

inline std::optional<Gossip> gossip_of(std::span<const std::uint8_t> payload) {
  return decode<Gossip>(payload.subspan(1));
}

}  // namespace hapax
