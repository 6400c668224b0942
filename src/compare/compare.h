// The lecture's table, measured: every algorithm under the conditions for which its formulas are
// stated.
//
//   messages, client delay   one requester at a time, then quiet        (token-ring: at saturation)
//   synchronization delay    the next one asked while the other was inside, long before its exit
//   throughput, fairness     each process asks again at once
//   order                    requests at random times, the lock in use nine tenths of the time
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "sim/report.h"
#include "sim/theory.h"
#include "voting/voting_sets.h"

namespace hapax {

struct CompareOptions {
  std::uint32_t n = 10;
  Nanos latency = kMillisecond;
  Nanos inside = 5 * kMillisecond;
  std::uint64_t seed = 1;
  std::uint64_t most_messages = 8'000'000;  // In each of a row's four runs, more or less.
};

struct ComparisonRow {
  std::string_view algorithm;
  std::string_view kind;
  Theory theory;
  SimReport low;    // One at a time.
  SimReport pairs;  // One waits while another is inside.
  SimReport high;   // Everybody, always.
  SimReport order;  // At random times.
  double throughput_expected = 0;

  double messages() const;    // Per entry; a multicast counts as many.
  double multicasts() const;  // Per entry; a multicast counts as one.
  bool deadlocked() const;
  std::uint64_t violations() const;  // Without the deadlock that theory predicts.
};

struct Comparison {
  CompareOptions options;
  std::string voting_sets;
  std::vector<ComparisonRow> rows;

  // The mean of a time, in T.
  double in_latencies(const Spread& spread) const {
    return spread.mean() / static_cast<double>(options.latency);
  }
};

struct CompareProgress {
  std::string_view algorithm;
  std::size_t row = 0;
  std::size_t rows = 0;  // In all.
  double done = 0;       // Of this row, 0 … 1.
};
// Called before each row, and now and then; false stops, before a row.
using CompareObserver = std::function<bool(const CompareProgress&)>;

Comparison compare(const CompareOptions& options, const VotingSets& sets,
                   const CompareObserver& observer = {});

}  // namespace hapax
