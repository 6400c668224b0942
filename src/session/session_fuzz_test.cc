// The fuzz target without a fuzzer: on the corpus, on what both sides send, and on many mutations.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

#include "base/prng.h"
#include "session/frames.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace hapax::session {
namespace {

std::vector<Bytes> corpus() {
  std::vector<Bytes> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(HAPAX_CORPUS)) {
    std::ifstream file{entry.path(), std::ios::binary};
    inputs.emplace_back(std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{});
  }
  return inputs;
}

// One of every kind, so that a new kind is fuzzed without a new corpus.
template <class Variant, std::size_t I = 0>
void add_one_of_each(std::uint8_t who, std::vector<Bytes>& inputs) {
  Bytes input{who};
  ASSERT_TRUE(write_frame(input, Variant{std::in_place_index<I>}));
  inputs.push_back(input);
  if constexpr (I + 1 < std::variant_size_v<Variant>) add_one_of_each<Variant, I + 1>(who, inputs);
}

TEST(SessionFuzz, TheCorpusAndItsNeighbours) {
  std::vector<Bytes> inputs = corpus();
  ASSERT_GE(inputs.size(), 8u);
  add_one_of_each<Ask>(0, inputs);
  add_one_of_each<Answer>(1, inputs);
  for (const Bytes& input : inputs) LLVMFuzzerTestOneInput(input.data(), input.size());
  Prng prng{5};
  for (int i = 0; i < 50'000; ++i) {
    Bytes input = inputs[prng.below(inputs.size())];
    for (std::uint64_t n = 1 + prng.below(4); n > 0 && !input.empty(); --n) {
      const auto at = input.begin() + static_cast<std::ptrdiff_t>(prng.below(input.size()));
      switch (prng.below(3)) {
        case 0:
          *at = static_cast<std::uint8_t>(prng.next());
          break;
        case 1:
          input.erase(at);
          break;
        default:
          input.insert(at, static_cast<std::uint8_t>(prng.below(8)));
      }
    }
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
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
