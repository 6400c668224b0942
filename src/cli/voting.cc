#include "cli/voting.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/command.h"

namespace hapax::cli {
namespace {
constexpr std::uintmax_t kLargestFile = 64 << 20;
}

VotingSets voting_sets_from(const std::string& name, std::uint32_t n) {
  if (name == "grid") return VotingSets::grid(n);
  if (name == "cyclic") return VotingSets::cyclic(n);
  if (name == "smallest") return VotingSets::smallest(n);
  if (name == "plane") return value_or_usage(VotingSets::plane(n));
  if (name == "lecture") return value_or_usage(VotingSets::lecture(n));
  std::error_code status;
  const std::uintmax_t size = std::filesystem::file_size(name, status);
  if (status) {
    throw UsageError{fmt::format(
        "voting sets '{}': no such file, and none of smallest, grid, cyclic, plane, lecture",
        name)};
  }
  if (size > kLargestFile)
    throw UsageError{fmt::format("voting sets '{}': the file is too large", name)};
  std::ifstream file{name};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (!file) throw UsageError{fmt::format("voting sets '{}': the file cannot be read", name)};
  VotingSets sets = value_or_usage(VotingSets::parse(text));
  if (sets.processes() != n) {
    throw UsageError{fmt::format("'{}' has voting sets for {} processes; use -n {}", name,
                                 sets.processes(), sets.processes())};
  }
  return sets;
}

}  // namespace hapax::cli
