#include "news/view_news.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/counted.h"

namespace hapax {
namespace {

bool has_name(const std::map<Life, std::string>& members, const std::string& name) {
  return std::any_of(members.begin(), members.end(),
                     [&](const auto& m) { return m.second == name; });
}

}  // namespace

ViewNews::Begun ViewNews::begun(Instant now, const Roll& roll,
                                const std::function<std::string(Life)>& name_of,
                                const std::function<std::string(Life)>& why_gone) {
  std::map<Life, std::string> next;
  for (const Life life : roll.members) next[life] = name_of(life);
  const Span without = now - std::exchange(without_since_, std::nullopt).value_or(now);
  Begun begun{without, fmt::format("view {} of {} begins, after {:.3f} s without one: {}",
                                   roll.epoch, counted(roll.members.size(), "member"),
                                   std::chrono::duration<double>(without).count(),
                                   changes(now, next, why_gone))};
  members_ = std::move(next);
  std::erase_if(heard_, [&](const auto& h) { return !members_.contains(h.first); });
  return begun;
}

std::string ViewNews::changes(Instant now, const std::map<Life, std::string>& next,
                              const std::function<std::string(Life)>& why_gone) const {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  for (const auto& [life, name] : next) {
    if (members_.contains(life)) continue;
    add(name + (has_name(members_, name) ? " is back, as another life" : " came"));
  }
  for (const auto& [life, name] : members_) {
    if (next.contains(life) || has_name(next, name)) continue;
    std::string gone = name + " is gone";
    if (const std::string why = why_gone(life); !why.empty()) gone += ", " + why;
    if (const auto heard = heard_.find(life); heard != heard_.end()) {
      gone += fmt::format(", last heard of {:.1f} s ago",
                          std::chrono::duration<double>(now - heard->second).count());
    }
    add(gone);
  }
  return text.empty() ? "the same members, afresh" : text;
}

}  // namespace hapax
