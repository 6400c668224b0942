// The engine's file is for its own user: whoever else can read it can lock it, and stop a group.
#pragma once

#include <string>

#include "base/result.h"

namespace hapax::engine {

// Makes the file if it is not there, and takes away what others may do with it, with its journal
// and its index; those that SQLite makes later have the file's mode. An error if that is refused.
Result<void> make_private(const std::string& path);

}  // namespace hapax::engine
