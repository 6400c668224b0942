#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "console/command.h"
#include "console/exit_status.h"

namespace hapax::cli {
namespace {

// What CLI11 says about a command line, said so that one knows what to do.
std::string advice(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  if (argc < 2) return fmt::format("{}; try `hapax compare -n 10` (--help shows how)", e.what());
  const std::string_view first = argv[1];
  std::string commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == first) return fmt::format("{} (--help shows how)", e.what());
    if (command->get_group().empty()) continue;  // Hidden.
    commands += (commands.empty() ? "" : ", ") + command->get_name();
  }
  if (first.starts_with('-')) return fmt::format("unknown option {} (--help shows how)", first);
  return fmt::format("there is no command '{}'; use one of {}", first, commands);
}

// Who takes locks in scripts goes by sysexits, the laboratory by grep.
int usage_status(const CLI::App& app, int argc, char** argv) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (argc < 2 || command->get_name() != argv[1]) continue;
    return command->get_group() == kLockGroup ? kBadUsage : kUsage;
  }
  return kUsage;
}

// How many arguments are ours: of `hapax run … -- CMD` and `hapax elect … -- CMD`, what follows the
// first `--` is not.
int split_off_command(int argc, char** argv, Outcome& outcome) {
  if (argc < 2) return argc;
  if (const std::string_view first = argv[1]; first != "run" && first != "elect") return argc;
  int ours = 2;
  while (ours < argc && std::string_view{argv[ours]} != "--") ++ours;
  if (ours < argc) outcome.command.assign(argv + ours, argv + argc);
  return ours;
}

// One line; must not fail, even if nobody listens.
int complain(std::string_view what, int status) {
  std::fputs(fmt::format("hapax: {}\n", what).c_str(), stderr);
  return status;
}

int cannot_write(int error, int status) {
  if (error == EPIPE) return status;  // Whoever reads has seen enough.
  return complain(fmt::format("cannot write the output: {}", std::strerror(error)), kUsage);
}

// Printed is not yet written.
int flush(int status) {
  errno = 0;
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  return failed ? cannot_write(errno != 0 ? errno : EIO, status) : status;
}

int run(int argc, char** argv) {
  CLI::App app{
      "hapax: at most one, across machines.\nMutual exclusion and leader election, measured.",
      "hapax"};
  app.set_version_flag("--version", "hapax " HAPAX_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(
      "Examples:\n"
      "  hapax demo bank                              what a lock is for, in a minute\n"
      "  hapax compare -n 10                          the lecture's table, measured\n"
      "  hapax sim ricart-agrawala -n 25 --load high  one algorithm in detail\n"
      "  hapax sim lamport -n 5 --load high --unordered --latency exp:1ms\n"
      "                                               what breaks without FIFO channels\n"
      "  hapax up 3                                   a group of real daemons, until ^C\n"
      "  hapax run backup -- ./backup.sh              one at a time, whoever starts it\n"
      "  hapax elect scheduler -- ./scheduler         one leads, the others stand by\n"
      "`hapax COMMAND --help` says more. Exit status: 0 fine, 1 a property was violated, 2 usage "
      "or\n"
      "the output could not be written, 70 out of memory.");
  Outcome outcome;
  add_algorithms(app, outcome);
  add_compare(app, outcome);
  add_sim(app, outcome);
  add_check(app, outcome);
  add_trace(app, outcome);
  add_replay(app, outcome);
  add_certs(app, outcome);
  add_demo(app, outcome);
  add_up(app, outcome);
  add_node(app, outcome);
  add_run(app, outcome);
  add_lock(app, outcome);
  add_try(app, outcome);
  add_who(app, outcome);
  add_why(app, outcome);
  add_watch(app, outcome);
  add_elect(app, outcome);
  add_resign(app, outcome);
  add_status(app, outcome);
  add_members(app, outcome);
  add_leave(app, outcome);
  add_evict(app, outcome);
  add_stats(app, outcome);
  add_audit(app, outcome);
  add_completion(app, outcome);
  add_man(app, outcome);
  try {
    app.parse(split_off_command(argc, argv, outcome), argv);
  } catch (const CLI::Success& help) {
    std::ostringstream text;  // std::cout would forget why it could not write.
    const int status = app.exit(help, text, text);
    fmt::print("{}", text.str());
    return status;
  } catch (const CLI::ParseError& e) {
    return complain(advice(app, e, argc, argv), usage_status(app, argc, argv));
  }
  return outcome.status;
}

}  // namespace
}  // namespace hapax::cli

int main(int argc, char** argv) {
  using namespace hapax::cli;
  try {
    return flush(run(argc, argv));
  } catch (const Failure& e) {
    return complain(e.what(), e.status);
  } catch (const UsageError& e) {
    return complain(e.what(), kUsage);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; try a smaller -n", kOutOfMemory);
  } catch (const std::system_error& e) {
    if (std::ferror(stdout) != 0) return cannot_write(e.code().value(), kHolds);
    return complain(e.what(), kOutOfMemory);
  } catch (const std::exception& e) {
    return complain(e.what(), kOutOfMemory);
  }
}
