#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "catalog/catalog.h"
#include "console/table.h"
#include "lab/sim_figures.h"

namespace hapax::cli {
namespace {

std::string or_dash(std::optional<double> value, std::string_view unit = "") {
  return value ? fmt::format("{}{}", show_number(*value), unit) : "–";
}

std::string or_dash(const Spread& spread, Nanos duration) {
  return spread.count > 0 ? format_duration(duration) : "–";
}

std::string words_of(const Expected* e, std::string_view unit = "") {
  if (e == nullptr) return "";
  const bool said = e->exact || e->formula.find("mean") != std::string::npos;
  return fmt::format("{}{}  ({}{})", show_number(e->value), unit, e->formula,
                     said ? "" : ", a mean");
}

void print_verdict(const SimFigures& f) {
  const SimReport& r = f.report;
  const std::string held =
      f.options.readers > 0 ? "nobody inside with a writer, fences grew from writer to writer"
      : f.several_at_once() ? fmt::format("at most {} inside", f.arguments.units)
                            : "at most one inside, fences grew";
  if (r.violation_count == 0 && r.entries >= f.options.entries) {
    fmt::print("No violation: {}, everybody was served.\n", held);
    return;
  }
  if (r.violation_count == 0) {
    const bool crash =
        std::any_of(f.options.faults.begin(), f.options.faults.end(),
                    [](const Fault& fault) { return fault.kind == Fault::Kind::crash; });
    fmt::print("No violation: {}. {} of {} requests were served{}.\n", held, r.entries,
               f.options.entries, crash ? ": a crashed process neither asks nor enters" : "");
    return;
  }
  fmt::print("VIOLATED\n");
  for (const Violation::Kind kind : {Violation::Kind::exclusion, Violation::Kind::fence,
                                     Violation::Kind::progress, Violation::Kind::protocol}) {
    if (r.count_of(kind) == 0) continue;
    const auto first = std::find_if(r.violations.begin(), r.violations.end(),
                                    [&](const Violation& v) { return v.kind == kind; });
    fmt::print("  {:<10} {:>4} ×, first at {}: {}\n", name_of(kind), r.count_of(kind),
               format_duration(first->at), first->text);
  }
  if (r.stopped_early) {
    fmt::print("The run was stopped after {} violations.\n", r.violation_count);
  }
}

}  // namespace

void print_table(const SimFigures& f) {
  const SimReport& r = f.report;
  fmt::print("{}, N = {}, load {}, latency {} (T = {}), {} inside, {} channels, seed {}\n",
             f.arguments.algorithm, f.options.n, f.options.load.text(), f.options.latency.text(),
             format_duration(f.options.latency.mean()), format_duration(f.options.inside),
             f.options.channels == Channels::fifo ? "FIFO" : "unordered", f.options.seed);
  if (f.sets != nullptr) fmt::print("voting sets: {}\n", f.sets->describe());
  if (f.options.readers > 0) fmt::print("{:.0f} % readers\n", f.options.readers * 100);
  if (find_algorithm(f.arguments.algorithm)->info.takes.units) {
    fmt::print("{} unit{}, one a process\n", f.arguments.units, f.arguments.units == 1 ? "" : "s");
  }
  fmt::print("\n");
  Table table;
  table.column("", Table::Align::left);
  table.column("measured");
  table.column("theory", Table::Align::left);
  table.row({"messages per entry", or_dash(f.per_entry(r.messages_per_entry())),
             words_of(f.expected_messages())});
  table.row({"  a multicast counted as one", or_dash(f.per_entry(r.sends_per_entry())), ""});
  table.row({"client delay", or_dash(f.in_t(r.client_delay), " T"),
             words_of(f.expected_client_delay(), " T")});
  table.row({"synchronization delay", or_dash(f.in_t(r.sync_delay), " T"),
             words_of(f.expected_sync_delay(), " T")});
  const std::optional<double> expected = f.expected_throughput();
  table.row({"throughput", or_dash(f.throughput(), " /s"),
             expected ? fmt::format("{} /s  (1/(SD+E))", show_number(*expected)) : ""});
  table.row({"response time, mean",
             or_dash(r.response_time, static_cast<Nanos>(r.response_time.mean())), ""});
  table.row({"longest wait", or_dash(r.wait, r.wait.most), ""});
  table.row({"entries", fmt::format("{}", r.entries), ""});
  table.row({"  that overtook an earlier request", fmt::format("{}", r.overtakes), ""});
  table.row({"fairness (Jain)", or_dash(f.per_entry(r.fairness)), ""});
  table.row({"events", fmt::format("{}", r.events),
             fmt::format("{:.1f} million/s, {} MiB", f.events_per_second() / 1e6,
                         peak_rss_bytes() >> 20)});
  fmt::print("{}\n", table.text());
  print_verdict(f);
}

}  // namespace hapax::cli
