// The fuzz target without a fuzzer.
#include <gtest/gtest.h>

#include "base/testing/fuzz.h"

void fuzz_records(std::span<const std::uint8_t> input);

namespace hapax {
namespace {

TEST(RecordsFuzz, KnownOnesAndTheirNeighbours) {
  const auto inputs = fuzz_inputs(HAPAX_FUZZ_INPUTS "/records");
  ASSERT_GE(inputs.size(), 4u);
  run_with_neighbours(fuzz_records, inputs, 5'000);
}

}  // namespace
}  // namespace hapax
