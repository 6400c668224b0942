// The rules by which a fixed list changes its views, by name, besides those of every view change.
// Each is there because something goes wrong without it; leaving one out shows what.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hapax {

enum class ListRule : std::uint8_t {
  report,
  barrier,
  all_agree,
  epoch_kept,
  old_life_dropped,
  settings_compared,
  clients_notice,
};

struct ListRuleInfo {
  ListRule rule;
  std::string_view name;
  std::string_view sentence;
};

inline constexpr std::array kListRules{
    ListRuleInfo{ListRule::report, "report", "whoever reports says what is held there"},
    ListRuleInfo{ListRule::barrier, "barrier",
                 "a view begins only when the reports of all its members are in"},
    ListRuleInfo{ListRule::all_agree, "all-agree", "a view needs the agreement of every member"},
    ListRuleInfo{ListRule::epoch_kept, "epoch-kept",
                 "an epoch is written down before a member reports for it"},
    ListRuleInfo{ListRule::old_life_dropped, "old-life-dropped",
                 "what a life has sent counts for that life only"},
    ListRuleInfo{ListRule::settings_compared, "settings-compared",
                 "members with other settings are refused"},
    ListRuleInfo{ListRule::clients_notice, "clients-notice",
                 "a new life takes part only when the clients of the last one have noticed"},
};

constexpr std::optional<ListRule> list_rule_named(std::string_view name) {
  for (const ListRuleInfo& info : kListRules) {
    if (info.name == name) return info.rule;
  }
  return std::nullopt;
}

}  // namespace hapax
