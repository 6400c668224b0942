#include "membership/list_group.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/boot_clock.h"
#include "loop/loop.h"
#include "membership/testing/quiet_host.h"

namespace hapax {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

// A member of a list, and who holds what at it.
struct ListMember final : testing_members::QuietHost {
  ListMember(Loop& io, const GroupOptions& options) {
    group = ListGroup::create(io, options, *this).value();
    const auto begun = group->start();
    if (!begun) refusal = begun.error().message;
  }

  void on_granted(const Grant& grant) override { held[grant.waiter] = grant.fence; }
  void on_lost(WaiterId waiter) override { held.erase(waiter); }
  void on_recalled(WaiterId waiter) override { recalled.push_back(waiter); }
  bool runs() const { return group->views().keeper().standing() == Standing::running; }

  std::unique_ptr<Group> group;
  std::string refusal;
  std::map<WaiterId, Fence> held;
  std::vector<WaiterId> recalled;
};

class FixedLists : public ::testing::Test {
 protected:
  FixedLists() {
    std::string pattern = (fs::temp_directory_path() / "hapax-list-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~FixedLists() override {
    members_.clear();
    fs::remove_all(folder_);
  }

  template <class Done>
  bool until(Done done, milliseconds patience = milliseconds{10'000}) {
    const Instant end = boot_clock_now() + patience;
    while (!done()) {
      if (boot_clock_now() > end) return false;
      io_.restart();
      io_.run_one_for(milliseconds{5});
    }
    return true;
  }

  GroupOptions options_of(std::uint32_t i, std::uint32_t size) const {
    GroupOptions options;
    options.list.emplace();
    options.list->self = Seat{i};
    for (std::uint32_t j = 0; j < size; ++j) {
      const std::string path = (folder_ / fmt::format("{}.link", j)).string();
      options.list->members.push_back(net::parse_address("unix:" + path).value());
    }
    options.state.path = folder_ / fmt::format("{}.state", i);
    options.state.is_new_group = true;
    options.state.clients_notice = milliseconds{300};
    options.listen = options.list->members[i];
    options.election = "bully";
    return options;
  }
  void start(std::uint32_t i) { start(i, options_of(i, kSize)); }
  void start(std::uint32_t i, const GroupOptions& options) {
    members_[i] = std::make_unique<ListMember>(io_, options);
  }
  void start_all() {
    for (std::uint32_t i = 0; i < kSize; ++i) start(i);
  }
  // As kill -9 would.
  void kill(std::uint32_t i) { members_.erase(i); }
  bool all_run() const {
    const auto epoch = members_.begin()->second->group->epoch();
    return members_.size() == kSize &&
           std::all_of(members_.begin(), members_.end(), [&](const auto& m) {
             return m.second->runs() && m.second->group->epoch() == epoch;
           });
  }
  ListMember& at(std::uint32_t i) { return *members_.at(i); }
  bool ask(std::uint32_t i, const char* name, std::uint64_t waiter) {
    return at(i).group->acquire(name, WaiterId{waiter}).has_value();
  }
  std::string logs() const {
    std::string text;
    for (const auto& [i, member] : members_) {
      text += fmt::format("member {}: {}\n", i + 1, member->refusal);
      for (const auto& line : member->lines) text += "  " + line + '\n';
    }
    return text;
  }

  static constexpr std::uint32_t kSize = 3;
  Loop io_;
  fs::path folder_;
  std::map<std::uint32_t, std::unique_ptr<ListMember>> members_;
};

TEST_F(FixedLists, BeginWhenAllAreThere) {
  start(0);
  start(1);
  ASSERT_TRUE(ask(0, "orders", 1)) << "it is queued";
  EXPECT_FALSE(until([&] { return at(0).runs(); }, milliseconds{200}));
  start(2);
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  ASSERT_TRUE(until([&] { return at(0).held.contains(WaiterId{1}); }));
  EXPECT_EQ(at(0).group->epoch(), Epoch{1});
}

TEST_F(FixedLists, AMemberAloneIsAList) {
  start(0, options_of(0, 1));
  ASSERT_TRUE(ask(0, "orders", 1));
  ASSERT_TRUE(until([&] { return at(0).held.contains(WaiterId{1}); })) << logs();
}

TEST_F(FixedLists, ARestartedMemberTakesPartInANewEpochAndOthersKeepTheirLocks) {
  start_all();
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  const Epoch before = at(0).group->epoch();
  for (std::uint64_t lock = 0; lock < 12; ++lock) {
    ASSERT_TRUE(ask(lock % 2, fmt::format("lock-{}", lock).c_str(), 1 + lock));
  }
  ASSERT_TRUE(until([&] { return at(0).held.size() + at(1).held.size() == 12; })) << logs();
  kill(2);
  start(2);
  for (std::uint64_t lock = 0; lock < 12; ++lock) {
    ASSERT_TRUE(ask(2, fmt::format("lock-{}", lock).c_str(), 101 + lock));
  }
  ASSERT_TRUE(until([&] { return all_run() && at(2).group->epoch() > before; })) << logs();
  EXPECT_FALSE(until([&] { return !at(2).held.empty(); }, milliseconds{300})) << "they are held";
  for (std::uint64_t lock = 0; lock < 12; ++lock) {
    const std::string name = fmt::format("lock-{}", lock);
    ASSERT_TRUE(at(lock % 2).group->release(name, WaiterId{1 + lock}, std::nullopt).has_value());
  }
  ASSERT_TRUE(until([&] { return at(2).held.size() == 12; })) << logs();
  EXPECT_GT(at(2).held[WaiterId{101}].epoch, before);
}

TEST_F(FixedLists, ANewLifeWaitsForTheClientsOfTheOldOne) {
  start_all();
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  const Epoch before = at(0).group->epoch();
  kill(1);
  start(1);
  EXPECT_FALSE(until([&] { return at(0).group->epoch() > before; }, milliseconds{250}));
  ASSERT_TRUE(until([&] { return all_run() && at(0).group->epoch() > before; })) << logs();
}

TEST_F(FixedLists, AMemberThatEndedWithNothingHeldIsNotWaitedFor) {
  start_all();
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  const Epoch before = at(0).group->epoch();
  ASSERT_TRUE(ask(1, "orders", 1));
  ASSERT_TRUE(until([&] { return !at(1).held.empty(); }));
  at(1).group->leave({});
  EXPECT_THAT(at(1).recalled, ::testing::ElementsAre(WaiterId{1}));
  EXPECT_FALSE(at(1).left) << "somebody is inside";
  ASSERT_TRUE(at(1).group->release("orders", WaiterId{1}, std::nullopt).has_value());
  ASSERT_TRUE(until([&] { return at(1).left; }));
  kill(1);
  start(1, options_of(1, kSize));
  ASSERT_TRUE(until([&] { return all_run() && at(0).group->epoch() > before; }, milliseconds{250}))
      << logs();
}

TEST_F(FixedLists, WhoEndsWhileItWaitsLeavesTheWaitToItsNextLife) {
  start_all();
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  const Epoch before = at(0).group->epoch();
  kill(1);
  start(1);
  at(1).group->leave({});
  ASSERT_TRUE(until([&] { return at(1).left; }));
  kill(1);
  start(1);
  EXPECT_FALSE(until([&] { return at(0).group->epoch() > before; }, milliseconds{250}));
  ASSERT_TRUE(until([&] { return all_run() && at(0).group->epoch() > before; })) << logs();
}

TEST_F(FixedLists, AMemberWithoutClientsHeldNothingForAnybodyElse) {
  for (std::uint32_t i = 0; i < kSize; ++i) {
    GroupOptions options = options_of(i, kSize);
    options.state.serves_clients = false;
    start(i, options);
  }
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  const Epoch before = at(0).group->epoch();
  kill(1);
  start(1);
  ASSERT_TRUE(until([&] { return all_run() && at(0).group->epoch() > before; }, milliseconds{250}))
      << logs();
}

TEST_F(FixedLists, EpochsGoOnWhenAllRestart) {
  start_all();
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  const Epoch before = at(0).group->epoch();
  members_.clear();
  fs::remove(folder_ / "1.state");  // One that forgot learns from the others.
  start_all();
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  EXPECT_GT(at(0).group->epoch(), before);
}

TEST_F(FixedLists, WithoutAnyStateEpochsBeginAboveAnythingBefore) {
  for (std::uint32_t i = 0; i < kSize; ++i) {
    GroupOptions options = options_of(i, kSize);
    options.state.is_new_group = false;
    if (i == 1) options.state.epoch_above = Epoch{std::uint64_t{1} << 45};
    start(i, options);
  }
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  EXPECT_EQ(at(0).group->epoch(), Epoch{(std::uint64_t{1} << 45) + 1});
  EXPECT_THAT(at(0).lines.front(), HasSubstr("no state in"));
}

TEST_F(FixedLists, AnotherListIsRefusedByNameAtBothEnds) {
  start(0);
  start(1);
  GroupOptions other = options_of(2, kSize);
  std::swap(other.list->members[0], other.list->members[1]);
  start(2, other);
  ASSERT_TRUE(until([&] {
    return !at(2).group->peers().trouble_with(Seat{0}).empty() &&
           !at(0).group->peers().trouble_with(Seat{2}).empty();
  })) << logs();
  for (const std::string& said :
       {at(0).group->peers().trouble_with(Seat{2}), at(2).group->peers().trouble_with(Seat{0})}) {
    EXPECT_THAT(said, HasSubstr("member 3 was started with members unix:"));
  }
  EXPECT_FALSE(at(2).runs());
}

TEST_F(FixedLists, AChangedListNeedsAWord) {
  start_all();
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  kill(2);
  GroupOptions other = options_of(2, kSize + 1);
  other.state.is_new_group = false;
  start(2, other);
  EXPECT_THAT(at(2).refusal, HasSubstr("--new-group"));
  kill(2);
  other.state.is_new_group = true;
  start(2, other);
  EXPECT_EQ(at(2).refusal, "");
}

TEST_F(FixedLists, AMemberThatCannotWriteDownDoesNotPromise) {
  start_all();
  ASSERT_TRUE(until([&] { return all_run(); })) << logs();
  const Epoch before = at(0).group->epoch();
  kill(2);
  fs::rename(folder_ / "0.state", folder_ / "kept");
  fs::create_directories(folder_ / "0.state" / "in-the-way");
  start(2);
  EXPECT_FALSE(
      until([&] { return all_run() && at(0).group->epoch() > before; }, milliseconds{800}));
  EXPECT_THAT(at(0).lines.back(), HasSubstr("no view begins until this can be written"));
  fs::remove_all(folder_ / "0.state");
  ASSERT_TRUE(until([&] { return all_run() && at(0).group->epoch() > before; })) << logs();
}

}  // namespace
}  // namespace hapax
