// Links with a bug: the swarm has to find each of them.
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "swarm/swarm.h"

namespace hapax {
namespace {

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

// Of the first seed that goes wrong in that way; nothing if none does.
template <class Planted>
std::string first_violation(std::string_view what) {
  constexpr std::uint64_t kMostSeeds = 10'000;
  for (std::uint64_t seed = 1; seed <= kMostSeeds; ++seed) {
    const SwarmReport report =
        run_swarm(SwarmPlan::draw("carvalho-roucairol", seed), 0,
                  [](std::uint64_t incarnation, const net::LinkLimits& limits) {
                    return std::make_unique<Planted>(incarnation, limits);
                  });
    if (report.violation.find(what) == std::string::npos) continue;
    ::testing::Test::RecordProperty("seeds", std::to_string(seed));
    return report.violation;
  }
  return {};
}

TEST(PlantedLinks, AreFoundToTakeGaps) {
  EXPECT_NE(first_violation<TakesGaps>("is handed message"), "");
}
TEST(PlantedLinks, AreFoundToTakeDuplicates) {
  EXPECT_NE(first_violation<TakesDuplicates>("is handed message"), "");
}
TEST(PlantedLinks, AreFoundToForgetToResend) {
  EXPECT_NE(first_violation<ForgetsToResend>("a gap"), "");
}

}  // namespace
}  // namespace hapax
