#include <cstdio>
#include <exception>
#include <fmt/format.h>

#include "cli/command.h"

namespace hapax::cli {
namespace {

int run(int argc, char** argv) {
  CLI::App app{
      "hapax: at most one, across machines.\nMutual exclusion and leader election, measured.",
      "hapax"};
  app.set_version_flag("--version", "hapax " HAPAX_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(
      "Examples:\n"
      "  hapax compare -n 10                          the lecture's table, measured\n"
      "  hapax sim ricart-agrawala -n 25 --load high  one algorithm in detail\n"
      "  hapax sim lamport -n 5 --load high --unordered --latency exp:1ms\n"
      "                                               what breaks without FIFO channels\n"
      "`hapax COMMAND --help` says more. Exit status: 0 fine, 1 a property was violated, 2 usage.");
  Outcome outcome;
  add_algorithms(app, outcome);
  add_compare(app, outcome);
  add_sim(app, outcome);
  add_completion(app, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& e) {
    const char* hint = argc > 1 ? "" : "; try `hapax compare -n 10`";
    fmt::print(stderr, "hapax: {}{} (--help shows how)\n", e.what(), hint);
    return kUsage;
  }
  return outcome.status;
}

}  // namespace
}  // namespace hapax::cli

int main(int argc, char** argv) {
  try {
    return hapax::cli::run(argc, argv);
  } catch (const hapax::cli::UsageError& e) {
    fmt::print(stderr, "hapax: {}\n", e.what());
    return hapax::cli::kUsage;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "hapax: out of memory; try a smaller -n\n");
    return 70;
  } catch (const std::exception& e) {
    fmt::print(stderr, "hapax: {}\n", e.what());
    return 70;
  }
}
