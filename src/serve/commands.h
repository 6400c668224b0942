// The commands that start members of groups, and what these need.
#pragma once

#include "console/command.h"
#include "engine/makers.h"

namespace hapax::cli {

// What main() knows.
struct Start {
  engine::Makers engines;
  const char* for_others;  // The program that has the other engines; null: this has all.
  char** argv;
};

Command certs_command();
Command demo_command();
Command up_command();
Command node_command(const Start& start);

}  // namespace hapax::cli
