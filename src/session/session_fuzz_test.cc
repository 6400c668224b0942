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
  const Variant one{std::in_place_index<I>};
  for (std::uint32_t version = kOldestVersion; version <= kVersion; ++version) {
    if (first_version_of(one) > version) continue;
    Bytes input{who};
    ASSERT_TRUE(write_frame(input, one, version));
    inputs.push_back(input);
  }
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

// What a client and a daemon say before they know which version the other speaks.
TEST(SessionFrames, AGreetingAndARefusalAreTheSameForEver) {
  const auto bytes_in = [](const auto& said, std::uint32_t version) {
    Bytes out;
    EXPECT_TRUE(write_frame(out, said, version));
    return out;
  };
  const Ask hello = Hello{12, 7, "h", "c", true};
  EXPECT_EQ(bytes_in(hello, kOldestVersion), (Bytes{8, 0, 0, 0, 0, 12, 7, 1, 'h', 1, 'c', 1}));
  EXPECT_EQ(bytes_in(hello, kVersion), bytes_in(hello, kOldestVersion));
  const Answer refused = Refused{0, "no"};
  EXPECT_EQ(bytes_in(refused, kOldestVersion), (Bytes{6, 0, 0, 0, 3, 0, 2, 'n', 'o', 0}));
  EXPECT_EQ(bytes_in(refused, kVersion), bytes_in(refused, kOldestVersion));
}

TEST(SessionFrames, AWelcomeSaysTheReleaseSinceVersion11) {
  const Answer welcome = Welcome{10, 1, 3, Epoch{4}, 0, std::string{"0.9"}};
  Bytes before, now;
  ASSERT_TRUE(write_frame(before, welcome, 10));
  ASSERT_TRUE(write_frame(now, welcome, 11));
  EXPECT_EQ(before, (Bytes{6, 0, 0, 0, 0, 10, 1, 3, 4, 0}));
  EXPECT_EQ(now, (Bytes{10, 0, 0, 0, 0, 10, 1, 3, 4, 0, 3, '0', '.', '9'}));
  for (const auto& [bytes, version] : {std::pair{before, 11u}, std::pair{now, 10u}}) {
    std::span<const std::uint8_t> rest{bytes};
    Answer answer;
    EXPECT_EQ(take_frame(rest, kLargestAnswer, answer, version), Taken::malformed);
  }
}

TEST(SessionFrames, OnlyWhatPutsAFileIsLong) {
  const auto taken = [](const Ask& said, std::uint32_t version) {
    Bytes bytes;
    EXPECT_TRUE(write_frame(bytes, said, version));
    std::span<const std::uint8_t> rest{bytes};
    Ask ask;
    return take_frame(rest, largest_ask(rest, version), ask, version);
  };
  const std::string content(kLargestFile, 'x');
  const std::string path(512, 'p');
  EXPECT_EQ(taken(FilePut{~0ull, path, content, ~0ull, Fence{Epoch{~0ull}, Turn{~0ull}}, true}, 12),
            Taken::record);
  EXPECT_EQ(taken(FilePut{1, path, content + std::string(2'048, 'x'), {}, {}, false}, 12),
            Taken::malformed);
  EXPECT_EQ(taken(Acquire{1, std::string(5'000, 'n')}, 12), Taken::malformed);
  const Bytes five{0, 16, 0, 0, 24};
  EXPECT_EQ(largest_ask(five, 12), kLargestAsk);
  EXPECT_EQ(largest_ask(std::span{five}.first(4), 12), kLargestPut) << "it may be one";
  EXPECT_EQ(largest_ask(std::span{five}.first(4), 11), kLargestAsk);
}

TEST(SessionFrames, WhatIsTooLongIsNotWritten) {
  Bytes out{1, 2, 3};
  EXPECT_FALSE(write_frame(out, Answer{Refused{7, std::string(kLargestAnswer, 'x')}}));
  EXPECT_EQ(out, (Bytes{1, 2, 3}));
}

}  // namespace
}  // namespace hapax::session
