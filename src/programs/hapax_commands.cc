// hapax-commands: every command, with the engine of one host.
#include "cli/hapax.h"
#include "embedded/embedded.h"

int main(int argc, char** argv) {
  static constexpr hapax::engine::Maker kOwn[] = {hapax::engine::kEmbedded};
  return hapax::cli::run_hapax(argc, {kOwn, "hapax-engines", argv});
}
