// `hapax lock`: in the foreground, in the background, and by a descriptor as flock(1) has it.
#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <string>
#include <thread>

#include "run_testing.h"

namespace hapax::testing {
namespace {

using ::testing::HasSubstr;

class Lock : public Run {};

TEST_F(Lock, SaysThatItIsLost) {
  start_nodes();
  const auto holder = hold("x");
  nodes_[0]->signal(SIGKILL);
  EXPECT_EQ(holder->wait(), 75);
  EXPECT_THAT(holder->err(), HasSubstr("x is lost"));
}

TEST_F(Lock, InTheBackgroundIsHeldUntilASignal) {
  start_group();
  const auto holder = start({"lock", "x"});
  holder->close_input();
  ASSERT_TRUE(eventually([&] { return holder->out().find("SIGTERM") != std::string::npos; }));
  std::this_thread::sleep_for(200ms);
  EXPECT_FALSE(holder->has_ended());
  EXPECT_EQ(hapax({"try", "x"}).status, 1);
  holder->signal(SIGTERM);
  EXPECT_EQ(holder->wait(), 0);
  EXPECT_EQ(hapax({"run", "-w", "10", "x", "--", "true"}).status, 0);
}

TEST_F(Lock, OfADescriptorIsHeldWhileThatIsOpen) {
  start_group();
  const std::string hapax_lock = std::string{HAPAX_BINARY} + " lock x --fd 9";
  const std::string script =
      "exec 9>file; out=$(" + hapax_lock +
      "); echo \"$out\"; sleep 100 & echo $!; exec 9>&-; read end; kill $!; wait";
  Process shell{{"/bin/sh", "-c", script}, environment_, folder_};
  ASSERT_TRUE(eventually([&] {
    const std::string out = shell.out();
    return std::count(out.begin(), out.end(), '\n') == 2;
  })) << shell.err();
  EXPECT_THAT(shell.out(), HasSubstr("x is ours, fence "));
  // A child of the shell has the descriptor still, as with flock.
  EXPECT_EQ(hapax({"run", "-n", "x", "--", "true"}).status, 1);
  const auto other = start({"lock", "-n", "x", "--fd", "0"});
  EXPECT_EQ(other->wait(), 64) << "it is a pipe";
  EXPECT_THAT(other->err(),
              HasSubstr("it is not a file; open a file for it first, as in exec 0>FILE"));
  shell.say("\n");
  shell.wait();
  EXPECT_EQ(hapax({"run", "-w", "10", "x", "--", "true"}).status, 0);
}

TEST_F(Lock, OfADescriptorThatIsNotHadLeavesNobodyBehind) {
  start_group();
  const auto holder = hold("x");
  Process shell{
      {"/bin/sh", "-c", std::string{"exec 9>file; "} + HAPAX_BINARY + " lock -n x --fd 9"},
      environment_,
      folder_};
  EXPECT_EQ(shell.wait(), 1);
  EXPECT_THAT(shell.err(), HasSubstr("somebody else has x"));
  expect_refused({"lock", "x", "--fd", "77"}, 64, "there is no such descriptor");
}

}  // namespace
}  // namespace hapax::testing
