// What a run showed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"

namespace hapax {

// A run that has shown this many violations ends.
inline constexpr std::uint64_t kMostViolations = 1000;

struct Violation {
  enum class Kind : std::uint8_t { exclusion, fence, progress, protocol };
  Kind kind{};
  Nanos at = 0;
  std::string text;
};

constexpr std::string_view name_of(Violation::Kind kind) {
  switch (kind) {
    case Violation::Kind::exclusion:
      return "exclusion";
    case Violation::Kind::fence:
      return "fence";
    case Violation::Kind::progress:
      return "progress";
    case Violation::Kind::protocol:
      return "protocol";
  }
  return "?";
}

// Mean, extremes and number of some durations.
struct Spread {
  std::uint64_t count = 0;
  double sum = 0;
  Nanos least = kNever;
  Nanos most = 0;

  void add(Nanos value) {
    ++count;
    sum += static_cast<double>(value);
    least = value < least ? value : least;
    most = value > most ? value : most;
  }
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

struct SimReport {
  std::uint64_t entries = 0;          // Critical sections that began.
  std::uint64_t counted_entries = 0;  // Those after the warm-up.
  std::uint64_t messages = 0;         // Sent after the warm-up, a multicast counted as many …
  std::uint64_t sends = 0;            // … and as one.
  std::uint64_t events = 0;           // Deliveries and local steps, all of them.
  Nanos virtual_time = 0;

  Spread client_delay;    // Asked to entered, when nobody else was inside or waiting.
  Spread sync_delay;      // Exit to the next entry, when the next one asked at least 2T before.
  Spread response_time;   // Asked to left.
  Spread wait;            // Asked to entered.
  double throughput = 0;  // Critical sections per second, from the first entry to the last.
  std::uint64_t overtakes = 0;  // Entries while somebody waited who had asked more than T earlier.
  double fairness = 1;          // Jain's index over the requesters: 1 is equal shares.

  std::uint64_t violation_count = 0;
  std::array<std::uint64_t, 4> violations_by_kind{};  // By Violation::Kind.
  std::vector<Violation> violations;                  // The first few of each kind, with words.
  std::uint64_t fingerprint = 0;  // Over every entry: who, when, with which fence.
  bool interrupted = false;
  bool stopped_early = false;  // After kMostViolations: more of the same would come.

  std::uint64_t count_of(Violation::Kind kind) const {
    return violations_by_kind[static_cast<std::size_t>(kind)];
  }

  double messages_per_entry() const { return per_entry(messages); }
  double sends_per_entry() const { return per_entry(sends); }

 private:
  double per_entry(std::uint64_t count) const {
    return counted_entries == 0 ? 0
                                : static_cast<double>(count) / static_cast<double>(counted_entries);
  }
};

}  // namespace hapax
