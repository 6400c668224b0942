// Another user, for tests that root runs.
#pragma once

#include "process_testing.h"

namespace hapax::testing {

inline constexpr uid_t kNobody = 65534;

inline Arguments by_nobody(const Arguments& words) {
  Arguments all{"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

// The binary that is tested, or a copy of it in that folder, which is open to all: a tree in root's
// home is closed to others.
inline std::string hapax_for_nobody(const Folder& folder) {
  Process help{by_nobody({HAPAX_BINARY, "members", "--help"}), Environment{}, folder};
  if (help.wait() == 0) return HAPAX_BINARY;
  for (const char* program : {"hapax", "hapax-commands", "hapax-engines"}) {
    const fs::path built = fs::path{HAPAX_BINARY}.parent_path() / program;
    if (fs::exists(built)) fs::copy_file(built, folder / program);
  }
  return folder / "hapax";
}

}  // namespace hapax::testing
