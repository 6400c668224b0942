#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "check/run.h"
#include "console/json.h"
#include "console/progress.h"
#include "console/usage.h"
#include "election/catalog.h"
#include "lab/file.h"
#include "lab/run.h"
#include "lab/voting.h"
#include "told/check_json.h"

namespace hapax::cli {
namespace {

// Options that say nothing about some algorithms, or about views.
constexpr std::string_view kOfSemaphore[]{"--units", "--per-member"};
constexpr std::string_view kOfMutex[]{"--holder",     "--held",        "--inside",
                                      "--units",      "--per-member",  "--no-fences",
                                      "--say-denied", "--voting-sets", "--reduce"};
constexpr std::string_view kNotOfViews[]{
    "--holder",          "--held",        "--inside",  "--per-member", "--no-fences",
    "--say-denied",      "--voting-sets", "--forever", "--fifo",       "--unordered",
    "--expect-progress", "--threads",     "--trace",   "--reduce"};
constexpr std::string_view kOfViews[]{"--algorithm", "--join",  "--most-faults",
                                      "--gate",      "--fixed", "--without"};
constexpr std::string_view kNotOfRedlock[]{
    "--holder",     "--held",    "--inside",      "--units", "--per-member",      "--no-fences",
    "--say-denied", "--forever", "--voting-sets", "--fifo",  "--expect-progress", "--unordered",
    "--threads",    "--trace",   "--algorithm",   "--join",  "--most-faults",     "--fixed",
    "--without",    "--reduce"};
constexpr std::string_view kNotOfLists[]{"--join", "--gate", "--units"};

// dup | dup:2, and so on.
void add_fault(CheckOptions& options, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  std::uint32_t budget = 1;
  if (colon != std::string::npos) {
    const std::string count = text.substr(colon + 1);
    if (count.empty() || count.size() > 1 || count[0] < '1' || count[0] > '9') {
      throw UsageError{fmt::format("fault '{}': say how often, from 1 to 9, e.g. dup:2", text)};
    }
    budget = static_cast<std::uint32_t>(count[0] - '0');
  }
  if (kind == "dup") {
    options.duplicates = budget;
  } else if (kind == "loss") {
    options.losses = budget;
  } else if (kind == "crash") {
    options.crashes = budget;
  } else {
    throw UsageError{
        fmt::format("fault '{}' is not known; use dup, loss or crash, with :2 for two", text)};
  }
}

CheckOptions options_from(const CheckArguments& a) {
  CheckOptions options;
  if (a.n < 1 || a.n > kMostChecked) {
    throw UsageError{
        fmt::format("-n {} is out of reach of an exhaustive check; use 1 … {}", a.n, kMostChecked)};
  }
  if (a.entries < 1 || a.entries > 200) {
    throw UsageError{fmt::format("--entries {} is out of range; use 1 … 200", a.entries)};
  }
  if (a.holder < 1 || a.holder > a.n) {
    throw UsageError{fmt::format("--holder {} is no process; use 1 … {}", a.holder, a.n)};
  }
  if (a.memory_mib < 16 || a.memory_mib > 1'000'000) {
    throw UsageError{
        fmt::format("--memory {} is out of range; use 16 … 1000000 MiB", a.memory_mib)};
  }
  if (a.threads < 1 || a.threads > 64) {
    throw UsageError{fmt::format("--threads {} is out of range; use 1 … 64", a.threads)};
  }
  options.threads = static_cast<unsigned>(a.threads);
  options.reduce = a.reduce;
  options.n = static_cast<std::uint32_t>(a.n);
  options.entries = static_cast<std::uint32_t>(a.entries);
  options.forever = a.forever;
  options.channels = a.unordered ? Channels::unordered : Channels::fifo;
  options.holder = NodeId{static_cast<std::uint32_t>(a.holder - 1)};
  options.expect_progress = a.expect_progress;
  options.held = a.held;
  options.fences = !a.no_fences;
  for (const std::int64_t process : a.inside) {
    if (process < 1 || process > a.n) {
      throw UsageError{fmt::format("--inside {} is no process; use 1 … {}", process, a.n)};
    }
    options.holdings.resize(options.n, Holding{Mode::shared, 0});
    ++options.holdings[static_cast<std::size_t>(process - 1)].units;
  }
  options.most_bytes = static_cast<std::uint64_t>(a.memory_mib) << 20;
  for (const std::string& list : a.faults) {
    std::stringstream words{list};
    for (std::string word; std::getline(words, word, ',');) add_fault(options, word);
  }
  return options;
}

void refuse_what_only(const char* some, std::span<const std::string_view> have, const Given& given,
                      const std::string& asked) {
  for (const std::string_view option : have) {
    if (!given.has(option)) continue;
    throw UsageError{fmt::format("{} is for {}, not for {}", option, some, asked)};
  }
}

// What became of --reduce.
std::string about_reduction(bool asked, const CheckReport& r) {
  if (!asked) return {};
  if (!r.reduced) return "; not reduced, since runs may go on for ever";
  return r.searches == 1 ? "; reduced" : fmt::format("; reduced, in {} searches", r.searches);
}

void print_text(const CheckArguments& a, const CheckReport& r, const std::string& trace,
                std::size_t steps, double seconds) {
  fmt::print("{}, N = {}: {} states, {} transitions, depth {}, {:.2f} s, {:.1f} MiB{}\n\n",
             a.algorithm, a.n, r.states, r.transitions, r.depth, seconds,
             static_cast<double>(r.bytes) / (1 << 20), about_reduction(a.reduce, r));
  if (r.verdict != Verdict::violated) {
    fmt::print("{}: {}\n", r.verdict == Verdict::holds ? "HOLDS" : "UNFINISHED", r.proved);
    return;
  }
  if (r.commands.empty()) {
    fmt::print("VIOLATED, {}: {}.\n", r.property, r.finding);
    return;
  }
  fmt::print("VIOLATED, {}: {}. ", r.property, r.finding);
  if (r.round > 0) {
    fmt::print("A way there and once round, {} steps", steps);
  } else {
    fmt::print("{} way there, {} steps", r.reduced ? "A" : "A shortest", r.commands.size());
  }
  if (steps < r.commands.size()) fmt::print("; one who waits for ever needs {} of them", steps);
  fmt::print(":\n\n{}", trace);
}

bool takes_units(std::string_view name) {
  const Operations* algorithm = find_algorithm(name);
  return algorithm != nullptr && algorithm->info.takes.units;
}

}  // namespace

int run_check(const CheckArguments& a, const Given& given) {
  if (a.algorithm == "views") {
    refuse_what_only("algorithms", kNotOfViews, given, "views");
    if (!takes_units(a.views.inside)) {
      refuse_what_only("semaphore-ra", kOfSemaphore, given, a.views.inside);
    }
    if (a.views.fixed) refuse_what_only("views on an engine", kNotOfLists, given, "--fixed");
    return run_check_views(a);
  }
  if (a.algorithm == "redlock") {
    refuse_what_only("others", kNotOfRedlock, given, "redlock");
    return run_check_redlock(a);
  }
  refuse_what_only("views", kOfViews, given, a.algorithm);
  const bool elects = with_election(a.algorithm, []<class A>() {});
  if (elects) refuse_what_only("mutual exclusion", kOfMutex, given, a.algorithm);
  if (!takes_units(a.algorithm)) {
    refuse_what_only("semaphore-ra", kOfSemaphore, given, a.algorithm);
  }
  const CheckOptions options = options_from(a);
  const Operations* algorithm = find_algorithm(a.algorithm);
  std::optional<VotingSets> sets;
  if (algorithm != nullptr) sets = voting_sets_for(algorithm->info, a.voting_sets, options.n);
  if (a.units < 1 || a.units > 200) {
    throw UsageError{fmt::format("--units {} is out of range; use 1 … 200", a.units)};
  }
  if (a.per_member < 0 || a.per_member > a.units) {
    throw UsageError{
        fmt::format("--per-member {} is out of range; use 1 … {}", a.per_member, a.units)};
  }
  const MutexChoices choices{.voting_sets = sets ? &*sets : nullptr,
                             .say_denied = a.say_denied,
                             .units = static_cast<std::uint32_t>(a.units),
                             .per_member = static_cast<std::uint32_t>(a.per_member)};
  CheckReport report;
  double seconds = 0;
  {
    Progress progress{!a.json};
    report = value_or_usage(check(a.algorithm, options, choices, [&](const SearchProgress& p) {
      progress.show(p.states - p.frontier, p.states,
                    fmt::format("{} states, {:.1f} million/s, frontier {}, depth {}, {} MiB",
                                p.states, static_cast<double>(p.states) / progress.seconds() / 1e6,
                                p.frontier, p.depth, p.bytes >> 20));
      return true;
    }));
    seconds = progress.seconds();
  }
  const Counterexample way =
      value_or_usage(counterexample_of(a.algorithm, options, choices, report));
  if (report.verdict == Verdict::violated && !a.trace.empty()) write_file(a.trace, way.text);
  if (a.json) {
    print_json(check_json(a.algorithm, options, report, way.text, seconds));
  } else {
    print_text(a, report, way.text, way.steps, seconds);
  }
  return report.verdict == Verdict::violated ? kViolated
         : report.verdict == Verdict::holds  ? kHolds
                                             : kUnfinished;
}

}  // namespace hapax::cli
