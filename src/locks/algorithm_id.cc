#include "locks/algorithm_id.h"

#include "base/check.h"
#include "catalog/catalog.h"

namespace hapax {

bool is_valid(AlgorithmId id) { return find_algorithm(id) != nullptr; }

bool is_shared(AlgorithmId id) {
  const Operations* algorithm = find_algorithm(id);
  HAPAX_CHECK(algorithm != nullptr);
  return algorithm->shared;
}

std::string_view name_of(AlgorithmId id) {
  const Operations* algorithm = find_algorithm(id);
  HAPAX_CHECK(algorithm != nullptr);
  return algorithm->info.name;
}

std::optional<AlgorithmId> algorithm_named(std::string_view name) {
  const Operations* algorithm = find_algorithm(name);
  if (algorithm == nullptr) return std::nullopt;
  return algorithm->info.id;
}

}  // namespace hapax
