// What a mesh counts. Nothing that a stranger sends goes further than a number in here and, once
// per reason and peer, a line in the log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hapax::net {

// Why a connection or a message was dropped.
enum class Drop : std::uint8_t {
  stranger,        // Not a member, no or another member's certificate, or dialling the wrong way.
  wrong_version,   // Speaks another version of the protocol.
  wrong_group,     // A member of another group.
  other_settings,  // Was started with another list, other algorithms, …
  taken,           // A member that is connected already, as another process.
  replay,          // An old conversation, an older incarnation, or a message that we have.
  oversized,       // A frame larger than allowed.
  malformed,       // Bytes that no member writes.
  violation,       // Well-formed, but impossible: a gap, an acknowledgement of what was not sent.
  handshake_timeout,  // Did not introduce itself in time.
  too_many,           // More connections than allowed; the oldest unfinished one goes.
};
inline constexpr std::size_t kDrops = 11;

constexpr std::string_view name_of(Drop drop) {
  constexpr std::array<std::string_view, kDrops> kNames{
      "stranger",  "wrong version", "wrong group", "other settings",    "taken",   "replay",
      "oversized", "malformed",     "violation",   "handshake timeout", "too many"};
  return kNames[static_cast<std::size_t>(drop)];
}

struct Stats {
  std::uint64_t messages_in = 0;
  std::uint64_t messages_out = 0;  // Each once, however often it was resent.
  std::uint64_t frames_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t bytes_in = 0;  // On the wire, before TLS.
  std::uint64_t bytes_out = 0;
  std::uint64_t writes = 0;      // How many it took to get them out.
  std::uint64_t connects = 0;    // How often a peer came up …
  std::uint64_t reconnects = 0;  // … of which not for the first time.
  std::uint64_t resent = 0;      // Messages sent again after a cut.
  std::uint64_t forgotten = 0;   // Peers that came back as a new incarnation.
  std::uint64_t overflows = 0;   // Sends refused because the peer is down or too slow.
  std::array<std::uint64_t, kDrops> drops{};

  std::uint64_t dropped(Drop drop) const { return drops[static_cast<std::size_t>(drop)]; }
};

}  // namespace hapax::net
