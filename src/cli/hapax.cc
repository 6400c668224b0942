#include "cli/hapax.h"

#include <fmt/format.h>
#include <string_view>

#include "cell_commands/cell_commands.h"
#include "cli/commands.h"
#include "console/become.h"
#include "console/exit_status.h"
#include "group_commands/group_commands.h"
#include "lab_commands/lab_commands.h"

namespace hapax::cli {
namespace {

constexpr const char* kSummary =
    "hapax: at most one, across machines.\nMutual exclusion and leader election, measured.";

constexpr const char* kFooter =
    "Examples:\n"
    "  hapax demo bank                              what a lock is for, in a minute\n"
    "  hapax compare -n 10                          the lecture's table, measured\n"
    "  hapax sim ricart-agrawala -n 25 --load high  one algorithm in detail\n"
    "  hapax sim lamport -n 5 --load high --unordered --latency exp:1ms\n"
    "                                               what breaks without FIFO channels\n"
    "  hapax up 3                                   a group of real daemons, until ^C\n"
    "  hapax run backup -- ./backup.sh              one at a time, whoever starts it\n"
    "  hapax elect scheduler -- ./scheduler         one leads, the others stand by\n"
    "`hapax help COMMAND` says more. Exit status: 0 fine, 1 a property was violated, 2 usage or\n"
    "the output could not be written, 70 out of memory.";

// Its words are ours as well: --help, completion and mistakes need no laboratory.
template <class Arguments>
Command in_laboratory(Command (*describe)(Arguments&), char** argv) {
  return make_command(describe, [argv](const Arguments&) -> int {
    become("hapax-lab", argv, fmt::format("`hapax {}`", argv[1]));
  });
}

// A script that starts servers and clients, and has its own words.
Command bench_command() {
  Command command{"bench", "Measure hapax beside its peers on this machine"};
  command.footer =
      "It is a program of its own, hapax-bench, which ./run bench builds: then this says more.";
  return command;
}

}  // namespace

int run_hapax(int argc, const Start& start) {
  char** const argv = start.argv;
  if (argc > 1 && std::string_view{argv[1]} == "bench") {
    try {
      become("hapax-bench", argv + 1, "`hapax bench`");
    } catch (const Failure&) {
      const std::string_view asked = argc > 2 ? argv[2] : "";
      if (asked != "--help" && asked != "-h") throw;
    }
  }
  Program program{kSummary, kFooter, {}};
  program.commands = {
      in_laboratory(describe_algorithms, argv),
      in_laboratory(describe_compare, argv),
      in_laboratory(describe_sim, argv),
      in_laboratory(describe_check, argv),
      in_laboratory(describe_trace, argv),
      in_laboratory(describe_replay, argv),
      certs_command(),
      demo_command(),
      up_command(),
      node_command(start),
      run_command(),
      lock_command(),
      try_command(),
      who_command(),
      why_command(),
      watch_command(),
      break_command(),
      elect_command(),
      file_command(),
      fence_command(),
      events_command(),
      resign_command(),
      status_command(),
      members_command(),
      leave_command(),
      evict_command(),
      settings_command(),
      backup_command(),
      stats_command(),
      live_command(),
      in_laboratory(describe_audit, argv),
      bench_command(),
      completion_command(program),
      man_command(program),
  };
  return run_program(program, argc, argv);
}

}  // namespace hapax::cli
