// The fuzz target without a fuzzer.
#include <gtest/gtest.h>

#include "base/testing/fuzz.h"

void fuzz_histories(std::span<const std::uint8_t> input);

namespace hapax::audit {
namespace {

TEST(HistoriesFuzz, KnownOnesAndTheirNeighbours) {
  const auto inputs = fuzz_inputs(HAPAX_FUZZ_INPUTS "/histories");
  ASSERT_GE(inputs.size(), 4u);
  run_with_neighbours(fuzz_histories, inputs, 5'000);
}

}  // namespace
}  // namespace hapax::audit
