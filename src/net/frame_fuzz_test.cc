// The fuzz targets without a fuzzer.
#include <gtest/gtest.h>

#include "base/testing/fuzz.h"

void fuzz_frames(std::span<const std::uint8_t> input);
void fuzz_certificates(std::span<const std::uint8_t> input);

namespace hapax::net {
namespace {

TEST(FrameFuzz, KnownOnesAndTheirNeighbours) {
  const auto inputs = fuzz_inputs(HAPAX_FUZZ_INPUTS "/frames");
  ASSERT_GE(inputs.size(), 8u);
  run_with_neighbours(fuzz_frames, inputs, 50'000);
}

TEST(CertificateFuzz, KnownOnesAndTheirNeighbours) {
  const auto inputs = fuzz_inputs(HAPAX_FUZZ_INPUTS "/certificates");
  ASSERT_GE(inputs.size(), 4u);
  run_with_neighbours(fuzz_certificates, inputs, 5'000);
}

}  // namespace
}  // namespace hapax::net
