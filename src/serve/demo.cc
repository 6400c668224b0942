#include "serve/demo.h"

namespace hapax::cli {

void add_demo(CLI::App& app, Outcome& outcome) {
  CLI::App* demo = app.add_subcommand("demo", "A lock at work, in a minute");
  demo->callback([demo] {
    if (demo->get_subcommands().empty()) {
      throw UsageError{"there is one demo so far: `hapax demo bank` (--help shows how)"};
    }
  });
  demo->footer("Example:\n  hapax demo bank");
  add_demo_bank(*demo, outcome);
  demo->allow_extras();  // For the callback to judge; after those who would inherit it.
}

}  // namespace hapax::cli
