// All commands; main() says with which engines.
#pragma once

#include "serve/commands.h"

namespace hapax::cli {

int run_hapax(int argc, const Start& start);

}  // namespace hapax::cli
