// What a step of the lock table asks its daemon to do: bytes to send, grants to hand out, and what
// peers did wrong. The daemon keeps one Outbox, clears it after each turn and reuses it, so that in
// the steady state nothing is allocated. The bytes of all sends lie in one arena; a payload for
// several receivers lies there once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/fence.h"

namespace hapax {

// Whoever waits for a lock at this member, as the daemon numbers them.
enum class WaiterId : std::uint64_t {};

constexpr std::uint64_t number(WaiterId waiter) { return static_cast<std::uint64_t>(waiter); }

// `waiter` holds its lock from now on, until it is released. The same value from the lock table to
// whoever asked.
struct Grant {
  WaiterId waiter{};
  Fence fence;
  // Its permission stays, and nobody else waits: it may enter again by itself, each time with the
  // next turn, until it hears that the lock is wanted.
  bool may_keep = false;
  HAPAX_RECORD(Grant, waiter, fence, may_keep)
};

class Outbox {
 public:
  struct Send {
    NodeId to{};
    std::uint32_t first = 0;  // bytes(send) is the payload.
    std::uint32_t count = 0;
  };

  // The lock that `waiter` holds is wanted by somebody else, here or elsewhere. Said of algorithms
  // whose permission stays (carvalho-roucairol), to whoever keeps a lock longer than it needs it.
  struct Wanted {
    WaiterId waiter{};
  };

  // A peer is broken, hostile or configured differently. The message is not acted upon; hang up.
  struct Complaint {
    enum class Kind : std::uint8_t {
      malformed,          // Bytes that no table of this version writes.
      unknown_algorithm,  // Perhaps of a later version.
      policies_differ,    // The policy here names another algorithm for that lock.
      not_a_member,       // Sent by nobody of this view.
      too_many_locks,     // One more instance would pass the table's limit.
      broken_protocol     // What the algorithm itself refuses: see `reject`.
    };
    NodeId peer{};
    Kind kind = Kind::malformed;
    Reject reject = Reject::none;  // Invariant: none unless kind == broken_protocol.
    std::string text;              // For the log. Without control characters.
  };

  // In the order in which they have to leave.
  std::span<const Send> sends() const { return sends_; }
  std::span<const std::uint8_t> bytes(const Send& send) const {
    return std::span{arena_}.subspan(send.first, send.count);
  }
  std::span<const Grant> grants() const { return grants_; }
  std::span<const Wanted> wanted() const { return wanted_; }
  std::span<const Complaint> complaints() const { return complaints_; }

  bool empty() const {
    return sends_.empty() && grants_.empty() && wanted_.empty() && complaints_.empty();
  }
  // Keeps the memory. Ends the life of every span given out.
  void clear() {
    arena_.clear();
    sends_.clear();
    grants_.clear();
    wanted_.clear();
    complaints_.clear();
  }

  // --- written by the lock table ---

  // The arena, to append a payload to. Where it stood before is the payload's `first`.
  std::vector<std::uint8_t>& arena() { return arena_; }
  // To `to` the bytes of the arena from `first` on.
  void send(NodeId to, std::size_t first) {
    HAPAX_CHECK(arena_.size() <= std::numeric_limits<std::uint32_t>::max());
    sends_.push_back(
        {to, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(arena_.size() - first)});
  }
  void grant(const Grant& grant) { grants_.push_back(grant); }
  void want(WaiterId holder) { wanted_.push_back({holder}); }
  void complain(Complaint complaint) { complaints_.push_back(std::move(complaint)); }

 private:
  std::vector<std::uint8_t> arena_;
  std::vector<Send> sends_;
  std::vector<Grant> grants_;
  std::vector<Wanted> wanted_;
  std::vector<Complaint> complaints_;
};

constexpr std::string_view name_of(Outbox::Complaint::Kind kind) {
  using Kind = Outbox::Complaint::Kind;
  switch (kind) {
    case Kind::malformed:
      return "malformed";
    case Kind::unknown_algorithm:
      return "unknown algorithm";
    case Kind::policies_differ:
      return "policies differ";
    case Kind::not_a_member:
      return "not a member";
    case Kind::too_many_locks:
      return "too many locks";
    case Kind::broken_protocol:
      return "broken protocol";
  }
  return "?";
}

}  // namespace hapax
