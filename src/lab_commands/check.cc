#include "lab_commands/lab_commands.h"

namespace hapax::cli {
namespace {

void add_views(Command& command, ViewArguments& a) {
  const char* const group = "For views";
  command.add("--algorithm", &a.inside, "The algorithm inside the views",
              {.shows_default = true, .group = group});
  command.add("--join", &a.joiners, "So many of the processes are outside at first",
              {.shows_default = true, .group = group});
  command.add(
      "--most-faults", &a.most_faults,
      "Faults in one run; --faults says which: crash, pause (the default), restart, leave, "
      "evict, delete, wiped, restored, cut, settings, answer, client (one with --again dies)",
      {.shows_default = true, .group = group});
  command.add("--fixed", &a.fixed,
              "Of a fixed list of members, which agree by unanimity; its faults are restart (the "
              "default), link and file",
              {.group = group});
  command.add("--again", &a.again,
              "How often a client takes a lock again that has stayed with it, without asking",
              {.shows_default = true, .group = group});
  command.add("--gate", &a.gate,
              "Clients read and write behind a gate, and may write late; also of redlock",
              {.group = group});
  command.add("--without", &a.without, "Leave out a rule, and see why it is there",
              {.group = group});
}

}  // namespace

Command describe_check(CheckArguments& a) {
  Command command{"check", "Explore every interleaving; show a shortest counterexample"};
  command.add("ALGORITHM", &a.algorithm,
              "One that `hapax algorithms` lists; or `views`, or `redlock`", {.required = true});
  command.add("-n", &a.n, "Processes, 1 … 7; of redlock, servers", {.shows_default = true});
  command.add("--entries", &a.entries,
              "How often each process asks; in an election, one more than how "
              "often it campaigns though it has a leader",
              {.shows_default = true});
  command.add("--forever", &a.forever,
              "Each asks again and again, without end; clocks are counted from the lowest",
              {.excludes = {"--entries"}});
  command.add("--fifo", &a.fifo, "Messages of a link arrive in order (default)");
  command.add("--unordered", &a.unordered, "They may overtake one another",
              {.excludes = {"--fifo"}});
  command.add("--faults", &a.faults,
              "dup, loss, crash, each once in a run, or dup:2 for up to two; elections: crash; "
              "redlock: pause, drift, restart",
              {.takes_one_each = true});
  command.add("--expect-progress", &a.expect_progress,
              "Demand progress in spite of loss and crashes: shows what one of them costs");
  command.add("--holder", &a.holder, "Who has the token or coordinates at the start, from 1",
              {.shows_default = true});
  command.add("--held", &a.held, "The holder starts inside its critical section");
  command.add("--inside", &a.inside,
              "readers-writers, semaphore-ra: who starts inside, as a reader "
              "or with a unit; may be repeated",
              {.takes_one_each = true, .excludes = {"--held"}});
  command.add("--units", &a.units, "semaphore-ra: how many may be inside at a time",
              {.shows_default = true});
  command.add("--per-member", &a.per_member,
              "semaphore-ra: how many units a process may use; default all");
  command.add("--no-fences", &a.no_fences,
              "Do not check fences: the last one is then no part of a state");
  command.add("--say-denied", &a.say_denied, "central: answer DENIED to those who must queue");
  command.add("--voting-sets", &a.voting_sets,
              "maekawa: smallest | grid | cyclic | plane | lecture | FILE",
              {.shows_default = true});
  command.add(
      "--reduce", &a.reduce,
      "Leave out orders of deliveries that make no difference: the verdict stays, counts and "
      "the shortest way there do not; not with --forever or --faults");
  command.add("--threads", &a.threads, "Search with so many; the result is the same",
              {.shows_default = true});
  command.add("--memory", &a.memory_mib, "Give up beyond this many MiB", {.shows_default = true});
  command.add("--trace", &a.trace, "Write the counterexample to this file");
  add_views(command, a.views);
  command.add("--json", &a.json, "One JSON object instead of text");
  command.footer =
      "Examples:\n"
      "  hapax check ricart-agrawala -n 3\n"
      "  hapax check maekawa-basic -n 3 --voting-sets lecture      the lecture's deadlock\n"
      "  hapax check lamport -n 3 --unordered                      two inside\n"
      "  hapax check ricart-agrawala -n 3 --unordered --faults dup:2\n"
      "  hapax check raymond -n 3 --faults loss --expect-progress   what one lost message costs\n"
      "  hapax check ricart-agrawala -n 3 --forever                nobody is passed over\n"
      "  hapax check dijkstra -n 3 --forever                       somebody is\n"
      "  hapax check ricart-agrawala -n 5 --reduce                 5 million states of many more\n"
      "  hapax check readers-writers -n 3 --inside 1 --inside 2     from a view with two readers\n"
      "  hapax check semaphore-ra -n 3 --units 2                   at most two inside\n"
      "  hapax check bully -n 3 --faults crash:2                   all that live agree\n"
      "  hapax check views -n 2 --algorithm naimi-trehel --join 1   members crash, pause and join\n"
      "  hapax check views --algorithm naimi-trehel --without barrier   why there is one\n"
      "  hapax check views -n 2 --algorithm carvalho-roucairol --again 2   locks that stay with "
      "clients\n"
      "  hapax check views --fixed -n 2 --algorithm lamport --most-faults 2   members of a list "
      "restart\n"
      "  hapax check redlock -n 3 --faults pause                    two inside\n"
      "  hapax check redlock -n 1 --faults pause --gate             and the late write refused\n"
      "A state is stored and compared whole, never only as a hash.\n"
      "Exit status: 0 holds, 1 violated, 2 usage, 3 unfinished (memory).";
  return command;
}

}  // namespace hapax::cli
