// What a daemon knows of itself as Prometheus reads it. docs/operations.md says what each metric
// means.
#pragma once

#include <optional>
#include <string>

#include "base/histogram.h"
#include "figures/facts.h"

namespace hapax {

// Prometheus' text format. `lag`: how late the loop was, whenever that was looked at. Without facts
// it has not started yet.
std::string metrics_text(const std::optional<Facts>& facts, const Histogram& lag);

}  // namespace hapax
