// Fuzz targets: HAPAX_FUZZ(frames, 50'000) { … input … } in ROOM/fuzz/frames.cc, with what to begin
// with in ROOM/fuzz/frames/. The preset `fuzz` makes each a program of libFuzzer's (`./test fuzz`);
// and with any compiler the room's tests run it on those inputs and on so many mutations of them.
// HAPAX_FUZZ_TARGET(frames) leaves the test to others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "base/prng.h"

#ifdef HAPAX_LIBFUZZER
#define HAPAX_FUZZ_TARGET(name)                                                       \
  void fuzz_##name(std::span<const std::uint8_t> input);                              \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    fuzz_##name({data, size});                                                        \
    return 0;                                                                         \
  }                                                                                   \
  void fuzz_##name(std::span<const std::uint8_t> input)
#define HAPAX_FUZZ(name, mutations) HAPAX_FUZZ_TARGET(name)
#else
#include <gtest/gtest.h>
#define HAPAX_FUZZ_TARGET(name)                          \
  void fuzz_##name(std::span<const std::uint8_t> input); \
  void fuzz_##name(std::span<const std::uint8_t> input)
#define HAPAX_FUZZ(name, mutations)                                      \
  void fuzz_##name(std::span<const std::uint8_t> input);                 \
  TEST(Fuzz, name) {                                                     \
    const auto inputs = hapax::fuzz_inputs(HAPAX_FUZZ_INPUTS "/" #name); \
    ASSERT_FALSE(inputs.empty());                                        \
    hapax::run_with_neighbours(fuzz_##name, inputs, mutations);          \
  }                                                                      \
  void fuzz_##name(std::span<const std::uint8_t> input)
#endif

namespace hapax {

using FuzzInput = std::vector<std::uint8_t>;

inline void mutate(FuzzInput& input, Prng& prng) {
  const auto at = [&] {
    return input.begin() + static_cast<std::ptrdiff_t>(prng.below(input.size()));
  };
  for (std::uint64_t times = 1 + prng.below(4); times > 0 && !input.empty(); --times) {
    switch (prng.below(6)) {
      case 0:
        *at() = static_cast<std::uint8_t>(prng.next());
        break;
      case 1:
        *at() ^= static_cast<std::uint8_t>(1u << prng.below(8));
        break;
      case 2:
        input.erase(at());
        break;
      case 3:
        input.insert(at(), static_cast<std::uint8_t>(prng.below(8)));
        break;
      case 4: {  // Its end goes before a part of it.
        const auto [first, middle] = std::minmax({at(), at()});
        std::rotate(first, middle, input.end());
        break;
      }
      default: {
        const FuzzInput tail{at(), input.end()};
        input.insert(input.end(), tail.begin(), tail.end());
      }
    }
  }
}

inline std::vector<FuzzInput> fuzz_inputs(const std::filesystem::path& folder) {
  std::vector<FuzzInput> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file{entry.path(), std::ios::binary};
    inputs.emplace_back(std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{});
  }
  return inputs;
}

// REQUIRES: there are inputs.
template <class Target>
void run_with_neighbours(Target target, const std::vector<FuzzInput>& inputs, int mutations) {
  for (const FuzzInput& input : inputs) target(input);
  Prng prng{11};
  for (int i = 0; i < mutations; ++i) {
    FuzzInput input = inputs[prng.below(inputs.size())];
    mutate(input, prng);
    target(input);
  }
}

}  // namespace hapax
