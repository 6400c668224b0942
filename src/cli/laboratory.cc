#include "cli/laboratory.h"

#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <unistd.h>

#include "console/exit_status.h"

namespace hapax::cli {

void become_laboratory(char** argv) {
  constexpr const char* kProgram = "hapax-lab";
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  if (!failed) execv((folder / kProgram).c_str(), argv);
  execvp(kProgram, argv);
  throw Failure{
      kNotFound,
      fmt::format("`hapax {}` needs the laboratory, and there is no {} beside hapax, in {}, "
                  "nor in $PATH; install it, or build its target, {}",
                  argv[1], kProgram, folder.string(), kProgram)};
}

}  // namespace hapax::cli
