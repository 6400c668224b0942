// `hapax check redlock`.
#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "base/counted.h"
#include "console/usage.h"
#include "lab/run.h"
#include "lab/told_check.h"
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
  for_each_fault(a.faults, [&](const std::string& kind) {
    if (kind == "pause") {
      options.pause = true;
    } else if (kind == "drift") {
      options.drift = true;
    } else if (kind == "restart") {
      options.restart = true;
    } else {
      throw UsageError{
          fmt::format("fault '{}' is not known; redlock has pause, drift and restart", kind)};
    }
  });
  return options;
}

}  // namespace

int run_check_redlock(const CheckArguments& a) {
  const RedlockOptions options = redlock_options_from(a);
  const ToldCheck check = check_with_progress(
      a.json, [&](const SearchObserver& observer) { return check_redlock(options, observer); });
  const CheckReport& r = check.report;
  if (a.json) {
    print_as_json({{"algorithm", "redlock"},
                   {"servers", a.n},
                   {"entries", a.entries},
                   {"gate", a.views.gate}},
                  check);
  } else {
    fmt::print("redlock, {}, 2 clients: {} states, {} transitions, depth {}, {:.2f} s\n",
               counted(options.servers, "server"), r.states, r.transitions, r.depth, check.seconds);
    print_verdict(r);
  }
  return status_of(r.verdict);
}

}  // namespace hapax::cli
