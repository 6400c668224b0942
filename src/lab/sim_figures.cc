#include "lab/sim_figures.h"

#include <fstream>
#include <string>

namespace hapax::cli {

double SimFigures::events_per_second() const {
  return seconds > 0 ? static_cast<double>(report.events) / seconds : 0;
}

bool SimFigures::several_at_once() const { return options.readers > 0 || arguments.units > 1; }

bool SimFigures::is(Load::Kind kind) const {
  if (kind == Load::Kind::high && several_at_once()) return false;
  return options.load.kind == kind && options.faults.empty() && options.requesters % options.n == 0;
}

const Expected* SimFigures::expected_messages() const {
  return is(Load::Kind::low) && !theory.messages_at_saturation ? &theory.messages : nullptr;
}

const Expected* SimFigures::expected_client_delay() const {
  return is(Load::Kind::low) ? &theory.client_delay : nullptr;
}

const Expected* SimFigures::expected_sync_delay() const {
  return is(Load::Kind::high) && report.sync_delay.count > 0 ? &theory.sync_delay_high : nullptr;
}

// Only if requests arrive while another is inside, so that the next one has long been waiting.
std::optional<double> SimFigures::expected_throughput() const {
  if (!is(Load::Kind::high) || options.inside < 5 * options.latency.mean()) return std::nullopt;
  const double sync = theory.sync_delay_high.is_range ? report.sync_delay.mean()
                                                      : theory.sync_delay_high.value * t();
  return static_cast<double>(kSecond) / (sync + static_cast<double>(options.inside));
}

std::optional<double> SimFigures::per_entry(double value) const {
  return report.counted_entries == 0 ? std::nullopt : std::optional{value};
}

std::optional<double> SimFigures::throughput() const {
  return report.throughput > 0 ? std::optional{report.throughput} : std::nullopt;
}

std::optional<double> SimFigures::in_t(const Spread& spread) const {
  return spread.count == 0 ? std::nullopt : std::optional{spread.mean() / t()};
}

// Not by getrusage(), which also knows how large the program was that started this one.
std::uint64_t peak_rss_bytes() {
  std::ifstream status{"/proc/self/status"};
  std::uint64_t kib = 0;
  for (std::string word; kib == 0 && status >> word;) {
    if (word == "VmHWM:") status >> kib;
  }
  return kib * 1024;
}

}  // namespace hapax::cli
