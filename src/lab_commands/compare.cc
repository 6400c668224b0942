#include "console/number.h"
#include "lab_commands/lab_commands.h"

namespace hapax::cli {
namespace {

constexpr std::uint64_t kMostCompared = 2000;  // Tables of more take minutes.

}  // namespace

Command describe_compare(CompareArguments& a) {
  Command command{"compare", "Every algorithm: measured beside theory"};
  command.add("-n", &a.n, "Processes, 1 … 2000",
              {.check = whole_number(1, kMostCompared,
                                     " processes, or `hapax sim` for one algorithm of more"),
               .shows_default = true});
  command.add("--latency", &a.latency, "T, the time of a message: 1ms or const:1ms",
              {.shows_default = true});
  command.add("--cs", &a.inside, "E, the time inside; 5T, the default, or more");
  command.add("--voting-sets", &a.voting_sets,
              "maekawa: smallest | grid | cyclic | plane | lecture | FILE",
              {.shows_default = true});
  command.add("--seed", &a.seed, "Same seed, same table",
              {.check = whole_number(0, ~std::uint64_t{0}), .shows_default = true});
  command.add("--narrow", &a.narrow,
              "Formulas in a table of their own; default on a terminal that is too narrow");
  command.add("--json", &a.json, "One JSON object instead of tables");
  command.footer =
      "Examples:\n"
      "  hapax compare -n 10\n"
      "  hapax compare -n 7 --voting-sets lecture\n"
      "  hapax compare -n 100 --json | jq '.rows[] | {algorithm, messages_per_entry}'";
  return command;
}

}  // namespace hapax::cli
