#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "check/counterexample.h"
#include "check/run.h"
#include "console/command.h"
#include "console/json.h"
#include "console/progress.h"
#include "election/catalog.h"
#include "lab/check_views.h"
#include "lab/voting.h"
#include "mutex/catalog.h"
#include "world/minimise.h"

namespace hapax::cli {
namespace {

struct CheckArguments {
  std::string algorithm;
  std::int64_t n = 3;
  std::int64_t entries = 1;
  bool forever = false;
  bool fifo = false;
  bool unordered = false;
  std::vector<std::string> faults;
  bool expect_progress = false;
  std::int64_t holder = 1;
  bool held = false;
  std::vector<std::int64_t> inside;
  std::int64_t units = 1;
  std::int64_t per_member = 0;
  bool no_fences = false;
  bool say_denied = false;
  std::string voting_sets = "smallest";
  std::int64_t threads = 1;
  std::int64_t memory_mib = 4096;
  std::string trace;
  bool json = false;
  std::vector<const CLI::Option*> of_semaphore;
  std::vector<const CLI::Option*> of_mutex;      // Options that say nothing about an election …
  std::vector<const CLI::Option*> not_of_views;  // … and, with them, those of no view change.
  ViewArguments views;
};

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

void refuse_what_only(const char* some, const std::vector<const CLI::Option*>& have,
                      const std::string& asked) {
  for (const CLI::Option* option : have) {
    if (option->count() == 0) continue;
    throw UsageError{fmt::format("{} is for {}, not for {}", option->get_name(), some, asked)};
  }
}

void print_text(const CheckArguments& a, const CheckReport& r, const std::string& trace,
                std::size_t steps, double seconds) {
  fmt::print("{}, N = {}: {} states, {} transitions, depth {}, {:.2f} s, {:.1f} MiB\n\n",
             a.algorithm, a.n, r.states, r.transitions, r.depth, seconds,
             static_cast<double>(r.bytes) / (1 << 20));
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
    fmt::print("A shortest way there, {} steps", r.commands.size());
  }
  if (steps < r.commands.size()) fmt::print("; one who waits for ever needs {} of them", steps);
  fmt::print(":\n\n{}", trace);
}

void print_as_json(const CheckArguments& a, const CheckReport& r, const std::string& trace,
                   double seconds) {
  print_json(
      {{"algorithm", a.algorithm},
       {"n", a.n},
       {"entries", a.forever ? boost::json::value("forever") : boost::json::value(a.entries)},
       {"channels", a.unordered ? "unordered" : "fifo"},
       {"states", r.states},
       {"transitions", r.transitions},
       {"depth", r.depth},
       {"seconds", json_number(seconds)},
       {"states_per_second",
        json_number(seconds > 0 ? static_cast<double>(static_cast<std::uint64_t>(
                                      static_cast<double>(r.states) / seconds))
                                : 0)},
       {"bytes", r.bytes},
       {"verdict", name_of(r.verdict)},
       {"property", r.property},
       {"finding", r.finding},
       {"proved", r.proved},
       {"trace", trace}});
}

bool takes_units(std::string_view name) {
  const Operations* algorithm = find_algorithm(name);
  return algorithm != nullptr && algorithm->info.takes.units;
}

int run_check(const CheckArguments& a) {
  if (a.algorithm == "views") {
    refuse_what_only("algorithms", a.not_of_views, "views");
    if (!takes_units(a.views.inside)) {
      refuse_what_only("semaphore-ra", a.of_semaphore, a.views.inside);
    }
    return run_check_views(a.views, {a.n, a.entries, a.units, a.faults,
                                     static_cast<std::uint64_t>(a.memory_mib) << 20, a.json});
  }
  refuse_what_only("views", a.views.options, a.algorithm);
  const bool elects = with_election(a.algorithm, []<class A>() {});
  if (elects) refuse_what_only("mutual exclusion", a.of_mutex, a.algorithm);
  if (!takes_units(a.algorithm)) {
    refuse_what_only("semaphore-ra", a.of_semaphore, a.algorithm);
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
  const bool by_messages = elects || algorithm != nullptr;
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
  std::string trace;
  std::size_t steps = report.commands.size();
  if (report.verdict == Verdict::violated) {
    if (by_messages) {
      const Script script = value_or_usage(trace_of(a.algorithm, options, choices, report));
      trace = script.text();
      steps = steps_of(script);
    } else {
      for (std::size_t i = 0; i < report.commands.size(); ++i) {
        const bool is_round = report.round > 0 && i + report.round == report.commands.size();
        if (is_round) trace += "From here on, round and round:\n";
        trace += report.commands[i] + '\n';
      }
    }
    if (!a.trace.empty() && !(std::ofstream{a.trace} << trace).flush()) {
      throw UsageError{fmt::format("--trace {}: the file cannot be written", a.trace)};
    }
  }
  a.json ? print_as_json(a, report, trace, seconds) : print_text(a, report, trace, steps, seconds);
  return report.verdict == Verdict::violated ? kViolated
         : report.verdict == Verdict::holds  ? kHolds
                                             : kUnfinished;
}

}  // namespace

void add_check(CLI::App& app, Outcome& outcome) {
  CLI::App* command =
      app.add_subcommand("check", "Explore every interleaving; show a shortest counterexample");
  auto a = std::make_shared<CheckArguments>();
  command->add_option("ALGORITHM", a->algorithm, "One that `hapax algorithms` lists; or `views`")
      ->required();
  command->add_option("-n", a->n, "Processes, 1 … 7")->capture_default_str();
  auto* entries = command
                      ->add_option("--entries", a->entries,
                                   "How often each process asks; in an election, one more than how "
                                   "often it campaigns though it has a leader")
                      ->capture_default_str();
  auto* forever = command->add_flag(
      "--forever", a->forever,
      "Each asks again and again, without end; clocks are counted from the lowest");
  forever->excludes(entries);
  auto* fifo = command->add_flag("--fifo", a->fifo, "Messages of a link arrive in order (default)");
  auto* unordered = command->add_flag("--unordered", a->unordered, "They may overtake one another");
  unordered->excludes(fifo);
  command
      ->add_option("--faults", a->faults,
                   "dup, loss, crash, each once in a run, or dup:2 for up to two; elections: crash")
      ->allow_extra_args(false);
  auto* expect_progress = command->add_flag(
      "--expect-progress", a->expect_progress,
      "Demand progress in spite of loss and crashes: shows what one of them costs");
  auto* holder = command
                     ->add_option("--holder", a->holder,
                                  "Who has the token or coordinates at the start, from 1")
                     ->capture_default_str();
  auto* held =
      command->add_flag("--held", a->held, "The holder starts inside its critical section");
  auto* inside = command
                     ->add_option("--inside", a->inside,
                                  "readers-writers, semaphore-ra: who starts inside, as a reader "
                                  "or with a unit; may be repeated")
                     ->allow_extra_args(false);
  inside->excludes(held);
  auto* units =
      command->add_option("--units", a->units, "semaphore-ra: how many may be inside at a time")
          ->capture_default_str();
  auto* per_member = command->add_option(
      "--per-member", a->per_member, "semaphore-ra: how many units a process may use; default all");
  auto* no_fences = command->add_flag(
      "--no-fences", a->no_fences, "Do not check fences: the last one is then no part of a state");
  auto* say_denied = command->add_flag("--say-denied", a->say_denied,
                                       "central: answer DENIED to those who must queue");
  auto* voting_sets = command
                          ->add_option("--voting-sets", a->voting_sets,
                                       "maekawa: smallest | grid | cyclic | plane | lecture | FILE")
                          ->capture_default_str();
  a->of_semaphore = {units, per_member};
  a->of_mutex = {holder, held, inside, units, per_member, no_fences, say_denied, voting_sets};
  auto* threads =
      command->add_option("--threads", a->threads, "Search with so many; the result is the same")
          ->capture_default_str();
  command->add_option("--memory", a->memory_mib, "Give up beyond this many MiB")
      ->capture_default_str();
  auto* trace = command->add_option("--trace", a->trace, "Write the counterexample to this file");
  a->not_of_views = {holder,  held, inside,    per_member,      no_fences, say_denied, voting_sets,
                     forever, fifo, unordered, expect_progress, threads,   trace};
  a->views.add_to(*command);
  command->add_flag("--json", a->json, "One JSON object instead of text");
  command->footer(
      "Examples:\n"
      "  hapax check ricart-agrawala -n 3\n"
      "  hapax check maekawa-basic -n 3 --voting-sets lecture      the lecture's deadlock\n"
      "  hapax check lamport -n 3 --unordered                      two inside\n"
      "  hapax check ricart-agrawala -n 3 --unordered --faults dup:2\n"
      "  hapax check raymond -n 3 --faults loss --expect-progress   what one lost message costs\n"
      "  hapax check ricart-agrawala -n 3 --forever                nobody is passed over\n"
      "  hapax check dijkstra -n 3 --forever                       somebody is\n"
      "  hapax check readers-writers -n 3 --inside 1 --inside 2     from a view with two readers\n"
      "  hapax check semaphore-ra -n 3 --units 2                   at most two inside\n"
      "  hapax check bully -n 3 --faults crash:2                   all that live agree\n"
      "  hapax check views -n 2 --algorithm naimi-trehel --join 1   members crash, pause and join\n"
      "  hapax check views --algorithm naimi-trehel --without barrier   why there is one\n"
      "A state is stored and compared whole, never only as a hash.\n"
      "Exit status: 0 holds, 1 violated, 2 usage, 3 unfinished (memory).");
  command->callback([a, &outcome] { outcome.status = run_check(*a); });
}

}  // namespace hapax::cli
