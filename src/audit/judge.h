// Whether a history keeps what hapax promises. Events take time, from call to return, and what
// happened in between is not known; a finding is only what no order within these times explains.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "audit/history.h"

namespace hapax::audit {

enum class Kind : std::uint8_t {
  overlap,         // Two held a lock at the same time, both validly.
  fence,           // A later grant has no larger fence than an earlier one.
  stale_access,    // The gate let a fence pass although it had seen a larger one.
  lost_update,     // A write overwrote, or a read did not see, what had been written and accepted.
  total,           // At the end the counter is not the number of accepted writes.
  unserved,        // A client that lives waited and was neither served nor told.
  dead_on_arrival  // A grant that was over when its client was told of it.
};
inline constexpr std::size_t kKinds = 7;
std::string_view name_of(Kind kind);

struct Finding {
  Kind kind{};
  LockId lock{};
  Nanos at = 0;
  std::string text;
};

struct Report {
  static constexpr std::size_t kMostFindings = 1'000;  // In full; the rest is only counted.

  std::size_t events = 0, entries = 0, told = 0, losses = 0;
  std::size_t reads = 0, writes = 0, refused_reads = 0, refused_writes = 0;
  std::size_t unknown_writes = 0;  // Begun by clients that did not live to tell.
  Nanos from = 0, to = 0, longest_wait = 0;
  std::array<std::size_t, kKinds> counts{};
  std::vector<Finding> findings;

  bool is_fine() const { return findings.empty(); }
  void find(Kind kind, LockId lock, Nanos at, std::string text);
};

Report judge(const History& history);

}  // namespace hapax::audit
