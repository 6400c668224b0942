#include "locks/policy.h"

#include <charconv>
#include <fmt/format.h>

#include "locks/any_mutex.h"
#include "mutex/catalog.h"
#include "mutex/semaphore_ra.h"

namespace hapax {

namespace {

constexpr std::string_view kDefault = "carvalho-roucairol";

// The bytes of the character that `text` begins with. REQUIRES: !text.empty().
std::size_t first_character(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) ++bytes;
  return bytes;
}

// NAME, or NAME:UNITS for a semaphore.
Result<LockKind> find_kind(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto id = algorithm_named(name);
  if (!id) return error("There is no algorithm \"{}\". There are {}.", name, algorithm_names());
  const bool has_units = name == SemaphoreRa::kInfo.name;
  if (has_units != (colon != std::string_view::npos)) {
    return has_units ? error("How many may be inside? Write {}:4 for four.", name)
                     : error("{} has no number of units. Write {}.", name, name);
  }
  LockKind kind{*id};
  if (!has_units) return kind;
  const std::string_view units = text.substr(colon + 1);
  const auto [end, failed] = std::from_chars(units.data(), units.data() + units.size(), kind.units);
  if (failed != std::errc{} || end != units.data() + units.size() || kind.units < 1 ||
      kind.units > kMostUnits) {
    return error("\"{}\" is no number of units. Use 1 … {}, as in {}:4.", units, kMostUnits, name);
  }
  return kind;
}

}  // namespace

// Goes back to the last * only: what an earlier one could take more of, the last one can take, too.
bool glob_matches(std::string_view pattern, std::string_view name) {
  std::optional<std::string_view> after_star;
  std::string_view from_star;  // What the last * has not taken yet.
  while (true) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      after_star = pattern;
      from_star = name;
      continue;
    }
    if (name.empty() && pattern.empty()) return true;
    if (!name.empty() && !pattern.empty() && pattern.front() == '?') {
      pattern.remove_prefix(1);
      name.remove_prefix(first_character(name));
      continue;
    }
    if (!name.empty() && !pattern.empty() && pattern.front() == name.front()) {
      pattern.remove_prefix(1);
      name.remove_prefix(1);
      continue;
    }
    if (!after_star || from_star.empty()) return false;
    from_star.remove_prefix(first_character(from_star));
    pattern = *after_star;
    name = from_star;
  }
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

LockKind Policy::kind_for(std::string_view name) const {
  for (const Rule& rule : rules_) {
    if (glob_matches(rule.pattern, name)) return rule.kind;
  }
  return default_;
}

std::string Policy::text() const {
  const auto text_of = [](const LockKind& kind) {
    const std::string_view name = name_of(kind.algorithm);
    return kind.units == 1 ? std::string{name} : fmt::format("{}:{}", name, kind.units);
  };
  std::string text;
  for (const Rule& rule : rules_) text += fmt::format("{}={}, ", rule.pattern, text_of(rule.kind));
  return text + text_of(default_);
}

std::vector<std::string> Policy::warnings() const {
  std::vector<std::string> texts;
  const auto look_at = [&](AlgorithmId id, std::string_view which) {
    with_algorithm(id, [&]<class A>() {
      if (!A::kInfo.can_deadlock) return;
      texts.push_back(fmt::format("{} can deadlock: {} may stop for good. Use maekawa instead.",
                                  A::kInfo.name, which));
    });
  };
  for (const Rule& rule : rules_)
    look_at(rule.kind.algorithm, fmt::format("locks {}", rule.pattern));
  look_at(default_.algorithm, "locks without a rule");
  return texts;
}

}  // namespace hapax
