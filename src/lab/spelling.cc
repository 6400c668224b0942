#include "lab/spelling.h"

#include <fmt/format.h>
#include <vector>

#include "base/nearest.h"
#include "catalog/catalog.h"
#include "console/usage.h"
#include "election/catalog.h"
#include "memory/catalog.h"

namespace hapax::cli {
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
  std::vector<std::string> names;
  for (const Operations* algorithm : algorithms()) names.emplace_back(algorithm->info.name);
  for_each_election([&]<class A>() { names.emplace_back(A::kInfo.name); });
  const std::string meant = nearest(name, names);
  throw UsageError{
      meant.empty() ? fmt::format("there is no algorithm '{}'; `hapax algorithms` lists them", name)
                    : fmt::format("there is no algorithm '{}'; did you mean {}?", name, meant)};
}

}  // namespace hapax::cli
