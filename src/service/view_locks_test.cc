#include "service/view_locks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "service/list_views.h"

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

// Programs that keep many locks and use them no more take nobody's place.
TEST(ViewLocks, MayStayWhereTheyWereUsedAsLongAsThereIsRoomForOthers) {
  Nobody nobody;
  ListViews views{
      Policy::parse("carvalho-roucairol", {}).value(), nobody, NodeId{0}, Life{1}, 1, Epoch{}};
  ViewOrders orders;
  views.take_part(orders);
  ASSERT_TRUE(orders.promise.has_value());
  views.promised(*orders.promise, orders);
  const auto stays = [&](std::uint64_t lock) {
    orders.grants.clear();
    EXPECT_TRUE(views.acquire(std::to_string(lock), WaiterId{lock}, Want::exclusive, orders));
    return orders.grants.size() == 1 && orders.grants.front().may_keep;
  };
  constexpr std::uint64_t kMost = 200'000;
  std::uint64_t kept = 0;
  while (kept < kMost + 10 && stays(kept + 1)) ++kept;
  EXPECT_EQ(kept, kMost);
  EXPECT_TRUE(views.release("1", WaiterId{1}, std::nullopt, orders));
  EXPECT_TRUE(views.release("2", WaiterId{2}, std::nullopt, orders));
  EXPECT_TRUE(stays(kMost + 2)) << "there is room again";
}

}  // namespace
}  // namespace hapax
