#include "lab/spelling.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "console/usage.h"
#include "election/catalog.h"
#include "memory/catalog.h"

namespace hapax::cli {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

}  // namespace

void refuse_unknown_algorithm(const std::string& name) {
  for (const MemoryInfo& info : kMemoryCatalog) {
    if (info.name == name) {
      throw UsageError{
          fmt::format("'{}' is a shared-memory algorithm for threads and sends no messages; "
                      "simulate 'bakery' or "
                      "another one of `hapax algorithms`",
                      name)};
    }
  }
  std::string_view nearest;
  std::size_t distance = 4;
  const auto consider = [&](std::string_view candidate) {
    const bool begins = name.size() > 1 && candidate.starts_with(name);
    if (const std::size_t d = begins ? 0 : edit_distance(name, candidate); d < distance) {
      nearest = candidate;
      distance = d;
    }
  };
  for (const Operations* algorithm : algorithms()) consider(algorithm->info.name);
  for_each_election([&]<class A>() { consider(A::kInfo.name); });
  throw UsageError{
      nearest.empty()
          ? fmt::format("there is no algorithm '{}'; `hapax algorithms` lists them", name)
          : fmt::format("there is no algorithm '{}'; did you mean {}?", name, nearest)};
}

}  // namespace hapax::cli
