// hapax-commands: every command, with the engine of one host.
#include <cstdio>
#include <fmt/format.h>

#include "cli/hapax.h"
#include "console/become.h"
#include "console/exit_status.h"
#include "embedded/embedded.h"
#include "jobs/reach.h"

int main(int argc, char** argv) try {
  static constexpr hapax::engine::Maker kOwn[] = {hapax::engine::kEmbedded};
  constexpr const char* kEngines = "hapax-engines";
  if (hapax::cli::goes_to_engine(argv)) {
    hapax::cli::become(kEngines, argv, fmt::format("`hapax {}` on an engine", argv[1]));
  }
  return hapax::cli::run_hapax(argc, {kOwn, kEngines, argv});
} catch (const hapax::cli::Failure& e) {
  fmt::print(stderr, "hapax: {}\n", e.what());
  return e.status;
}
