// The bank demo as people run it: its figures, its looks, and that it leaves nothing behind.
#include <algorithm>
#include <boost/json.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <regex>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/send_signal.h"
#include "base/testing/folder.h"
#include "process_testing.h"

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using hapax::testing::contents_of;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A command line, as the kernel shows it.
std::string command_of(const fs::path& process) {
  std::string text = contents_of(process / "cmdline");
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

class BankDemo : public ::testing::Test {
 protected:
  BankDemo() { fs::create_directory(tmp()); }

  fs::path tmp() const { return folder_ / "tmp"; }
  std::string out() const { return contents_of(folder_ / "out"); }
  std::string err() const { return contents_of(folder_ / "err"); }

  // Its temporary folder is tmp().
  pid_t start(const std::string& arguments) const {
    fs::remove(folder_ / "out");  // Of an earlier run.
    const pid_t child = fork();
    if (child != 0) return child;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    const std::string command = "exec '" HAPAX_BINARY "' " + arguments + " >'" +
                                (folder_ / "out").string() + "' 2>'" + (folder_ / "err").string() +
                                "' </dev/null";
    setenv("TMPDIR", tmp().c_str(), 1);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int run(const std::string& arguments) const {
    int status = -1;
    waitpid(start(arguments), &status, 0);
    EXPECT_EQ(err(), "");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  // Processes of the demo that works in tmp(): their command lines begin like this.
  std::vector<pid_t> processes(const std::string& words) const {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator{"/proc"}) {
      if (command_of(entry.path()).starts_with("hapax " + words + tmp().string())) {
        found.push_back(std::stoi(entry.path().filename()));
      }
    }
    return found;
  }
  std::size_t atms() const { return processes("demo atm ").size(); }
  std::size_t daemons() const { return processes("node --engine embedded:").size(); }
  // For what other processes do in their own time.
  template <class F>
  static bool soon(F&& f) {
    for (int i = 0; i < 1000 && !f(); ++i) usleep(10'000);
    return f();
  }

 private:
  const hapax::testing::Folder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(BankDemo, LosesMoneyWithoutTheLockNoneWithItAndRefusesTheLateWriter) {
  ASSERT_EQ(run("demo bank --json --atms 4 --deposits 10"), 0) << out();
  const json::value report = json::parse(out());
  EXPECT_TRUE(report.at("as_expected").as_bool());

  const json::value& without = report.at("without_lock");
  EXPECT_EQ(without.at("deposits").as_int64(), 40);
  EXPECT_EQ(without.at("expected").as_int64(), 400);
  EXPECT_GT(without.at("lost").as_int64(), 0);
  EXPECT_EQ(without.at("balance").as_int64() + without.at("lost").as_int64(), 400);

  const json::value& with = report.at("with_lock");
  EXPECT_EQ(with.at("deposits").as_int64(), 40);
  EXPECT_EQ(with.at("expected").as_int64(), 400);
  EXPECT_EQ(with.at("balance").as_int64(), 400);
  EXPECT_EQ(with.at("lost").as_int64(), 0);
  EXPECT_EQ(with.at("members").as_int64(), 3);
  EXPECT_TRUE(with.at("fences_grow").as_bool());

  const json::value& late = report.at("late_writer");
  EXPECT_TRUE(late.at("removed_from_view").as_bool());
  // What was left of a lease of 2 s, which a beat begins every third of it.
  EXPECT_GT(late.at("taken_over_after_ms").as_int64(), 500);
  EXPECT_TRUE(late.at("refused").as_bool());
  EXPECT_TRUE(late.at("noticed").as_bool());
  EXPECT_EQ(late.at("balance_at_refusal").as_int64(), 1010);
  EXPECT_EQ(late.at("expected").as_int64(), 1110);
  EXPECT_EQ(late.at("balance").as_int64(), 1110);
  EXPECT_EQ(late.at("deposits").as_int64(), 2);
  const json::value& ungated = late.at("without_gate");
  EXPECT_EQ(ungated.at("expected").as_int64(), 1110);
  EXPECT_EQ(ungated.at("balance").as_int64(), 1100);
  EXPECT_EQ(ungated.at("lost").as_int64(), 10);
  EXPECT_TRUE(fs::is_empty(tmp()));
}

TEST_F(BankDemo, TwoAtmsWithOneDepositEachWillDo) {
  ASSERT_EQ(run("demo bank --json --atms 2 --deposits 1"), 0) << out();
  EXPECT_EQ(json::parse(out()).at("without_lock").at("lost").as_int64(), 10);
}

TEST_F(BankDemo, FitsIntoEightyColumns) {
  ASSERT_EQ(run("demo bank --deposits 5"), 0) << out();
  std::istringstream lines{out()};
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    if (line.find(tmp().string()) != std::string::npos) continue;  // Not its own choice.
    // On a busy machine members lose their leases, and the next view is numbered by the clock.
    line = std::regex_replace(line, std::regex{"[0-9]{13}\\."}, "1.");
    const auto columns = std::count_if(line.begin(), line.end(),
                                       [](char c) { return (c & 0xc0) != 0x80; });  // UTF-8.
    EXPECT_LE(columns, 80) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  EXPECT_LE(count, 40u);
  EXPECT_THAT(out(), HasSubstr("REFUSED"));
  EXPECT_TRUE(fs::is_empty(tmp()));
}

TEST_F(BankDemo, TidiesUpWhenInterrupted) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t demo = start("demo bank --deposits 500");
    ASSERT_TRUE(soon([&] { return out().find("2. ") != std::string::npos; })) << out();
    EXPECT_EQ(atms(), 5u);
    EXPECT_EQ(daemons(), 3u);
    hapax::signal_process(demo, signal);
    int status = -1;
    ASSERT_EQ(waitpid(demo, &status, 0), demo);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
    EXPECT_EQ(atms() + daemons(), 0u);
    EXPECT_TRUE(fs::is_empty(tmp()));
  }
}

TEST_F(BankDemo, TidiesUpWhileAMachineIsStopped) {
  const pid_t demo = start("demo bank --deposits 1");
  ASSERT_TRUE(soon([&] { return out().find("daemon stops") != std::string::npos; })) << out();
  hapax::signal_process(demo, SIGINT);
  int status = -1;
  ASSERT_EQ(waitpid(demo, &status, 0), demo);
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
  EXPECT_EQ(atms() + daemons(), 0u);
  EXPECT_TRUE(fs::is_empty(tmp()));
}

TEST_F(BankDemo, SaysInOneLineWhyItCannotGoOn) {
  const pid_t demo = start("demo bank --deposits 500");
  ASSERT_TRUE(soon([&] { return out().find("2. ") != std::string::npos; })) << out();
  for (const pid_t daemon : processes("node --engine embedded:"))
    hapax::signal_process(daemon, SIGKILL);
  int status = -1;
  ASSERT_EQ(waitpid(demo, &status, 0), demo);
  EXPECT_EQ(WEXITSTATUS(status), 70);
  const std::string why = err();
  EXPECT_THAT(why, AnyOf(StartsWith("hapax: ATM "), StartsWith("hapax: member-")));
  EXPECT_EQ(std::count(why.begin(), why.end(), '\n'), 1) << why;
  EXPECT_EQ(atms(), 0u);
  EXPECT_TRUE(fs::is_empty(tmp()));
}

TEST_F(BankDemo, LeavesNoProcessBehindWhenKilled) {
  const pid_t demo = start("demo bank --deposits 500");
  ASSERT_TRUE(soon([&] { return out().find("2. ") != std::string::npos; })) << out();
  hapax::signal_process(demo, SIGKILL);
  waitpid(demo, nullptr, 0);
  EXPECT_TRUE(soon([&] { return atms() + daemons() == 0; }));
}

TEST_F(BankDemo, RefusesFiguresThatMakeNoSense) {
  for (const char* arguments : {"--atms 1", "--atms 21", "--deposits 0", "--atms x"}) {
    int status = -1;
    waitpid(start(std::string{"demo bank "} + arguments), &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 2) << arguments;
    EXPECT_EQ(out(), "");
  }
  for (const char* arguments : {"demo", "demo casino", "demo bank casino", "demo --json"}) {
    int status = -1;
    waitpid(start(arguments), &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 2) << arguments;
  }
}

}  // namespace
