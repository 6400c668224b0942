// What may name a lock, and where in a view it is at home.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace hapax {

inline constexpr std::size_t kLongestLockName = 512;  // Bytes.

// Valid UTF-8, 1 … 512 bytes, no control characters; an error says what is wrong and where.
Result<void> check_lock_name(std::string_view name);

// FNV-1a over the bytes, 64 bits (offset basis 0xcbf29ce484222325, prime 0x100000001b3), finished
// by splitmix64's mixer, since the low bits of FNV alone are poor. Fixed for ever: members on
// different machines must agree on it.
std::uint64_t hash_of_lock(std::string_view name);

// The member where the idle token, permission or coordinator of the lock is as a view starts.
inline NodeId home_of(std::string_view name, std::uint32_t size) {
  return NodeId{static_cast<std::uint32_t>(hash_of_lock(name) % size)};
}

}  // namespace hapax
