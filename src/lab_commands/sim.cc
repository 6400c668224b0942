#include "catalog/catalog.h"
#include "console/number.h"
#include "election/catalog.h"
#include "lab_commands/lab_commands.h"

namespace hapax::cli {
namespace {

constexpr std::uint64_t kMostProcesses = 10'000'000;
constexpr std::uint64_t kMostRequests = 1'000'000'000;

}  // namespace

Command describe_sim(SimArguments& a) {
  Command command{"sim", "Run one algorithm in virtual time and measure it"};
  command.add("ALGORITHM", &a.algorithm, "A name that `hapax algorithms` lists",
              {.required = true});
  command.add(
      "-n", &a.n, "Processes, 1 … 10,000,000",
      {.check = whole_number(1, kMostProcesses, " processes, e.g. -n 10"), .shows_default = true});
  command.add("--requests", &a.requests, "Critical sections in all",
              {.check = whole_number(1, kMostRequests), .shows_default = true});
  command.add("--load", &a.load,
              "low: one at a time | high: each asks again at once | "
              "poisson:RATE requests a second",
              {.shows_default = true});
  command.add("--requesters", &a.requesters,
              "How many processes ask; 0, the default: all, or, unless the load is low, "
              "64 of more than 1000",
              {.check = whole_number(0, kMostProcesses)});
  command.add("--latency", &a.latency,
              "const:1ms (or 1ms) | uniform:500us:2ms | exp:1ms | zones | europe | world",
              {.shows_default = true});
  command.add("--cs", &a.inside, "Time inside the critical section", {.shows_default = true});
  command.add("--fifo", &a.fifo, "Messages of a link arrive in order (default)");
  command.add("--unordered", &a.unordered, "They may overtake one another",
              {.excludes = {"--fifo"}});
  command.add("--fault", &a.faults,
              "loss:P | dup:P | crash:I@T | pause:I@T+D | partition:I-J@T+D, which cuts I-J "
              "(also a list, 0-4,7) off from the rest, for ever without +D; of crash and "
              "pause I may be any; T may be a range 1ms..9ms; elections take crash and "
              "partition only; may be repeated",
              {.takes_one_each = true});
  command.add("--faults", &a.swarm,
              "swarm: whole groups with their views under crashes, pauses, cuts, lost answers "
              "and drifting clocks, everything drawn from the seed");
  command.add(
      "--fixed", &a.fixed,
      "With --faults swarm: groups with a fixed list of members, which restart, all at once, "
      "too, and lose their state files");
  command.add("--seeds", &a.seeds, "How many seeds of a swarm, from --seed on",
              {.check = whole_number(1, 100'000'000), .shows_default = true});
  command.add("--seed", &a.seed, "Same seed, same run",
              {.check = whole_number(0, ~std::uint64_t{0}), .shows_default = true});
  command.add("--voting-sets", &a.voting_sets,
              "maekawa: smallest | grid | cyclic | plane | lecture | FILE of lines '1: 1 2 3'",
              {.shows_default = true});
  command.add("--holder", &a.holder, "Who has the token or coordinates at the start",
              {.check = whole_number(0, kMostProcesses - 1), .shows_default = true});
  command.add("--held", &a.held, "The holder starts inside its critical section");
  command.add("--say-denied", &a.say_denied, "central: answer DENIED to those who must queue");
  command.add("--readers", &a.readers, "readers-writers: how many of all requests only read, 0 … 1",
              {.check = fraction(0, 1)});
  command.add("--units", &a.units, "semaphore-ra: how many may be inside at a time",
              {.check = whole_number(1, kMostProcesses), .shows_default = true});
  command.add("--self-check", &a.self_check,
              "Take every step twice and encode every message (slow)");
  command.add("--starter", &a.starters,
              "elections: who notices; default: the lowest that is up; may be repeated",
              {.check = whole_number(0, kMostProcesses - 1), .takes_one_each = true});
  command.add("--down", &a.down, "elections: who is known to be down; may be repeated",
              {.check = whole_number(0, kMostProcesses - 1), .takes_one_each = true});
  command.add("--trace", &a.trace, "Write the run, its first 2,000 steps, as a trace to this file");
  command.add("--json", &a.json, "One JSON object instead of a table");
  command.footer =
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
      "70 out of memory.";
  const auto add_name = [&](const auto& info) {
    command.words.push_back({std::string{info.name}, std::string{info.summary}});
  };
  for (const Operations* algorithm : algorithms()) add_name(algorithm->info);
  for_each_election([&]<class A>() { add_name(A::kInfo); });
  return command;
}

}  // namespace hapax::cli
