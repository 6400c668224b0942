// What all parts of a run share: its plan, time, chance, who judges it, and what is told of it.
#pragma once

#include <cmath>
#include <cstddef>
#include <deque>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "base/prng.h"
#include "swarm/agenda.h"
#include "swarm/plan.h"
#include "swarm/referee.h"
#include "swarm/report.h"

namespace hapax {

struct SwarmStage {
  SwarmStage(const SwarmPlan& drawn, std::size_t log)
      : plan(drawn), prng(drawn.seed ^ 0x5a), referee(drawn.units), lines_kept(log) {}

  const SwarmPlan& plan;
  Prng prng;
  Agenda agenda;
  Referee referee;
  SwarmReport report;
  bool is_healed = false;  // Nothing goes wrong any more.

  Instant now() const { return agenda.now(); }
  // Exponential.
  Span about(Span mean) {
    return Span{static_cast<std::int64_t>(-std::log(1.0 - prng.unit()) *
                                          static_cast<double>(mean.count()))};
  }
  // How fast a clock runs.
  double draw_rate() {
    const auto drift = static_cast<double>(prng.below(2 * plan.drift + 1)) - plan.drift;
    return 1.0 + drift / 10'000;
  }
  // Whether something befalls us that does so `share` times in `whole`, as long as faults strike.
  bool strikes(std::uint32_t share, std::uint32_t whole) {
    return share > 0 && !is_healed && prng.below(whole) < share;
  }

  template <class... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    if (lines_kept == 0) return;
    lines.push_back(fmt::format("{:>10.3f} ms  {}", static_cast<double>(now().count()) / 1e6,
                                fmt::format(format, std::forward<Args>(args)...)));
    if (lines.size() > lines_kept) lines.pop_front();
  }
  std::size_t lines_kept;
  std::deque<std::string> lines;
};

}  // namespace hapax
