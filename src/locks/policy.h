// Which algorithm serves which lock: a list of rules PATTERN=ALGORITHM, the first that matches
// wins, and a default for the others. All members of a group must have the same.
//
//   orders/*=maekawa      * matches any run of characters, even with / in it
//   shard-?=raymond       ? matches one character pool/*=semaphore-ra:4 four may be inside
//   at a time x=maekawa:cyclic      by these voting sets, where there are such for so many
//   members
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "base/result.h"
#include "locks/algorithm_id.h"

namespace hapax {

// How a lock is served.
struct LockKind {
  AlgorithmId algorithm{};
  std::uint32_t units = 1;  // How many may be inside, where the algorithm has units.
  std::uint8_t sets = 0;    // Policy::voting_sets()[sets - 1]; 0: the algorithm's own.
  friend bool operator==(const LockKind&, const LockKind&) = default;
};
inline constexpr std::uint32_t kMostUnits = 1'000'000;

class Policy {
 public:
  // Every lock by carvalho-roucairol: permission stays where it was used last.
  Policy();

  // The default, then rules in order: an error that says which one is wrong and what to write.
  static Result<Policy> parse(std::string_view fallback, std::span<const std::string> rules);

  // The rules and then the default, a line each; and what was written so.
  std::string lines() const;
  static Result<Policy> from_lines(std::string_view lines);
  // An error if `later` lets several hold a lock at once that only one may hold by this policy, or
  // the other way round, or another number: who holds one across the change counts on it. It looks
  // at the rules rather than at names, and may refuse what would do.
  Result<void> check_change_to(const Policy& later) const;

  // Appends "PATTERN=ALGORITHM". The last = separates the two, so that a pattern may contain one.
  Result<void> add(std::string_view rule);
  // An error if there is no such algorithm.
  Result<void> set_default(std::string_view algorithm);

  LockKind kind_for(std::string_view name) const { return kind_of(rule_for(name)); }
  // Rules by their number; the default is the last.
  std::size_t rules() const { return rules_.size() + 1; }
  std::size_t rule_for(std::string_view name) const;
  std::string pattern_of(std::size_t rule) const;  // Of the default: (default).
  std::string algorithm_of(std::size_t rule) const { return text_of(kind_of(rule)); }
  AlgorithmId algorithm_for(std::string_view name) const { return kind_for(name).algorithm; }

  // The voting sets that rules name, each once.
  struct SetsOf {
    AlgorithmId algorithm{};
    std::string text;
    friend bool operator==(const SetsOf&, const SetsOf&) = default;
  };
  const std::vector<SetsOf>& voting_sets() const { return sets_; }

  // The rules and then the default, as they are written.
  std::string text() const;

  // What a person should know before using this policy; a sentence each.
  std::vector<std::string> warnings() const;

  // Whether they say the same; in which order voting sets were named does not count.
  friend bool operator==(const Policy& a, const Policy& b) { return a.lines() == b.lines(); }

 private:
  struct Rule {
    std::string pattern;
    LockKind kind;
    friend bool operator==(const Rule&, const Rule&) = default;
  };

  Result<LockKind> find_kind(std::string_view text);
  Result<LockKind> find_sets(LockKind kind, std::string_view text);
  std::string text_of(const LockKind& kind) const;
  // Which locks several may hold: the rules that matter for that, in order, and the default's.
  std::vector<Rule> shapes() const;
  const LockKind& kind_of(std::size_t rule) const {
    return rule < rules_.size() ? rules_[rule].kind : default_;
  }

  std::vector<Rule> rules_;
  LockKind default_;
  std::vector<SetsOf> sets_;
};

}  // namespace hapax
