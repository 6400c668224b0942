// Links with a bug: the swarm has to find each of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>

#include "swarm/swarm.h"

namespace hapax {
namespace {

using ::testing::HasSubstr;

struct TakesGaps : SwarmLink {
  using SwarmLink::SwarmLink;
  std::optional<std::uint64_t> receive(const net::Data& data, const net::Frame& frame) override {
    net::Data closed = data;
    closed.first = std::min(data.first, link.received() + 1);
    return SwarmLink::receive(closed, frame);
  }
};

struct TakesDuplicates : SwarmLink {
  using SwarmLink::SwarmLink;
  std::optional<std::uint64_t> receive(const net::Data& data, const net::Frame& frame) override {
    if (!SwarmLink::receive(data, frame)) return std::nullopt;
    return 0;
  }
};

struct ForgetsToResend : SwarmLink {
  using SwarmLink::SwarmLink;
  net::Link::Meeting meet(const net::Hello& hello) override {
    const net::Link::Meeting meeting = SwarmLink::meet(hello);
    Bytes forgotten;
    if (meeting == net::Link::Meeting::again) link.write(forgotten, SIZE_MAX);
    return meeting;
  }
};

// What is said of the first seed that goes wrong; nothing if none does.
template <class Planted>
std::string first_violation() {
  constexpr std::uint64_t kMostSeeds = 10'000;
  for (std::uint64_t seed = 1; seed <= kMostSeeds; ++seed) {
    const SwarmReport report =
        run_swarm(SwarmPlan::draw("carvalho-roucairol", seed), 0,
                  [](std::uint64_t incarnation, const net::LinkLimits& limits) {
                    return std::make_unique<Planted>(incarnation, limits);
                  });
    if (report.violation.empty()) continue;
    ::testing::Test::RecordProperty("seeds", std::to_string(seed));
    return report.violation;
  }
  return {};
}

TEST(PlantedLinks, AreFoundToTakeGaps) {
  EXPECT_THAT(first_violation<TakesGaps>(), HasSubstr("is handed message"));
}
TEST(PlantedLinks, AreFoundToTakeDuplicates) {
  EXPECT_THAT(first_violation<TakesDuplicates>(), HasSubstr("is handed message"));
}
TEST(PlantedLinks, AreFoundToForgetToResend) {
  EXPECT_THAT(first_violation<ForgetsToResend>(), HasSubstr("a gap"));
}

}  // namespace
}  // namespace hapax
