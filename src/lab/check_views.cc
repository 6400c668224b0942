
#include <fmt/format.h>
#include <optional>
#include <string>

#include "console/usage.h"
#include "lab/run.h"
#include "lab/told_check.h"
#include "listcheck/run_lists.h"
#include "viewcheck/run_views.h"

namespace hapax::cli {
namespace {

// The rule that `name` names, of those; nothing if none is named.
template <class Rules>
auto rule_from(const std::string& name, const Rules& rules)
    -> std::optional<decltype(rules.front().rule)> {
  std::string names;
  for (const auto& info : rules) {
    if (info.name == name) return info.rule;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
  }
  if (name.empty()) return std::nullopt;
  throw UsageError{fmt::format("--without {}: there is no such rule; take one of {}", name, names)};
}

std::uint32_t in_range(const char* option, std::int64_t value, std::int64_t least,
                       std::int64_t most) {
  if (value >= least && value <= most) return static_cast<std::uint32_t>(value);
  throw UsageError{fmt::format("{} {} is out of range; use {} … {}", option, value, least, most)};
}

void allow(ViewCheckOptions& options, const std::string& kind) {
  struct Known {
    std::string_view name;
    bool ViewCheckOptions::*allowed;
  };
  for (const Known& known : {Known{"crash", &ViewCheckOptions::crash},
                             {"pause", &ViewCheckOptions::pause},
                             {"restart", &ViewCheckOptions::restart},
                             {"leave", &ViewCheckOptions::leave},
                             {"evict", &ViewCheckOptions::evict},
                             {"delete", &ViewCheckOptions::deletion},
                             {"wiped", &ViewCheckOptions::wiped},
                             {"restored", &ViewCheckOptions::restored},
                             {"cut", &ViewCheckOptions::cut},
                             {"settings", &ViewCheckOptions::settings},
                             {"answer", &ViewCheckOptions::lost_answer},
                             {"client", &ViewCheckOptions::death}}) {
    if (kind == known.name) {
      options.*known.allowed = true;
      return;
    }
  }
  throw UsageError{fmt::format(
      "fault '{}' is not known; views have crash, pause, restart, leave, evict, delete, wiped, "
      "restored, cut, settings, answer and client",
      kind)};
}

ViewCheckOptions view_options_from(const CheckArguments& a) {
  ViewCheckOptions options;
  options.n = in_range("-n", a.n, 2, kMostInViews);
  options.joiners = in_range("--join", a.views.joiners, 0, kMostInViews);
  options.entries = in_range("--entries", a.entries, 1, 9);
  options.units = in_range("--units", a.units, 1, kMostInViews);
  options.again = in_range("--again", a.views.again, 0, 9);
  options.faults = in_range("--most-faults", a.views.most_faults, 0, 9);
  options.gate = a.views.gate;
  options.most_bytes = static_cast<std::uint64_t>(a.memory_mib) << 20;
  if (!a.faults.empty()) options.crash = options.pause = false;
  for_each_fault(a.faults, [&](const std::string& kind) { allow(options, kind); });
  options.without = rule_from(a.views.without, kViewRules);
  return options;
}

ListCheckOptions list_options_from(const CheckArguments& a) {
  ListCheckOptions options;
  options.n = in_range("-n", a.n, 2, kMostInViews);
  options.entries = in_range("--entries", a.entries, 1, 9);
  const std::uint32_t most = in_range("--most-faults", a.views.most_faults, 0, 9);
  options.restarts = a.faults.empty() ? most : 0;
  for_each_fault(a.faults, [&](const std::string& kind) {
    if (kind == "restart") {
      options.restarts = most;
    } else if (kind == "link") {
      options.flaps = most;
    } else if (kind == "file") {
      options.files_may_go = true;
      options.restarts = most;
    } else {
      throw UsageError{
          fmt::format("fault '{}' is not known; fixed lists have restart, link and file", kind)};
    }
  });
  options.most_bytes = static_cast<std::uint64_t>(a.memory_mib) << 20;
  options.without = rule_from(a.views.without, kListRules);
  return options;
}

// What was left out, as a sentence; empty: nothing was.
std::string_view left_out(const CheckArguments& a) {
  std::string_view sentence;
  const auto look = [&](const auto& rules) {
    for (const auto& info : rules) {
      if (info.name == a.views.without) sentence = info.sentence;
    }
  };
  a.views.fixed ? look(kListRules) : look(kViewRules);
  return sentence;
}

void print_text(const CheckArguments& a, const ToldCheck& check) {
  const CheckReport& r = check.report;
  fmt::print(
      "views{}, {} inside, N = {}: {} states, {} transitions, depth {}, {:.2f} s, {:.1f} MiB\n",
      a.views.fixed ? " of a fixed list" : "", a.views.inside, a.n, r.states, r.transitions,
      r.depth, check.seconds, static_cast<double>(r.bytes) / (1 << 20));
  if (const auto rule = left_out(a); !rule.empty()) fmt::print("Left out: {}.\n", rule);
  print_verdict(r);
}

}  // namespace

int run_check_views(const CheckArguments& a) {
  const ToldCheck check = check_with_progress(a.json, [&](const SearchObserver& show) {
    return value_or_usage(a.views.fixed
                              ? check_lists_of(a.views.inside, list_options_from(a), show)
                              : check_views_of(a.views.inside, view_options_from(a), show));
  });
  if (a.json) {
    print_as_json({{"algorithm", "views"},
                   {"inside", a.views.inside},
                   {"fixed", a.views.fixed},
                   {"n", a.n},
                   {"join", a.views.joiners},
                   {"entries", a.entries},
                   {"units", a.units},
                   {"again", a.views.again},
                   {"most_faults", a.views.most_faults},
                   {"without", a.views.without}},
                  check);
  } else {
    print_text(a, check);
  }
  return status_of(check.report.verdict);
}

}  // namespace hapax::cli
