// The first byte of what members write to one another. Of what may come in the same place no two
// kinds share a number, and a number is never used again for something else.
//
// Between members of a group on an engine a message of the mesh begins with kReport, kInView or
// kBetweenDaemons; what is kInView has a payload of the lock table behind its header, with a tag of
// its own. In a group with a fixed list there is but one view, and such a payload is the message.
#pragma once

#include <cstdint>

namespace hapax::tags {

// --- a message about views (service/view_frame.h) ---
inline constexpr std::uint8_t kReport = 0x01;
inline constexpr std::uint8_t kInView = 0x02;

// --- a payload of the lock table (locks/lock_payload.h): an algorithm's number on the wire ---
inline constexpr std::uint8_t kLastAlgorithm = 0x3f;
inline constexpr std::uint8_t kWakeBit = 0x80;  // On top of the algorithm's.

// --- either ---
inline constexpr std::uint8_t kElection = 0x7e;        // campaigns/election_payload.h
inline constexpr std::uint8_t kBetweenDaemons = 0x7f;  // campaigns/peer_message.h

}  // namespace hapax::tags
