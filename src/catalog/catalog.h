// Every mutual-exclusion algorithm there is, as data: what is known about each (its info), and what
// an Instance of it does. The list itself is in catalog/algorithms.h.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "core/instance.h"

namespace hapax {

// In the order in which people are shown them: those that let in one at a time come first.
std::span<const Operations* const> algorithms();

// Null if there is none.
const Operations* find_algorithm(std::string_view name);

extern const std::array<const Operations*, kMostAlgorithmIds> kAlgorithmsById;
inline const Operations* find_algorithm(AlgorithmId id) {
  return number(id) < kAlgorithmsById.size() ? kAlgorithmsById[number(id)] : nullptr;
}

// All names, as a sentence lists them.
std::string algorithm_names();

}  // namespace hapax
