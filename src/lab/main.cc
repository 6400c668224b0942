// hapax-lab: the laboratory, which `hapax sim` and so on hand over to.
#include "lab/run.h"

int main(int argc, char** argv) {
  using namespace hapax::cli;
  const Program program{
      "hapax-lab: algorithms of mutual exclusion and leader election, simulated, checked and "
      "drawn.",
      "`hapax COMMAND` does the same. `hapax COMMAND --help` says more.",
      {make_command(describe_algorithms, run_algorithms),
       make_command(describe_compare, run_compare), make_command(describe_sim, run_sim),
       make_command(describe_check, run_check), make_command(describe_trace, run_trace),
       make_command(describe_replay, run_replay), make_command(describe_audit, run_audit)}};
  return run_program(program, argc, argv);
}
