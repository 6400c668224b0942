#include "service/view_locks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax {
namespace {

class Nobody final : public Holders {
  bool is_inside(WaiterId) override { return false; }
};

// A peer's fault is a value: what it says is held against it, and not kept.
TEST(ViewLocks, TakeNoReportOfMoreLocksThanAMemberCanHold) {
  Nobody nobody;
  ViewLocks locks{Policy{}, nobody};
  const ReportPart part{{}, std::vector<std::string>(200'000, "x"), false};
  EXPECT_TRUE(locks.hear(Life{2}, part).has_value());
  EXPECT_TRUE(locks.hear(Life{2}, part).has_value());
  EXPECT_TRUE(locks.hear(Life{3}, part).has_value()) << "each has a report of its own";
  const auto heard = locks.hear(Life{2}, ReportPart{{}, {"one more"}, true});
  ASSERT_FALSE(heard.has_value());
  EXPECT_THAT(heard.error().message, ::testing::HasSubstr("more than the 400000 locks"));
}

}  // namespace
}  // namespace hapax
