#include "locks/policy.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "catalog/catalog.h"
#include "voting/voting_sets.h"

namespace hapax {

namespace {

constexpr std::string_view kDefault = "carvalho-roucairol";

Result<LockKind> with_units(LockKind kind, std::string_view name, std::string_view units) {
  const auto [end, failed] = std::from_chars(units.data(), units.data() + units.size(), kind.units);
  if (failed != std::errc{} || end != units.data() + units.size() || kind.units < 1 ||
      kind.units > kMostUnits) {
    return error("\"{}\" is no number of units. Use 1 … {}, as in {}:4.", units, kMostUnits, name);
  }
  return kind;
}

}  // namespace

// NAME, NAME:UNITS of an algorithm that has units, or NAME:SETS of one that votes.
Result<LockKind> Policy::find_kind(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const Operations* algorithm = find_algorithm(name);
  if (algorithm == nullptr) {
    return error("There is no algorithm \"{}\". There are {}.", name, algorithm_names());
  }
  const MutexInfo& info = algorithm->info;
  const LockKind kind{info.id};
  if (colon == std::string_view::npos) {
    if (info.takes.units) return error("How many may be inside? Write {}:4 for four.", name);
    return kind;
  }
  if (info.takes.units) return with_units(kind, name, text.substr(colon + 1));
  if (info.voting_sets != nullptr) return find_sets(kind, text.substr(colon + 1));
  return error("{} has nothing to choose. Write {}.", name, name);
}

// Notes the voting sets of that text, if there are such for any number of members at all.
Result<LockKind> Policy::find_sets(LockKind kind, std::string_view text) {
  constexpr std::uint32_t kTried = 32;
  const MutexInfo& info = find_algorithm(kind.algorithm)->info;
  Result<VotingSets> found = info.voting_sets(text, 1);
  for (std::uint32_t n = 2; n <= kTried && !found; ++n) found = info.voting_sets(text, n);
  if (!found) return found.error();
  const SetsOf sets{kind.algorithm, std::string{text}};
  auto at = std::find(sets_.begin(), sets_.end(), sets);
  if (at == sets_.end() && sets_.size() == std::numeric_limits<std::uint8_t>::max()) {
    return error("There are {} kinds of voting sets already.", sets_.size());
  }
  if (at == sets_.end()) at = sets_.insert(at, sets);
  kind.sets = static_cast<std::uint8_t>(at - sets_.begin() + 1);
  return kind;
}

std::string Policy::text_of(const LockKind& kind) const {
  const std::string_view name = name_of(kind.algorithm);
  if (kind.sets > 0) return fmt::format("{}:{}", name, sets_[kind.sets - 1].text);
  const bool units = find_algorithm(kind.algorithm)->info.takes.units;
  return units ? fmt::format("{}:{}", name, kind.units) : std::string{name};
}

Policy::Policy() : default_{*algorithm_named(kDefault)} {}

Result<Policy> Policy::parse(std::string_view fallback, std::span<const std::string> rules) {
  Policy policy;
  if (const auto set = policy.set_default(fallback); !set) return set.error();
  for (const std::string& rule : rules) {
    if (const auto added = policy.add(rule); !added) return added.error();
  }
  return policy;
}

Result<void> Policy::add(std::string_view rule) {
  const std::size_t equals = rule.rfind('=');
  if (equals == std::string_view::npos) {
    return error("The rule \"{}\" has no \"=\". Write PATTERN=ALGORITHM, as in orders/*=maekawa.",
                 rule);
  }
  if (equals == 0) {
    return error("The rule \"{}\" has no pattern before its \"=\". Write * for all locks.", rule);
  }
  const auto kind = find_kind(rule.substr(equals + 1));
  if (!kind) return error("In the rule \"{}\": {}", rule, kind.error().message);
  rules_.push_back({std::string{rule.substr(0, equals)}, *kind});
  return {};
}

Result<void> Policy::set_default(std::string_view algorithm) {
  const auto found = find_kind(algorithm);
  if (!found) return found.error();
  default_ = *found;
  return {};
}

std::size_t Policy::rule_for(std::string_view name) const {
  std::size_t rule = 0;
  while (rule < rules_.size() && !glob_matches(rules_[rule].pattern, name)) ++rule;
  return rule;
}

std::string Policy::pattern_of(std::size_t rule) const {
  return rule < rules_.size() ? rules_[rule].pattern : "(default)";
}

std::string Policy::text() const {
  std::string text;
  for (const Rule& rule : rules_) text += fmt::format("{}={}, ", rule.pattern, text_of(rule.kind));
  return text + text_of(default_);
}

std::string Policy::lines() const {
  std::string lines;
  for (const Rule& rule : rules_) lines += fmt::format("{}={}\n", rule.pattern, text_of(rule.kind));
  return lines + text_of(default_);
}

Result<Policy> Policy::from_lines(std::string_view lines) {
  Policy policy;
  for (std::size_t end = lines.find('\n'); end != std::string_view::npos; end = lines.find('\n')) {
    if (const auto added = policy.add(lines.substr(0, end)); !added) return added.error();
    lines.remove_prefix(end + 1);
  }
  if (const auto set = policy.set_default(lines); !set) return set.error();
  return policy;
}

std::vector<Policy::Rule> Policy::shapes() const {
  const auto shape_of = [](const LockKind& kind) {
    return is_shared(kind.algorithm) ? LockKind{kind.algorithm, kind.units} : LockKind{};
  };
  std::vector<Rule> shapes;
  for (const Rule& rule : rules_) shapes.push_back({rule.pattern, shape_of(rule.kind)});
  const LockKind others = shape_of(default_);
  while (!shapes.empty() && shapes.back().kind == others) shapes.pop_back();
  // Of neighbours that mean the same, the order does not matter.
  for (std::size_t from = 0, to = 0; from < shapes.size(); from = to) {
    while (to < shapes.size() && shapes[to].kind == shapes[from].kind) ++to;
    std::sort(shapes.begin() + static_cast<std::ptrdiff_t>(from),
              shapes.begin() + static_cast<std::ptrdiff_t>(to),
              [](const Rule& a, const Rule& b) { return a.pattern < b.pattern; });
  }
  shapes.push_back({"", others});
  return shapes;
}

Result<void> Policy::check_change_to(const Policy& later) const {
  if (shapes() == later.shapes()) return {};
  return error(
      "that would change which locks several may hold at once, or how many ({} instead of {}): who "
      "holds one now counts on it. Only algorithms that let in one at a time can be exchanged "
      "while members run",
      later.text(), text());
}

std::vector<std::string> Policy::warnings() const {
  std::vector<std::string> texts;
  const auto look_at = [&](AlgorithmId id, std::string_view which) {
    if (!find_algorithm(id)->info.can_deadlock) return;
    texts.push_back(fmt::format("{} can deadlock: {} may stop for good. Use another algorithm.",
                                name_of(id), which));
  };
  for (const Rule& rule : rules_)
    look_at(rule.kind.algorithm, fmt::format("locks {}", rule.pattern));
  look_at(default_.algorithm, "locks without a rule");
  return texts;
}

}  // namespace hapax
