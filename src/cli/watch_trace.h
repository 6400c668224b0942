// hapax watch --trace: the messages of a lock, recorded at all members, as a trace.
#pragma once

#include <string>

namespace hapax::cli {

struct RecordArguments {
  std::string name;
  std::string file;  // Empty or "-": standard output.
  std::string address;
  std::string duration = "5s";
};

int run_watch_trace(const RecordArguments& a);

}  // namespace hapax::cli
