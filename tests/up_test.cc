// `hapax up`: a group of processes on the embedded engine that goes on when one of them is killed.
#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <memory>
#include <sstream>

#include "base/send_signal.h"
#include "process_testing.h"

namespace hapax::testing {
namespace {

using ::testing::HasSubstr;

class Up : public ::testing::Test {
 protected:
  std::unique_ptr<Process> start(Arguments words) const {
    words.insert(words.begin(), HAPAX_BINARY);
    return std::make_unique<Process>(
        words, Environment{{"HAPAX_ADDRESS", address()}, {"XDG_RUNTIME_DIR", folder_.path()}},
        folder_);
  }
  std::string address() const { return "unix:" + (folder_ / "usual.sock").string(); }
  void start_up(const Arguments& more) {
    Arguments words{"up", "3"};
    words.insert(words.end(), more.begin(), more.end());
    up_ = start(words);
    ASSERT_TRUE(eventually([&] { return up_->out().find("\nmember 3") != std::string::npos; }, 30s))
        << up_->err();
  }
  // Of a member's daemon, as the lines say.
  pid_t daemon(int member) const {
    const std::string out = up_->out();
    std::istringstream line{out.substr(out.find("\nmember " + std::to_string(member)) + 1)};
    for (std::string word; line >> word;) {
      pid_t pid = 0;
      if (word == "pid" && line >> pid) return pid;
    }
    return -1;
  }
  // What the command prints; it has to succeed.
  std::string output_of(const Arguments& words) const {
    const auto process = start(words);
    process->close_input();
    EXPECT_EQ(process->wait(), 0) << process->err();
    return process->out();
  }

  Folder folder_;
  std::unique_ptr<Process> up_;
};

TEST_F(Up, GoesOnWhenAMemberIsKilled) {
  start_up({"--ttl", "1s", "--clients-dir", folder_ / "clients"});
  const std::string second = "unix:" + (folder_ / "clients").string() + "/member-2.sock";
  const auto holder = start({"lock", "--address", second, "x"});
  ASSERT_TRUE(eventually([&] { return holder->out().find("fence") != std::string::npos; }));
  const auto next = start({"run", "x", "--", "echo", "mine"});
  EXPECT_FALSE(eventually([&] { return !next->out().empty(); }, 300ms));
  ASSERT_GT(daemon(2), 0);
  signal_process(daemon(2), SIGKILL);
  EXPECT_EQ(next->wait(), 0) << next->err();
  EXPECT_EQ(next->out(), "mine\n");
  EXPECT_EQ(holder->wait(), 75);
  EXPECT_THAT(output_of({"status"}), HasSubstr("of 2 members"));
  EXPECT_TRUE(eventually([&] {
    return up_->err().find("member 2 is gone: signal 9") != std::string::npos;
  })) << up_->err();
  up_->signal(SIGTERM);
  EXPECT_EQ(up_->wait(), 0);
}

TEST_F(Up, EndsWhenNobodyIsLeft) {
  start_up({});
  for (int i = 1; i <= 3; ++i) signal_process(daemon(i), SIGKILL);
  EXPECT_EQ(up_->wait(), 69);
  EXPECT_THAT(up_->err(), HasSubstr("all members are gone"));
}

TEST_F(Up, LeavesNoProcessBehindWhenKilled) {
  start_up({});
  std::vector<pid_t> daemons{daemon(1), daemon(2), daemon(3)};
  for (const pid_t pid : daemons) ASSERT_FALSE(is_gone(pid));
  up_->signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return std::all_of(daemons.begin(), daemons.end(), is_gone); }));
}

TEST_F(Up, IsNotMovedBySettingsForDaemonsInTheEnvironment) {
  setenv("HAPAX_MEMBERS", "a:1,b:2", 1);
  setenv("HAPAX_TTL", "9s", 1);
  start_up({"--algorithm", "orders/*=maekawa"});
  unsetenv("HAPAX_MEMBERS");
  unsetenv("HAPAX_TTL");
  EXPECT_THAT(output_of({"status", "--json"}), HasSubstr("\"ttl_ms\":5000"));
  const auto holder = start({"lock", "orders/1"});
  ASSERT_TRUE(eventually([&] { return holder->out().find("fence") != std::string::npos; }));
  EXPECT_THAT(output_of({"who", "--json"}), HasSubstr("\"maekawa\""));
}

TEST_F(Up, SaysWhatAMemberRefuses) {
  const auto up = start({"up", "--ttl", "100ms"});
  EXPECT_EQ(up->wait(), 64);
  EXPECT_EQ(up->err(), "hapax: --ttl 100ms is out of range; use 500ms … 1h\n");
  EXPECT_EQ(up->out(), "");
}

TEST_F(Up, CanBeAFixedListInOneProcess) {
  start_up({"--fixed"});
  EXPECT_THAT(output_of({"status"}), HasSubstr("member 1 of 3 answers"));
  EXPECT_EQ(output_of({"run", "x", "--", "echo", "inside"}), "inside\n");
  up_->signal(SIGINT);
  EXPECT_EQ(up_->wait(), 0);
  EXPECT_EQ(up_->err(), "");
}

}  // namespace
}  // namespace hapax::testing
