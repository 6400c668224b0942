#include "console/become.h"

#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <unistd.h>

#include "console/exit_status.h"

namespace hapax::cli {

void become(const char* program, char** argv, std::string_view what) {
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  if (!failed) execv((folder / program).c_str(), argv);
  execvp(program, argv);
  throw Failure{kNotFound,
                fmt::format("{} needs {}, which is neither beside hapax, in {}, nor in "
                            "$PATH; install its package, or say ./run in place of hapax, "
                            "which builds it",
                            what, program, folder.string())};
}

}  // namespace hapax::cli
