#include "locks/algorithm_id.h"

#include "base/check.h"
#include "locks/any_mutex.h"

namespace hapax {

std::string_view name_of(AlgorithmId id) {
  HAPAX_CHECK(number(id) < kAlgorithms);
  std::string_view name;
  std::uint8_t at = 0;
  const auto look_at = [&]<class A>() {
    if (at++ == number(id)) name = A::kInfo.name;
  };
  for_each_mutex(look_at);
  for_each_shared(look_at);
  return name;
}

std::optional<AlgorithmId> algorithm_named(std::string_view name) {
  for (std::uint8_t i = 0; i < kAlgorithms; ++i) {
    if (name_of(AlgorithmId{i}) == name) return AlgorithmId{i};
  }
  return std::nullopt;
}

std::string algorithm_names() {
  std::string names;
  for (std::uint8_t i = 0; i < kAlgorithms; ++i) {
    if (i > 0) names += ", ";
    names += name_of(AlgorithmId{i});
  }
  return names;
}

}  // namespace hapax
