#include "base/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr std::array<Histogram::Span, 2> kTwo{1ms, 10ms};

TEST(HistogramTest, CountsEachOnceInTheFirstBucketThatHasRoom) {
  Histogram histogram{kTwo};
  for (const Histogram::Span took :
       {Histogram::Span{0}, Histogram::Span{1ms}, Histogram::Span{1000001ns}, Histogram::Span{10ms},
        Histogram::Span{1h}}) {
    histogram.note(took);
  }
  EXPECT_THAT(histogram.counts(), ElementsAre(2, 2, 1));
  EXPECT_EQ(histogram.count(), 5u);
  EXPECT_EQ(histogram.sum(), 1ms + 1000001ns + 10ms + 1h);
}

TEST(HistogramTest, BoundsGrow) {
  for (const std::span<const Histogram::Span> all :
       {std::span<const Histogram::Span>{bounds::kUpkeep},
        std::span<const Histogram::Span>{bounds::kClients}}) {
    EXPECT_LE(all.size(), Histogram::kMostBounds);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1], all[i]);
  }
}

}  // namespace
}  // namespace hapax
