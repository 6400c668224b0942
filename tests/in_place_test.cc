// `hapax run -F`: the command takes the place of hapax, and a process beside it holds the lock.
#include <csignal>
#include <gmock/gmock.h>
#include <string>

#include "process_testing.h"
#include "run_testing.h"

namespace hapax::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class InPlace : public Run {
 protected:
  bool is_free() const { return hapax({"run", "-n", "x", "--", "true"}).status == 0; }
  // By one that is to be replaced.
  bool is_asked_for() const {
    return hapax({"who", "--json"}).out.find("run -F x") != std::string::npos;
  }
};

TEST_F(InPlace, TheCommandHasTheProcessIdAndTheLock) {
  start_group();
  const auto run =
      start({"run", "-F", "x", "--", "sh", "-c", "echo $$ $HAPAX_LOCK $HAPAX_FENCE; cat; exit 7"});
  ASSERT_TRUE(eventually([&] { return run->out().find('\n') != std::string::npos; })) << run->err();
  EXPECT_THAT(run->out(), MatchesRegex(std::to_string(run->pid()) + " x [0-9]+\\.[0-9]+\n"));
  EXPECT_FALSE(is_free());
  run->say("hello\n");
  run->close_input();
  EXPECT_EQ(run->wait(), 7);
  EXPECT_THAT(run->out(), HasSubstr("\nhello\n"));
  EXPECT_EQ(run->err(), "");
  EXPECT_TRUE(eventually([&] { return is_free(); }));
}

TEST_F(InPlace, WhatTheCommandLeavesBehindHasTheLockAsWithFlock) {
  start_group();
  EXPECT_EQ(hapax({"run", "-F", "x", "--", "sh", "-c", "sleep 1.5 >&- 2>&- & exit 0"}).status, 0);
  EXPECT_FALSE(is_free());
  EXPECT_TRUE(eventually([&] { return is_free(); }));
}

TEST_F(InPlace, EndsAsTheOneThatCouldNotHaveTheLock) {
  start_group();
  const auto holder = start({"run", "x", "--", "sh", "-c", "echo in; cat"});
  ASSERT_TRUE(eventually([&] { return holder->out() == "in\n"; })) << holder->err();
  EXPECT_EQ(hapax({"run", "-F", "-n", "x", "--", "true"}).status, 1);
  EXPECT_EQ(hapax({"run", "-F", "-n", "-E", "9", "x", "--", "true"}).status, 9);
  // One that waits is told to go.
  const auto waiter = start({"run", "-F", "x", "--", "true"});
  ASSERT_TRUE(eventually([&] { return is_asked_for(); }));
  waiter->signal(SIGINT);
  EXPECT_EQ(waiter->wait(), 128 + SIGINT);
  EXPECT_TRUE(eventually([&] { return !is_asked_for(); }));
  holder->close_input();
  EXPECT_EQ(holder->wait(), 0);
  expect_refused({"run", "-F", "x", "--", "no-such-command-at-all"}, 127, "command not found");
  expect_refused({"run", "-F", "-o", "x", "--", "true"}, 64, "--close");
  EXPECT_TRUE(eventually([&] { return is_free(); }));
}

TEST_F(InPlace, TheCommandIsEndedIfTheLockIsLost) {
  start_group();
  const auto run = start({"run", "-F", "x", "--", "sh", "-c", "trap '' TERM; echo in; sleep 60"});
  ASSERT_TRUE(eventually([&] { return run->out() == "in\n"; })) << run->err();
  ASSERT_EQ(hapax({"break", "x", "--yes"}).status, 0);
  EXPECT_EQ(run->wait(), 128 + SIGKILL);
  const std::string said = "x is lost, and the command was ended";
  EXPECT_TRUE(eventually([&] { return run->err().find(said) != std::string::npos; })) << run->err();
}

}  // namespace
}  // namespace hapax::testing
