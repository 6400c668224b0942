// The daemon and those inside its own process, who may act on what they are told at once.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/testing/folder.h"
#include "daemon/daemon.h"
#include "loop/loop.h"

namespace hapax {
namespace {

// Writes down what it is told. When it is let in for the first time it asks again, gives the lock
// back, and asks once more.
class Hasty final : public Asker {
 public:
  explicit Hasty(Daemon& daemon) : daemon_(daemon) {}
  void ask() { EXPECT_TRUE(daemon_.acquire("it", daemon_.next_waiter(), *this).has_value()); }
  void on_granted(const Grant& grant) override {
    told_.push_back(fmt::format("granted {}", number(grant.waiter)));
    if (told_.size() > 1) return;
    ask();
    daemon_.release("it", grant.waiter, grant.fence.turn);
    ask();
  }
  void on_wanted(WaiterId waiter) override {
    told_.push_back(fmt::format("wanted {}", number(waiter)));
  }
  const std::vector<std::string>& told() const { return told_; }

 private:
  Daemon& daemon_;
  std::vector<std::string> told_;
};

TEST(Asker, HearsThatItIsInsideBeforeItHearsThatItIsWanted) {
  const testing::Folder folder;
  Loop io;
  NodeConfig config;
  config.members = {{.host = "", .port = 0, .path = (folder / "member").string()}};
  config.state.path = folder / "state";
  config.state.is_new_group = true;
  const auto daemon = Daemon::create(io, std::move(config), {}).value();
  ASSERT_TRUE(daemon->start().has_value());
  Hasty hasty{*daemon};
  hasty.ask();
  EXPECT_THAT(hasty.told(), ::testing::ElementsAre("granted 1", "granted 2", "wanted 2"));
}

}  // namespace
}  // namespace hapax
