#include "lab/voting.h"

#include <filesystem>
#include <fmt/format.h>
#include <string>

#include "console/usage.h"
#include "lab/file.h"

namespace hapax::cli {

VotingSets voting_sets_from(const std::string& name, std::uint32_t n) {
  if (name == "grid") return VotingSets::grid(n);
  if (name == "cyclic") return VotingSets::cyclic(n);
  if (name == "smallest") return VotingSets::smallest(n);
  if (name == "plane") return value_or_usage(VotingSets::plane(n));
  if (name == "lecture") return value_or_usage(VotingSets::lecture(n));
  std::error_code ignored;
  const Result<std::string> text = read_file(name);
  if (!text) {
    const bool is_there = std::filesystem::exists(name, ignored);
    throw UsageError{
        fmt::format("voting sets '{}': {}", name,
                    is_there ? text.error().message
                             : "no such file, and none of smallest, grid, cyclic, plane, lecture")};
  }
  VotingSets sets = value_or_usage(VotingSets::parse(*text));
  if (sets.processes() != n) {
    throw UsageError{fmt::format("'{}' has voting sets for {} processes; use -n {}", name,
                                 sets.processes(), sets.processes())};
  }
  return sets;
}

std::optional<VotingSets> voting_sets_for(const MutexInfo& algorithm, const std::string& name,
                                          std::uint32_t n) {
  if (algorithm.takes.voting_sets) return voting_sets_from(name, n);
  if (algorithm.voting_sets == nullptr || name == kUsualVotingSets) return std::nullopt;
  return value_or_usage(algorithm.voting_sets(name, n));
}

}  // namespace hapax::cli
