// The lecture's cases of an election, measured: who notices that there is no leader, and what it
// costs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "sim/election_run.h"

namespace hapax {

struct ElectionRow {
  std::string_view algorithm;
  std::string_view situation;
  std::string formula;
  std::uint64_t expected = 0;
  std::string turnaround_formula;  // From noticing to the last who learns of it, in T.
  std::uint64_t expected_turnaround = 0;
  double turnaround = 0;
  ElectionReport report;
};

// REQUIRES: n ≥ 3, so that there is a best and a worst to tell apart.
std::vector<ElectionRow> compare_elections(std::uint32_t n, Nanos latency);

}  // namespace hapax
