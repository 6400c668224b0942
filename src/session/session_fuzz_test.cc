// The fuzz target without a fuzzer, also on what both sides send.
#include <gtest/gtest.h>
#include <vector>

#include "base/testing/fuzz.h"
#include "session/frames.h"

void fuzz_session(std::span<const std::uint8_t> input);

namespace hapax::session {
namespace {

// One of every kind, so that a new kind is fuzzed without a new corpus.
template <class Variant, std::size_t I = 0>
void add_one_of_each(std::uint8_t who, std::vector<Bytes>& inputs) {
  Bytes input{who};
  ASSERT_TRUE(write_frame(input, Variant{std::in_place_index<I>}));
  inputs.push_back(input);
  if constexpr (I + 1 < std::variant_size_v<Variant>) add_one_of_each<Variant, I + 1>(who, inputs);
}

TEST(SessionFuzz, KnownOnesAndTheirNeighbours) {
  std::vector<FuzzInput> inputs = fuzz_inputs(HAPAX_FUZZ_INPUTS "/session");
  ASSERT_GE(inputs.size(), 8u);
  add_one_of_each<Ask>(0, inputs);
  add_one_of_each<Answer>(1, inputs);
  run_with_neighbours(fuzz_session, inputs, 50'000);
}

TEST(SessionFrames, EveryTruncationWantsMoreAndNothingIsTaken) {
  Bytes whole;
  ASSERT_TRUE(write_frame(whole, Ask{Acquire{7, "orders/42"}}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::span<const std::uint8_t> bytes{whole.data(), size};
    Ask ask;
    EXPECT_EQ(take_frame(bytes, kLargestAsk, ask), Taken::more);
    EXPECT_EQ(bytes.size(), size);
  }
}

TEST(SessionFrames, WhatIsTooLongIsNotWritten) {
  Bytes out{1, 2, 3};
  EXPECT_FALSE(write_frame(out, Answer{Refused{7, std::string(kLargestAnswer, 'x')}}));
  EXPECT_EQ(out, (Bytes{1, 2, 3}));
}

}  // namespace
}  // namespace hapax::session
