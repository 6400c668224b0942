// The fuzz target without a fuzzer.
#include <gtest/gtest.h>

#include "base/testing/fuzz.h"

void fuzz_traces(std::span<const std::uint8_t> input);

namespace hapax {
namespace {

TEST(TracesFuzz, TheDocumentsOnesAndTheirNeighbours) {
  const auto inputs = fuzz_inputs(HAPAX_FUZZ_INPUTS "/traces");
  ASSERT_GE(inputs.size(), 10u);
  run_with_neighbours(fuzz_traces, inputs, 2'000);
}

}  // namespace
}  // namespace hapax
