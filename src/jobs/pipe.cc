#include "jobs/pipe.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "console/exit_status.h"

namespace hapax::cli {

void fail_by_errno(const char* what) {
  throw Failure{kSystem, fmt::format("{}: {}", what, std::strerror(errno))};
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_by_errno("pipe");
  return {ends[0], ends[1]};
}

}  // namespace hapax::cli
