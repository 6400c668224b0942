#include "lab_commands/lab_commands.h"

namespace hapax::cli {

Command describe_trace(TraceArguments& a) {
  Command command{"trace", "Draw a trace as a space-time diagram"};
  command.add("FILE", &a.file, "A trace; - for standard input", {.required = true});
  command.add("--ascii", &a.ascii, "For the terminal: a step a row, with its reason (default)");
  command.add("--svg", &a.svg, "For a slide or a paper");
  command.add("--json", &a.json, "Every happening, for programs");
  command.add("--shiviz", &a.shiviz, "A log with vector clocks, for ShiViz");
  command.add("-o,--output", &a.out, "Where to write it; default: standard output");
  command.footer =
      "Examples:\n"
      "  hapax trace src/mutex/testdata/request-5-and-3.trace\n"
      "  hapax trace src/mutex/testdata/six-processes.trace --svg -o six.svg\n"
      "  hapax trace src/election/testdata/bully-partition.trace --shiviz\n"
      "`hapax sim ALGORITHM … --trace FILE` writes such a trace.";
  return command;
}

Command describe_replay(ReplayArguments& a) {
  Command command{"replay", "Play a trace, block by block"};
  command.add("FILE", &a.file, "A trace; - for standard input", {.required = true});
  command.add("--check", &a.check, "Only compare with the outcomes that are written there");
  command.add("--minimise", &a.minimise,
              "Write the trace without the steps that its violation does not need",
              {.excludes = {"--check"}});
  command.add("-o,--output", &a.out, "With --minimise: where to write it",
              {.needs = {"--minimise"}});
  command.footer =
      "Examples:\n"
      "  hapax replay src/mutex/testdata/six-processes.trace\n"
      "  hapax replay src/mutex/testdata/maekawa-deadlock-3.trace --check\n"
      "  hapax replay - <src/world/testdata/bank.trace\n"
      "  hapax replay src/mutex/testdata/lamport-overtaken.trace --minimise\n"
      "Exit status: 0 fine, 1 something came out differently (--check), 2 usage.";
  return command;
}

}  // namespace hapax::cli
