#include "base/process_group.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/send_signal.h"

namespace hapax {
namespace {

// Leads a group, and waits for a signal.
pid_t start_leader() {
  const pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    for (;;) pause();
  }
  setpgid(pid, pid);
  return pid;
}

TEST(ProcessGroup, IsOverWhenOnlyZombiesAreLeft) {
  const pid_t leader = start_leader();
  const auto group = ProcessGroup::led_by(leader, geteuid());
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->is_running());
  EXPECT_TRUE(group->end(std::chrono::seconds{10}));
  EXPECT_TRUE(signal_group(leader, 0)) << "nobody has waited for it yet";
  EXPECT_FALSE(group->is_running());
  int status = 0;
  EXPECT_EQ(waitpid(leader, &status, 0), leader);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_FALSE(group->is_running());
}

TEST(ProcessGroup, IsOnlyWhatIsLedByAProcessOfTheOwner) {
  EXPECT_FALSE(ProcessGroup::led_by(-1, geteuid()));
  EXPECT_FALSE(ProcessGroup::led_by(0, geteuid()));
  EXPECT_FALSE(ProcessGroup::led_by(1, geteuid())) << "that is everybody, to kill()";
  const pid_t leader = start_leader();
  EXPECT_FALSE(ProcessGroup::led_by(leader, geteuid() + 1));
  const pid_t follower = fork();
  if (follower == 0) {
    for (;;) pause();
  }
  setpgid(follower, leader);
  EXPECT_FALSE(ProcessGroup::led_by(follower, geteuid()));
  const auto group = ProcessGroup::led_by(leader, geteuid());
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->end(std::chrono::seconds{10}));
  EXPECT_EQ(waitpid(leader, nullptr, 0), leader);
  EXPECT_EQ(waitpid(follower, nullptr, 0), follower);
}

}  // namespace
}  // namespace hapax
