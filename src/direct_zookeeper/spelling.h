// How contenders spell the znodes of a line. Curator, kazoo and we disagree about the name before
// the sequence number, and each of them looks only for its own: so one of ours has a znode in each
// of their spellings, made all at once, with one GUID. Below the znode of the lock's name:
//
//   _c_GUID-lock-N     Curator's InterProcessMutex       _c_GUID-__READ__N  Curator's readers
//   _c_GUID-__WRIT__N  Curator's writers                 _c_GUID-__rlock__N kazoo's readers
//   _c_GUID-__lock__N  kazoo's Lock and WriteLock        _c_GUID-latch-N    Curator's LeaderLatch
//
// The underscore in front makes Curator sort those that are not its own behind its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "direct/server.h"
#include "hapax/fence.h"

namespace hapax::direct {

inline Fence fence_of_czxid(std::int64_t czxid) {
  const auto bits = static_cast<std::uint64_t>(czxid);
  return {Epoch{bits >> 32}, Turn{bits & 0xffffffff}};
}

// A znode of somebody who waits or is inside.
struct Spelled {
  std::string node;           // Its name, without its folder.
  std::string owner;          // The same for all znodes of one contender.
  std::int32_t sequence = 0;  // Wraps round after two thousand millions.
  bool is_reader = false;
};

// Nothing: it is no contender's.
std::optional<Spelled> spelled(const std::string& node);
// The units of a semaphore, _c_GUID-lease-N, in their order.
std::vector<Spelled> leases_in(const std::vector<std::string>& nodes);

// What to make for a contender, without the numbers: every one of these.
std::vector<std::string> spellings_of(const Contender& contender, const std::string& guid);

// The contenders among these nodes in their order, with a znode each: the first that it made.
std::vector<Spelled> line_of(const std::vector<std::string>& nodes);

// Whom that owner has to wait for; empty: nobody. Nothing: it does not stand in that line.
std::optional<std::string> before(const std::vector<Spelled>& line, const std::string& owner,
                                  Want want);

}  // namespace hapax::direct
