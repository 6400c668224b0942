#include "catalog/catalog.h"

#include <array>
#include <cstddef>

#include "catalog/algorithms.h"
#include "catalog/operations.h"

namespace hapax {
namespace {

template <class... As, class... Bs>
constexpr auto tables_of(MutexList<As...>, MutexList<Bs...>) {
  return std::array{&OperationsOf<As>::kTable..., &OperationsOf<Bs>::kTable...};
}
constexpr auto kTables = tables_of(MutexAlgorithms{}, SharedAlgorithms{});

template <class... As, class... Bs>
constexpr auto by_id(MutexList<As...>, MutexList<Bs...>) {
  std::array<const Operations*, kMostAlgorithmIds> tables{};
  const auto put = [&](AlgorithmId id, const Operations* table) {
    // Two of one number: this is no constant any more, and does not compile.
    if (tables.at(number(id)) != nullptr) throw "a number that is taken";
    tables.at(number(id)) = table;
  };
  (put(As::kInfo.id, &OperationsOf<As>::kTable), ...);
  (put(Bs::kInfo.id, &OperationsOf<Bs>::kTable), ...);
  return tables;
}

}  // namespace

constinit const std::array<const Operations*, kMostAlgorithmIds> kAlgorithmsById =
    by_id(MutexAlgorithms{}, SharedAlgorithms{});

std::span<const Operations* const> algorithms() { return kTables; }

const Operations* find_algorithm(std::string_view name) {
  for (const Operations* algorithm : kTables) {
    if (algorithm->info.name == name) return algorithm;
  }
  return nullptr;
}

std::string algorithm_names() {
  std::string names;
  for (const Operations* algorithm : kTables) {
    if (!names.empty()) names += ", ";
    names += algorithm->info.name;
  }
  return names;
}

}  // namespace hapax
