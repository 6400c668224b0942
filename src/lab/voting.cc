#include "lab/voting.h"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>

#include "console/command.h"

namespace hapax::cli {
namespace {

constexpr std::size_t kLargestFile = 64 << 20;

// Also of a pipe, which has no size before it is read.
std::string contents_of(const std::string& name) {
  const auto refuse = [&](std::string_view why) {
    throw UsageError{fmt::format("voting sets '{}': {}", name, why)};
  };
  std::error_code status;
  if (!std::filesystem::exists(name, status)) {
    refuse("no such file, and none of smallest, grid, cyclic, plane, lecture");
  }
  if (std::filesystem::is_directory(name, status)) refuse("is a directory; name a file");
  std::ifstream file{name, std::ios::binary};
  if (!file) refuse("the file cannot be read");
  std::string text;
  std::array<char, 1 << 16> chunk{};
  while (file) {
    file.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargestFile) refuse("the file is too large");
  }
  if (file.bad()) refuse("the file cannot be read");
  return text;
}

}  // namespace

VotingSets voting_sets_from(const std::string& name, std::uint32_t n) {
  if (name == "grid") return VotingSets::grid(n);
  if (name == "cyclic") return VotingSets::cyclic(n);
  if (name == "smallest") return VotingSets::smallest(n);
  if (name == "plane") return value_or_usage(VotingSets::plane(n));
  if (name == "lecture") return value_or_usage(VotingSets::lecture(n));
  VotingSets sets = value_or_usage(VotingSets::parse(contents_of(name)));
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
