#include "member/lease.h"

#include <atomic>
#include <gtest/gtest.h>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/boot_clock.h"

namespace hapax::client {
namespace {

using namespace std::chrono_literals;

TEST(Lease, WithoutAnEndCoversItsOnlyTerm) {
  Lease lease{false};
  const Lease::Term term = lease.grant();
  EXPECT_TRUE(lease.covers(term));
  EXPECT_EQ(lease.left(), Span::max());
  EXPECT_FALSE(lease.token(term).stop_requested());
  EXPECT_FALSE(lease.runs_out());
}

TEST(Lease, CoversNothingBeforeItIsRenewed) {
  Lease lease{true};
  EXPECT_FALSE(lease.covers(lease.grant()));
  EXPECT_EQ(lease.left(), Span{0});
  lease.renew(boot_clock_now() + 1h);
  EXPECT_TRUE(lease.covers(lease.grant()));
  EXPECT_GT(lease.left(), Span{0});
}

TEST(Lease, ATokenIsOfTheTermsOfItsGrant) {
  Lease lease{true};
  lease.renew(boot_clock_now() + 1h);
  const Lease::Term first = lease.grant();
  const std::stop_token before = lease.token(first);
  lease.end();
  EXPECT_TRUE(before.stop_requested());
  EXPECT_TRUE(lease.token(first).stop_requested());
  EXPECT_FALSE(lease.covers(first));
  lease.renew(boot_clock_now() + 1h);
  EXPECT_FALSE(lease.covers(first));
  const Lease::Term second = lease.grant();
  EXPECT_TRUE(lease.covers(second));
  EXPECT_FALSE(lease.token(second).stop_requested());
  EXPECT_FALSE(lease.token(0).stop_requested());
}

TEST(Lease, ATermWithoutGrantsHasNobodyToTell) {
  Lease lease{true};
  lease.renew(boot_clock_now() + 1h);
  const Lease::Term term = lease.term().number();
  lease.end();
  EXPECT_EQ(lease.term().number(), term);
  EXPECT_FALSE(lease.covers(term));
}

TEST(Lease, RunsOutByItself) {
  Lease lease{true};
  const Lease::Term term = lease.grant();
  const std::stop_token token = lease.token(term);
  std::atomic<bool> told = false;
  const std::stop_callback callback{token, [&] {
                                      told = true;
                                      told.notify_all();
                                    }};
  const Instant end = boot_clock_now() + 20ms;
  lease.renew(end);
  told.wait(false);
  EXPECT_GE(boot_clock_now(), end);
  EXPECT_FALSE(lease.covers(term));
}

// A callback may take as long as it likes: the loop, which says that all is lost, goes on.
TEST(Lease, DoesNotWaitForThoseItCalls) {
  Lease lease{true};
  lease.renew(boot_clock_now() + 1h);
  std::atomic<bool> may_go_on = false;
  std::atomic<bool> is_called = false;
  const std::stop_callback callback{lease.token(lease.grant()), [&] {
                                      is_called = true;
                                      is_called.notify_all();
                                      may_go_on.wait(false);
                                    }};
  lease.end();
  is_called.wait(false);
  may_go_on = true;
  may_go_on.notify_all();
}

TEST(Lease, TellsOfTheNextLossThoughSomebodyIsStillAtTheLastOne) {
  Lease lease{true};
  std::atomic<bool> may_return = false;
  {
    const std::stop_callback slow{lease.token(lease.grant()), [&] {
                                    while (!may_return) std::this_thread::yield();
                                  }};
    lease.end();
    lease.renew(boot_clock_now() + 1h);
    const std::stop_token next = lease.token(lease.grant());
    EXPECT_FALSE(next.stop_requested());
    lease.end();
    EXPECT_TRUE(next.stop_requested());
    may_return = true;
  }
}

}  // namespace
}  // namespace hapax::client
