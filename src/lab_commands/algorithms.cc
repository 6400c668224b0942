#include "lab_commands/lab_commands.h"

namespace hapax::cli {

Command describe_algorithms(AlgorithmsArguments& a) {
  Command command{"algorithms", "What there is, one line each"};
  command.add("--json", &a.json, "One JSON object instead of tables");
  command.footer =
      "Examples:\n  hapax algorithms\n  hapax algorithms --json | jq '.algorithms[].name'";
  return command;
}

}  // namespace hapax::cli
