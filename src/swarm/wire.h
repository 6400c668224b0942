// A connection between two members: bytes each way, in order, until it breaks. What is under way
// then is lost, all of it or from some byte on; and either end learns of it at its own time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "net/frame.h"
#include "service/lease_times.h"
#include "view/roll.h"
#include "wire/codec.h"

namespace hapax {

struct Wire {
  struct Parcel {
    Instant due{};
    Bytes bytes;
    bool is_last = false;  // The other end has hung up.
  };
  struct End {
    std::uint32_t member = 0;
    Life life{};
    bool is_open = true;
    bool is_known = false;  // Both have introduced themselves.
    bool has_hole = false;  // Something on its way here was lost: what follows may be refused.
    std::optional<net::Hello> hello{};  // Of who dialled us; it has yet to confirm …
    std::uint64_t seen = 0;             // … what we have answered.
    std::deque<Parcel> coming{};
    Instant last_due{};  // Nothing overtakes what was sent before.
    Instant awaited{};   // When the next parcel is looked at.
    net::FrameReader reader{net::kLargestGreeting};
  };
  std::array<End, 2> ends;  // Who dialled, and who was dialled.
};

using WirePtr = std::shared_ptr<Wire>;

}  // namespace hapax
