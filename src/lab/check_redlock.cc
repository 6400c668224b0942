// `hapax check redlock`.
#include <cstdint>
#include <fmt/format.h>
#include <sstream>
#include <string>

#include "base/counted.h"
#include "console/json.h"
#include "console/progress.h"
#include "console/usage.h"
#include "lab/run.h"
#include "redlock/run_redlock.h"

namespace hapax::cli {
namespace {

RedlockOptions redlock_options_from(const CheckArguments& a) {
  const auto refuse = [](const char* option, std::int64_t value, const char* range) {
    throw UsageError{
        fmt::format("{} {} is out of reach of a check of Redlock; use {}", option, value, range)};
  };
  if (a.n < 1 || a.n > kMostRedlockServers) refuse("-n", a.n, "1 … 5 servers");
  if (a.entries < 1 || a.entries > 3) refuse("--entries", a.entries, "1 … 3");
  if (a.memory_mib < 16 || a.memory_mib > 1'000'000) {
    refuse("--memory", a.memory_mib, "16 … 1000000 MiB");
  }
  RedlockOptions options;
  options.servers = static_cast<std::uint32_t>(a.n);
  options.tries = static_cast<std::uint32_t>(a.entries);
  options.gate = a.views.gate;
  options.most_bytes = static_cast<std::uint64_t>(a.memory_mib) << 20;
  for (const std::string& list : a.faults) {
    std::stringstream words{list};
    for (std::string word; std::getline(words, word, ',');) {
      if (word == "pause") {
        options.pause = true;
      } else if (word == "drift") {
        options.drift = true;
      } else if (word == "restart") {
        options.restart = true;
      } else {
        throw UsageError{
            fmt::format("fault '{}' is not known; redlock has pause, drift and restart", word)};
      }
    }
  }
  return options;
}

void print_redlock(const CheckArguments& a, const CheckReport& r, double seconds) {
  fmt::print("redlock, {}, 2 clients: {} states, {} transitions, depth {}, {:.2f} s\n\n",
             counted(static_cast<std::uint64_t>(a.n), "server"), r.states, r.transitions, r.depth,
             seconds);
  if (r.verdict != Verdict::violated) {
    fmt::print("{}: {}\n", r.verdict == Verdict::holds ? "HOLDS" : "UNFINISHED", r.proved);
    return;
  }
  fmt::print("VIOLATED, {}: {}. A shortest way there, {} steps:\n\n", r.property, r.finding,
             r.commands.size());
  for (std::size_t i = 0; i < r.commands.size(); ++i) {
    fmt::print("{:>3}  {}\n", i + 1, r.commands[i]);
  }
}

}  // namespace

int run_check_redlock(const CheckArguments& a) {
  CheckReport report;
  double seconds = 0;
  {
    Progress progress{!a.json};
    report = check_redlock(redlock_options_from(a), [&](const SearchProgress& p) {
      progress.show(p.states - p.frontier, p.states,
                    fmt::format("{} states, frontier {}, depth {}", p.states, p.frontier, p.depth));
      return true;
    });
    seconds = progress.seconds();
  }
  if (a.json) {
    boost::json::array steps;
    for (const std::string& command : report.commands) steps.emplace_back(command);
    print_json({{"algorithm", "redlock"},
                {"servers", a.n},
                {"entries", a.entries},
                {"gate", a.views.gate},
                {"states", report.states},
                {"transitions", report.transitions},
                {"depth", report.depth},
                {"seconds", json_number(seconds)},
                {"verdict", name_of(report.verdict)},
                {"property", report.property},
                {"finding", report.finding},
                {"proved", report.proved},
                {"steps", steps}});
  } else {
    print_redlock(a, report, seconds);
  }
  return report.verdict == Verdict::violated ? kViolated
         : report.verdict == Verdict::holds  ? kHolds
                                             : kUnfinished;
}

}  // namespace hapax::cli
