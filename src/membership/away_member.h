// A member of the view that we do not reach, and what that means for locks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/seat.h"
#include "service/lease_times.h"

namespace hapax {

struct AwayMember {
  Seat seat{};
  std::string name;  // As people call it: db2; in a fixed list, member 2.
  // How long until its lease is over and what it holds is free, about, if it stays away. Nothing:
  // nobody is removed from a fixed list, and it is waited for.
  std::optional<Span> free_in;
};

// "member db2 is away and may hold it; free in about 3 s, when its lease ends". REQUIRES: not
// empty.
std::string words_of(const std::vector<AwayMember>& away);

}  // namespace hapax
