// hapax-engines: the same with all engines, which `hapax node` hands over to.
#include "cli/hapax.h"
#include "engines/engines.h"

int main(int argc, char** argv) {
  return hapax::cli::run_hapax(argc, {hapax::engine::all(), nullptr, argv});
}
