#include "live/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace hapax::live {
namespace {

using std::chrono::hours;

const Passes::Instant kNow{};
Caller user(uid_t number) { return {.user = number}; }

TEST(Passes, SayWhoseTheyAre) {
  Passes passes;
  const std::string alice = passes.issue(user(1), kNow).value();
  const std::string billing = passes.issue({.certified = "billing"}, kNow).value();
  EXPECT_EQ(alice.size(), 64u);
  ASSERT_NE(passes.find(alice, kNow), nullptr);
  EXPECT_EQ(passes.find(alice, kNow)->user, 1u);
  EXPECT_EQ(passes.find(billing, kNow)->certified, "billing");
  for (const std::string& wrong : {std::string{}, std::string{"x"}, alice.substr(1), alice + "0"}) {
    EXPECT_EQ(passes.find(wrong, kNow), nullptr) << wrong;
  }
}

TEST(Passes, AreGoodForHalfADay) {
  Passes passes;
  const std::string pass = passes.issue(user(1), kNow).value();
  EXPECT_NE(passes.find(pass, kNow + hours{11}), nullptr);
  EXPECT_EQ(passes.find(pass, kNow + Passes::kGoodFor), nullptr);
}

TEST(Passes, WhoAsksOftenLosesOnlyItsOwn) {
  Passes passes;
  const std::string alice = passes.issue(user(1), kNow).value();
  std::set<std::string> bobs;
  std::string first;
  for (int i = 0; i < 1000; ++i) {
    const std::string pass = passes.issue(user(2), kNow).value();
    if (i == 0) first = pass;
    EXPECT_TRUE(bobs.insert(pass).second);
  }
  EXPECT_NE(passes.find(alice, kNow), nullptr);
  EXPECT_EQ(passes.find(first, kNow), nullptr);
  EXPECT_EQ(std::count_if(bobs.begin(), bobs.end(),
                          [&](const auto& pass) { return passes.find(pass, kNow) != nullptr; }),
            static_cast<std::ptrdiff_t>(Passes::kMostOfOne));
}

TEST(Passes, HaveALimit) {
  Passes passes;
  for (uid_t i = 0; i < Passes::kMost; ++i) ASSERT_TRUE(passes.issue(user(i), kNow));
  EXPECT_FALSE(passes.issue(user(1'000), kNow));
  EXPECT_TRUE(passes.issue(user(1'000), kNow + Passes::kGoodFor)) << "the others are over";
}

}  // namespace
}  // namespace hapax::live
