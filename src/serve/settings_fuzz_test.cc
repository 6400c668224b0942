// The fuzz target without a fuzzer.
#include <gtest/gtest.h>

#include "base/testing/fuzz.h"

void fuzz_settings(std::span<const std::uint8_t> input);

namespace hapax::cli {
namespace {

TEST(SettingsFuzz, KnownOnesAndTheirNeighbours) {
  const auto inputs = fuzz_inputs(HAPAX_FUZZ_INPUTS "/settings");
  ASSERT_GE(inputs.size(), 4u);
  run_with_neighbours(fuzz_settings, inputs, 2'000);
}

}  // namespace
}  // namespace hapax::cli
