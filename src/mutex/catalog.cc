#include "mutex/catalog.h"

#include <array>
#include <cstddef>

#include "mutex/algorithms.h"
#include "mutex/operations.h"

namespace hapax {
namespace {

template <class... As, class... Bs>
constexpr auto tables_of(MutexList<As...>, MutexList<Bs...>) {
  return std::array{&OperationsOf<As>::kTable..., &OperationsOf<Bs>::kTable...};
}
constexpr auto kTables = tables_of(MutexAlgorithms{}, SharedAlgorithms{});

template <class... As, class... Bs>
constexpr auto ids_of(MutexList<As...>, MutexList<Bs...>) {
  return std::array{number(As::kInfo.id)..., number(Bs::kInfo.id)...};
}
constexpr auto kIds = ids_of(MutexAlgorithms{}, SharedAlgorithms{});
constexpr std::uint8_t kNone = 0xff;

// Where the algorithm of each number stands in the list.
constexpr auto kPlaces = [] {
  std::array<std::uint8_t, kMostAlgorithmIds> places{};
  places.fill(kNone);
  for (std::size_t i = 0; i < kIds.size(); ++i) {
    // Two of one number: this is no constant any more, and does not compile.
    if (places.at(kIds[i]) != kNone) throw "a number that is taken";
    places.at(kIds[i]) = static_cast<std::uint8_t>(i);
  }
  return places;
}();

}  // namespace

std::span<const Operations* const> algorithms() { return kTables; }

const Operations* find_algorithm(std::string_view name) {
  for (const Operations* algorithm : kTables) {
    if (algorithm->info.name == name) return algorithm;
  }
  return nullptr;
}

const Operations* find_algorithm(AlgorithmId id) {
  const std::uint8_t place = number(id) < kMostAlgorithmIds ? kPlaces[number(id)] : kNone;
  return place == kNone ? nullptr : kTables[place];
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
