// What a step of the service asks its daemon to do, to be carried out in this order: tell who has
// lost, count on the lease, hand out grants, say who is to leave and who is wanted, send, ask the
// engine. Cleared and reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/fence.h"
#include "locks/outbox.h"
#include "service/lease_times.h"
#include "view/keeper.h"
#include "view/roll.h"
#include "wire/codec.h"

namespace hapax {

struct EngineAsk {
  enum class Kind : std::uint8_t { announce, beat, read, propose };
  Kind kind{};
  Life life{};  // Whose.
  Instant sent{};
  Proposal proposal{};       // propose
  Span ttl{};                // announce, beat: what the record is to say …
  std::uint32_t ttl_ms = 0;  // … as Beat has it.
};

// What can be said without knowing the time: what a step of MemberViews leaves to do.
struct ViewOrders {
  struct Send {
    Life to{};
    std::size_t first = 0;  // bytes(send) is the frame.
    std::size_t count = 0;
  };
  struct Complaint {
    Life peer{};
    std::string text;
  };

  std::vector<WaiterId> lost;  // Told before anything is sent that lets others in.
  // To leave: we go. Theirs until they give it back, or the lease is over.
  std::vector<WaiterId> recalled;
  std::vector<Grant> grants;
  std::vector<WaiterId> wanted;
  std::vector<Send> sends;
  std::vector<Complaint> complaints;  // Hang up.
  std::optional<Epoch> promise;       // To be written down; in a fixed list only (list_views.h).
  bool begun = false;                 // A view has.
  bool ended = false;                 // This life has.

  std::span<const std::uint8_t> bytes(const Send& send) const {
    return std::span{arena}.subspan(send.first, send.count);
  }
  bool is_empty() const {
    return lost.empty() && recalled.empty() && grants.empty() && wanted.empty() && sends.empty() &&
           complaints.empty() && !promise && !begun && !ended;
  }
  void clear() {
    lost.clear();
    recalled.clear();
    grants.clear();
    wanted.clear();
    sends.clear();
    complaints.clear();
    promise.reset();
    arena.clear();
    begun = ended = false;
  }

  Bytes arena;  // Of the frames.
};

struct Orders : ViewOrders {
  // So long clients may rely on what they hold. It is longer than it was, or there is a lease
  // again.
  std::optional<Instant> leased_until;
  std::vector<EngineAsk> asks;

  bool is_empty() const { return ViewOrders::is_empty() && !leased_until && asks.empty(); }
  void clear() {
    ViewOrders::clear();
    leased_until.reset();
    asks.clear();
  }
};

}  // namespace hapax
