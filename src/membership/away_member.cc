#include "membership/away_member.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "base/check.h"

namespace hapax {

std::string words_of(const std::vector<AwayMember>& away) {
  HAPAX_CHECK(!away.empty());
  std::string names;
  Span last{0};
  bool is_waited_for = false;
  for (const AwayMember& member : away) {
    names += (names.empty() ? "" : ", ") + member.name;
    last = std::max(last, member.free_in.value_or(Span{0}));
    is_waited_for |= !member.free_in;
  }
  const bool is_one = away.size() == 1;
  const std::string who = fmt::format("{} {} away and may hold it", names, is_one ? "is" : "are");
  if (is_waited_for) {
    return fmt::format("{}; nobody is removed from a fixed list: start {} again", who,
                       is_one ? "it" : "them");
  }
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(last).count();
  return fmt::format("{}; free in about {} s, when {} ends", who, seconds,
                     is_one ? "its lease" : "the last of their leases");
}

}  // namespace hapax
