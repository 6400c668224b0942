#include "lab/sim.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sys/resource.h>

#include "console/json.h"
#include "console/number.h"
#include "console/progress.h"
#include "console/table.h"
#include "election/catalog.h"
#include "lab/sim_trace.h"
#include "lab/voting.h"
#include "memory/catalog.h"
#include "mutex/catalog.h"
#include "sim/run.h"
#include "sim/theory.h"

namespace hapax::cli {
namespace {

constexpr std::int64_t kMostProcesses = 10'000'000;
constexpr std::int64_t kMostRequests = 1'000'000'000;
constexpr std::uint32_t kAskersAtMost = 64;     // Of very many processes, unless told otherwise …
constexpr std::uint32_t kManyProcesses = 1000;  // … and this many are very many.

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

[[noreturn]] void unknown_algorithm(const std::string& name) {
  for (const MemoryInfo& info : kMemoryCatalog) {
    if (info.name == name) {
      throw UsageError{
          fmt::format("'{}' is a shared-memory algorithm for threads and sends no messages; "
                      "simulate 'bakery' or "
                      "another one of `hapax algorithms`",
                      name)};
    }
  }
  std::string_view nearest;
  std::size_t distance = 4;
  const auto consider = [&](std::string_view candidate) {
    const bool begins = name.size() > 1 && candidate.starts_with(name);
    if (const std::size_t d = begins ? 0 : edit_distance(name, candidate); d < distance) {
      nearest = candidate;
      distance = d;
    }
  };
  for (const Operations* algorithm : algorithms()) consider(algorithm->info.name);
  for_each_election([&]<class A>() { consider(A::kInfo.name); });
  throw UsageError{
      nearest.empty()
          ? fmt::format("there is no algorithm '{}'; `hapax algorithms` lists them", name)
          : fmt::format("there is no algorithm '{}'; did you mean {}?", name, nearest)};
}

std::uint64_t in_range(std::int64_t value, std::int64_t low, std::int64_t high,
                       std::string_view what) {
  if (value < low || value > high) {
    throw UsageError{fmt::format("{} {} is out of range; use {} … {}", what, value, low, high)};
  }
  return static_cast<std::uint64_t>(value);
}

SimOptions options_from(const SimArguments& a) {
  SimOptions options;
  options.n = processes(a.n);
  options.entries = in_range(a.requests, 1, kMostRequests, "--requests");
  options.load = value_or_usage(Load::parse(a.load));
  options.latency = value_or_usage(Latency::parse(a.latency));
  options.inside = value_or_usage(parse_duration(a.inside, "--cs"));
  options.channels = a.unordered ? Channels::unordered : Channels::fifo;
  options.seed = a.seed;
  options.holder = NodeId{static_cast<std::uint32_t>(in_range(a.holder, 0, a.n - 1, "--holder"))};
  options.held = a.held;
  options.readers = a.readers;
  options.self_check = a.self_check;
  options.requesters = static_cast<std::uint32_t>(in_range(a.requesters, 0, a.n, "--requesters"));
  if (options.requesters == 0 && options.load.kind != Load::Kind::low &&
      options.n > kManyProcesses) {
    options.requesters = kAskersAtMost;
  }
  for (const std::string& fault : a.faults) {
    options.faults.push_back(value_or_usage(parse_fault(fault)));
  }
  return options;
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

struct Finished {
  const SimArguments& arguments;
  const SimOptions& options;
  const VotingSets* sets;
  Theory theory;
  SimReport report;
  double seconds;

  double t() const { return static_cast<double>(options.latency.mean()); }
  double events_per_second() const {
    return seconds > 0 ? static_cast<double>(report.events) / seconds : 0;
  }
  bool several_at_once() const { return options.readers > 0 || arguments.units > 1; }
  // The formulas for messages and client delay are about one requester at a time, those for
  // throughput about all at once, of which one is inside; all of them about every process asking,
  // and none failing.
  bool is(Load::Kind kind) const {
    if (kind == Load::Kind::high && several_at_once()) return false;
    return options.load.kind == kind && options.faults.empty() &&
           options.requesters % options.n == 0;
  }
  const Expected* expected_messages() const {
    return is(Load::Kind::low) && !theory.messages_at_saturation ? &theory.messages : nullptr;
  }
  const Expected* expected_client_delay() const {
    return is(Load::Kind::low) ? &theory.client_delay : nullptr;
  }
  const Expected* expected_sync_delay() const {
    return is(Load::Kind::high) && report.sync_delay.count > 0 ? &theory.sync_delay_high : nullptr;
  }
  // Only if requests arrive while another is inside, so that the next one has long been waiting.
  std::optional<double> expected_throughput() const {
    if (!is(Load::Kind::high) || options.inside < 5 * options.latency.mean()) return std::nullopt;
    const double sync = theory.sync_delay_high.is_range ? report.sync_delay.mean()
                                                        : theory.sync_delay_high.value * t();
    return static_cast<double>(kSecond) / (sync + static_cast<double>(options.inside));
  }
  // Figures about entries, if there are any; a rate takes two.
  std::optional<double> per_entry(double value) const {
    return report.counted_entries == 0 ? std::nullopt : std::optional{value};
  }
  std::optional<double> throughput() const {
    return report.throughput > 0 ? std::optional{report.throughput} : std::nullopt;
  }
  std::optional<double> in_t(const Spread& spread) const {
    if (spread.count == 0) return std::nullopt;
    return spread.mean() / t();
  }
};

boost::json::value maybe(std::optional<double> value) {
  return value ? json_number(*value) : boost::json::value{};
}

boost::json::value maybe(const Expected* expected) {
  return expected != nullptr ? json_number(expected->value) : boost::json::value{};
}

std::optional<double> in_ms(const Spread& spread, double nanos) {
  return spread.count == 0 ? std::nullopt : std::optional{nanos / kMillisecond};
}

void print_as_json(const Finished& f) {
  const SimReport& r = f.report;
  boost::json::array details;
  for (const Violation& v : r.violations) {
    details.push_back({{"kind", name_of(v.kind)}, {"at_ns", v.at}, {"text", v.text}});
  }
  boost::json::object object{
      {"algorithm", f.arguments.algorithm},
      {"n", f.options.n},
      {"load", f.options.load.text()},
      {"latency", f.options.latency.text()},
      {"cs_ns", f.options.inside},
      {"channels", f.options.channels == Channels::fifo ? "fifo" : "unordered"},
      {"seed", f.options.seed},
      {"requests", f.options.entries},
      {"entries", r.entries},
      {"messages_per_entry", maybe(f.per_entry(r.messages_per_entry()))},
      {"expected_messages_per_entry", maybe(f.expected_messages())},
      {"multicasts_per_entry", maybe(f.per_entry(r.sends_per_entry()))},
      {"client_delay_T", maybe(f.in_t(r.client_delay))},
      {"expected_client_delay_T", maybe(f.expected_client_delay())},
      {"sync_delay_T", maybe(f.in_t(r.sync_delay))},
      {"expected_sync_delay_T", maybe(f.expected_sync_delay())},
      {"response_time_ms", maybe(in_ms(r.response_time, r.response_time.mean()))},
      {"throughput", maybe(f.throughput())},
      {"expected_throughput", maybe(f.expected_throughput())},
      {"in_request_order", r.overtakes == 0},
      {"overtakes", r.overtakes},
      {"longest_wait_ms", maybe(in_ms(r.wait, static_cast<double>(r.wait.most)))},
      {"fairness", maybe(f.per_entry(r.fairness))},
      {"virtual_time_ms", json_number(static_cast<double>(r.virtual_time) / kMillisecond)},
      {"events", r.events},
      {"events_per_second", json_number(std::round(f.events_per_second()))},
      {"peak_rss_bytes", peak_rss_bytes()},
      {"violations", r.violation_count},
      {"stopped_early", r.stopped_early},
      {"violation_details", std::move(details)},
      {"fingerprint", fmt::format("{:016x}", r.fingerprint)}};
  if (f.sets != nullptr) object["voting_sets"] = f.sets->describe();
  print_json(object);
}

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

void print_verdict(const Finished& f) {
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

void print_table(const Finished& f) {
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

void warn(const SimArguments& a) {
  if (a.json || !a.unordered) return;
  if (find_algorithm(a.algorithm)->info.needs != Channels::fifo) return;
  fmt::print(stderr, "note: {} needs FIFO channels; this run shows what happens without\n",
             a.algorithm);
}

}  // namespace

std::uint32_t processes(std::int64_t n) {
  if (n < 1 || n > kMostProcesses) {
    throw UsageError{
        fmt::format("-n {} is out of range; use 1 … {} processes, e.g. -n 10", n, kMostProcesses)};
  }
  return static_cast<std::uint32_t>(n);
}

int simulate_mutex(const SimArguments& a) {
  SimOptions options = options_from(a);
  const MutexInfo& info = find_algorithm(a.algorithm)->info;
  const std::optional<VotingSets> chosen = voting_sets_for(info, a.voting_sets, options.n);
  const VotingSets* sets = chosen ? &*chosen : nullptr;
  const MutexChoices choices{.voting_sets = sets,
                             .say_denied = a.say_denied,
                             .units = static_cast<std::uint32_t>(a.units),
                             .per_member = 1};
  std::optional<SimTrace> trace;
  if (!a.trace.empty()) {
    trace.emplace(a, options, sets);
    options.recorder = trace->recorder();
  }
  Progress progress{!a.json};
  double set_up = 0;  // Making a million processes is not what events per second are about.
  const Result<SimReport> report =
      simulate(a.algorithm, options, choices, [&](const SimProgress& p) {
        if (p.events == 0) set_up = progress.seconds();
        progress.show(p.entries, p.entries_wanted,
                      fmt::format("{} of {} entries, {:.1f} million events", p.entries,
                                  p.entries_wanted, static_cast<double>(p.events) / 1e6));
        return true;
      });
  const double seconds = progress.seconds() - set_up;
  const Finished finished{a,
                          options,
                          sets,
                          theory_with_uniform_draw(info, options.n, choices),
                          value_or_usage(report),
                          seconds};
  if (trace) trace->write();
  warn(a);  // Not before: an error is one line.
  a.json ? print_as_json(finished) : print_table(finished);
  return finished.report.violation_count == 0 ? kHolds : kViolated;
}

namespace {

int run_sim(const SimArguments& a, const CLI::App& command) {
  processes(a.n);
  const bool elects = with_election(a.algorithm, []<class A>() {});
  const Operations* algorithm = find_algorithm(a.algorithm);
  if (!elects && algorithm == nullptr) unknown_algorithm(a.algorithm);
  const MutexInfo info = elects ? MutexInfo{} : algorithm->info;
  const auto only_for = [&](const char* option, bool fits, std::string_view whom) {
    if (command.count(option) > 0 && !fits) {
      throw UsageError{fmt::format("{} is for {} only; leave it out", option, whom)};
    }
  };
  if (!a.swarm.empty()) {
    if (a.swarm != "swarm" || elects) {
      throw UsageError{
          "--faults takes `swarm`, and an algorithm of mutual exclusion; single faults are "
          "--fault"};
    }
    for (const CLI::Option* option : command.get_options()) {
      const std::string name = option->get_name();
      const bool fits = name == "ALGORITHM" || name == "--faults" || name == "--seed" ||
                        name == "--seeds" || name == "--json";
      if (!fits)
        only_for(name.c_str(), false, "runs without a swarm, which draws it from the seed,");
    }
    return simulate_swarm(a);
  }
  only_for("--seeds", false, "--faults swarm");
  only_for("--voting-sets", info.voting_sets != nullptr, "algorithms that vote");
  only_for("--say-denied", info.takes.say_denied, "central");
  only_for("--readers", info.readers_join, "readers-writers");
  only_for("--units", info.takes.units, "semaphore-ra");
  only_for("--starter", elects, "elections");
  only_for("--down", elects, "elections");
  for (const char* option :
       {"--load", "--cs", "--requests", "--requesters", "--holder", "--held", "--trace"}) {
    only_for(option, !elects, "mutual exclusion");
  }
  return elects ? simulate_election(a) : simulate_mutex(a);
}

}  // namespace

void add_sim(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("sim", "Run one algorithm in virtual time and measure it");
  auto a = std::make_shared<SimArguments>();
  command->add_option("ALGORITHM", a->algorithm, "A name that `hapax algorithms` lists")
      ->required();
  command->add_option("-n", a->n, "Processes, 1 … 10,000,000")
      ->transform(whole_number(1, kMostProcesses, " processes, e.g. -n 10"))
      ->capture_default_str();
  command->add_option("--requests", a->requests, "Critical sections in all")
      ->transform(whole_number(1, kMostRequests))
      ->capture_default_str();
  command
      ->add_option("--load", a->load,
                   "low: one at a time | high: each asks again at once | "
                   "poisson:RATE requests a second")
      ->capture_default_str();
  command
      ->add_option("--requesters", a->requesters,
                   "How many processes ask; 0, the default: all, or, unless the load is low, "
                   "64 of more than 1000")
      ->transform(whole_number(0, kMostProcesses));
  command
      ->add_option("--latency", a->latency,
                   "const:1ms (or 1ms) | uniform:500us:2ms | exp:1ms | zones | europe | world")
      ->capture_default_str();
  command->add_option("--cs", a->inside, "Time inside the critical section")->capture_default_str();
  auto* fifo = command->add_flag("--fifo", a->fifo, "Messages of a link arrive in order (default)");
  command->add_flag("--unordered", a->unordered, "They may overtake one another")->excludes(fifo);
  command
      ->add_option("--fault", a->faults,
                   "loss:P | dup:P | crash:I@T | pause:I@T+D | partition:I-J@T+D, which cuts I-J "
                   "(also a list, 0-4,7) off from the rest, for ever without +D; of crash and "
                   "pause I may be any; T may be a range 1ms..9ms; elections take crash and "
                   "partition only; may be repeated")
      ->allow_extra_args(false);
  command->add_option(
      "--faults", a->swarm,
      "swarm: whole groups with their views under crashes, pauses, cuts, lost answers "
      "and drifting clocks, everything drawn from the seed");
  command->add_option("--seeds", a->seeds, "How many seeds of a swarm, from --seed on")
      ->transform(whole_number(1, 100'000'000))
      ->capture_default_str();
  command->add_option("--seed", a->seed, "Same seed, same run")
      ->transform(whole_number(0, ~std::uint64_t{0}))
      ->capture_default_str();
  command
      ->add_option("--voting-sets", a->voting_sets,
                   "maekawa: smallest | grid | cyclic | plane | lecture | FILE of lines '1: 1 2 3'")
      ->capture_default_str();
  command->add_option("--holder", a->holder, "Who has the token or coordinates at the start")
      ->transform(whole_number(0, kMostProcesses - 1))
      ->capture_default_str();
  command->add_flag("--held", a->held, "The holder starts inside its critical section");
  command->add_flag("--say-denied", a->say_denied,
                    "central: answer DENIED to those who must queue");
  command
      ->add_option("--readers", a->readers,
                   "readers-writers: how many of all requests only read, 0 … 1")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--units", a->units, "semaphore-ra: how many may be inside at a time")
      ->transform(whole_number(1, kMostProcesses))
      ->capture_default_str();
  command->add_flag("--self-check", a->self_check,
                    "Take every step twice and encode every message (slow)");
  command
      ->add_option("--starter", a->starters,
                   "elections: who notices; default: the lowest that is up; may be repeated")
      ->transform(whole_number(0, kMostProcesses - 1))
      ->allow_extra_args(false);
  command->add_option("--down", a->down, "elections: who is known to be down; may be repeated")
      ->transform(whole_number(0, kMostProcesses - 1))
      ->allow_extra_args(false);
  command->add_option("--trace", a->trace,
                      "Write the run, its first 2,000 steps, as a trace to this file");
  command->add_flag("--json", a->json, "One JSON object instead of a table");
  command->footer(
      "Examples:\n"
      "  hapax sim ricart-agrawala -n 25 --load high --latency exp:1ms --cs 5ms\n"
      "  hapax sim maekawa -n 1000000 --load high --requesters 64\n"
      "  hapax sim maekawa-basic -n 3 --load high                   the lecture's deadlock\n"
      "  hapax sim lamport -n 5 --load high --unordered --latency exp:1ms\n"
      "  hapax sim token-ring -n 4 --load high --cs 1ms --latency exp:5ms --fault dup:0.05\n"
      "  hapax sim readers-writers --load high --readers 0.8\n"
      "  hapax sim semaphore-ra --load high --units 3\n"
      "  hapax sim bully -n 10 --down 9 --starter 0\n"
      "  hapax sim ring-election -n 6 --fault partition:0-2@0ms     two leaders\n"
      "  hapax sim maekawa -n 4 --load high --requests 4 --trace run.trace   for `hapax replay`\n"
      "  hapax sim naimi-trehel --faults swarm --seeds 1000         leases and views under fire\n"
      "The theory column is empty where theory does not hold: with faults, if not all processes "
      "ask,\n"
      "for throughput if the time inside is below 5T. 1/(SD+E) takes the SD under high load; of\n"
      "maekawa, for which theory has bounds only, that of the run itself. A run stops after 1000\n"
      "violations. Two leaders on two sides of a partition are shown, but violate nothing.\n"
      "Exit status: 0 fine, 1 a property was violated, 2 usage or the output could not be "
      "written,\n"
      "70 out of memory.");
  command->callback([a, &outcome, command] { outcome.status = run_sim(*a, *command); });
}

}  // namespace hapax::cli
