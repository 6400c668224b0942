// The fuzz target without a fuzzer: on the corpus, and on many mutations of it.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

#include "base/prng.h"
#include "wire/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace hapax::net {
namespace {

std::vector<Bytes> corpus() {
  std::vector<Bytes> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(HAPAX_CORPUS)) {
    std::ifstream file{entry.path(), std::ios::binary};
    inputs.emplace_back(std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{});
  }
  return inputs;
}

void mutate(Bytes& bytes, Prng& prng) {
  const auto at = [&] {
    return bytes.begin() + static_cast<std::ptrdiff_t>(prng.below(bytes.size()));
  };
  for (std::uint64_t i = 1 + prng.below(4); i > 0 && !bytes.empty(); --i) {
    switch (prng.below(5)) {
      case 0:
        *at() = static_cast<std::uint8_t>(prng.next());
        break;
      case 1:
        *at() ^= static_cast<std::uint8_t>(1u << prng.below(8));
        break;
      case 2:
        bytes.erase(at());
        break;
      case 3:
        bytes.insert(at(), static_cast<std::uint8_t>(prng.below(8)));
        break;
      default:
        bytes.insert(bytes.end(), at(), bytes.end());
    }
  }
}

TEST(FrameFuzz, TheCorpusAndItsNeighbours) {
  const std::vector<Bytes> inputs = corpus();
  ASSERT_GE(inputs.size(), 8u);
  for (const Bytes& input : inputs) LLVMFuzzerTestOneInput(input.data(), input.size());
  Prng prng{11};
  for (int i = 0; i < 50'000; ++i) {
    Bytes input = inputs[prng.below(inputs.size())];
    mutate(input, prng);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
}

}  // namespace
}  // namespace hapax::net
