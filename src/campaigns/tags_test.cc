#include "wire/tags.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "campaigns/election_payload.h"
#include "campaigns/peer_message.h"
#include "locks/algorithm_id.h"

namespace hapax {
namespace {

std::set<std::uint8_t> distinct(const std::vector<std::uint8_t>& tags) {
  return {tags.begin(), tags.end()};
}

TEST(Tags, OfWhatMayComeInTheSamePlaceDiffer) {
  const std::vector<std::uint8_t> on_an_engine{tags::kReport, tags::kInView, tags::kElection,
                                               tags::kBetweenDaemons};
  EXPECT_EQ(distinct(on_an_engine).size(), on_an_engine.size());
  std::vector<std::uint8_t> in_a_view{tags::kElection, tags::kBetweenDaemons};
  for (std::uint8_t i = 0; i < kMostAlgorithmIds; ++i) {
    if (!is_valid(AlgorithmId{i})) continue;
    in_a_view.push_back(i);
    EXPECT_LE(i, tags::kLastAlgorithm);
  }
  EXPECT_GT(in_a_view.size(), 10u);
  EXPECT_EQ(distinct(in_a_view).size(), in_a_view.size());
  EXPECT_LT(tags::kLastAlgorithm, tags::kElection);
  for (const std::uint8_t tag : in_a_view) EXPECT_EQ(tag & tags::kWakeBit, 0);
}

// Members of different versions meet: what is written here stays as it is.
TEST(Tags, AreWhatTheyWere) {
  EXPECT_EQ(tags::kReport, 0x01);
  EXPECT_EQ(tags::kInView, 0x02);
  EXPECT_EQ(tags::kWakeBit, 0x80);
  Bytes election;
  append_election(election, ElectionPayload::Kind::call);
  EXPECT_EQ(election, (Bytes{0x7e, 1}));
  EXPECT_EQ(payload_of(Resume{"x"}), (Bytes{0x7f, 6, 1, 'x'}));
}

}  // namespace
}  // namespace hapax
