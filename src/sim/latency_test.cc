#include "sim/latency.h"

#include <gmock/gmock.h>

namespace hapax {
namespace {

using ::testing::HasSubstr;

constexpr NodeId kFrom{0};
constexpr NodeId kTo{1};

TEST(Latency, ConstantIsAlwaysTheSame) {
  const Latency latency = *Latency::parse("const:3ms");
  Prng prng{1};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(latency.draw(kFrom, kTo, prng), 3 * kMillisecond);
  EXPECT_EQ(latency.mean(), 3 * kMillisecond);
  EXPECT_TRUE(latency.keeps_order());
}

TEST(Latency, UniformStaysWithinItsBoundsAndReachesThem) {
  const Latency latency = *Latency::parse("uniform:2ns:5ns");
  Prng prng{1};
  bool low = false;
  bool high = false;
  for (int i = 0; i < 1000; ++i) {
    const Nanos drawn = latency.draw(kFrom, kTo, prng);
    ASSERT_TRUE(drawn >= 2 && drawn <= 5) << drawn;
    low = low || drawn == 2;
    high = high || drawn == 5;
  }
  EXPECT_TRUE(low && high);
  EXPECT_EQ(latency.bounds(), (std::pair<Nanos, Nanos>{2, 5}));
  EXPECT_FALSE(latency.keeps_order());
}

TEST(Latency, ExponentialHasItsMeanAndNoBounds) {
  const Latency latency = *Latency::parse("exp:1ms");
  Prng prng{1};
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Nanos drawn = latency.draw(kFrom, kTo, prng);
    ASSERT_GE(drawn, 0);
    sum += static_cast<double>(drawn);
  }
  EXPECT_NEAR(sum / 100'000, kMillisecond, 0.02 * kMillisecond);
  EXPECT_FALSE(latency.bounds().has_value());
}

TEST(Latency, AWideAreaIsSymmetricAndShortestAtHome) {
  ASSERT_FALSE(wide_areas().empty());
  for (const WideArea& area : wide_areas()) {
    const Latency latency = *Latency::parse(area.name);
    const auto places = static_cast<std::uint32_t>(area.places.size());
    Prng prng{1};
    for (std::uint32_t i = 0; i < places; ++i) {
      const Nanos home = latency.draw(NodeId{i}, NodeId{i + places}, prng);
      for (std::uint32_t j = 0; j < places; ++j) {
        const Nanos there = latency.draw(NodeId{i}, NodeId{j}, prng);
        EXPECT_GT(there, 0);
        EXPECT_EQ(there, latency.draw(NodeId{j}, NodeId{i}, prng)) << area.name;
        EXPECT_TRUE(i == j || home < there) << area.name << ' ' << i << ' ' << j;
        EXPECT_LE(there, latency.longest());
      }
    }
  }
}

TEST(Latency, ABareDurationIsConstant) {
  const auto latency = Latency::parse("2ms");
  ASSERT_TRUE(latency.has_value());
  EXPECT_EQ(latency->text(), "const:2ms");
  EXPECT_EQ(latency->bounds(), (std::pair{2 * kMillisecond, 2 * kMillisecond}));
}

TEST(Latency, WhatMakesNoSenseIsRefusedWithAnExample) {
  for (const char* text : {"", "1", "const", "gauss:1ms", "uniform:1ms", "mars", "const1ms"}) {
    const auto latency = Latency::parse(text);
    ASSERT_FALSE(latency.has_value()) << text;
    EXPECT_THAT(latency.error().message, HasSubstr("use const:1ms, uniform:500us:2ms, exp:1ms"));
  }
  for (const char* text : {"const:0ms", "exp:0s"}) {
    EXPECT_THAT(Latency::parse(text).error().message, HasSubstr("a message takes some time"));
  }
  for (const char* text : {"uniform:2ms:1ms", "uniform:1ms:1ms"}) {
    EXPECT_THAT(Latency::parse(text).error().message, HasSubstr("must be the larger one"));
  }
  EXPECT_THAT(Latency::parse("uniform:0ns:1ns").error().message, HasSubstr("is too short"));
  for (const char* text : {"const:-1ms", "exp:2h", "const:99999s", "uniform:1ms:", "const:1:2"}) {
    EXPECT_FALSE(Latency::parse(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace hapax
