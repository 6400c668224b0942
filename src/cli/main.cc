#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace hapax::cli {
namespace {

// What CLI11 says about a command line, said so that one knows what to do.
std::string advice(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  if (argc < 2) return fmt::format("{}; try `hapax compare -n 10` (--help shows how)", e.what());
  const std::string_view first = argv[1];
  std::string commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == first) return fmt::format("{} (--help shows how)", e.what());
    commands += (commands.empty() ? "" : ", ") + command->get_name();
  }
  if (first.starts_with('-')) return fmt::format("{} (--help shows how)", e.what());
  return fmt::format("there is no command '{}'; use one of {}", first, commands);
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
    fmt::print(stderr, "hapax: {}\n", advice(app, e, argc, argv));
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
