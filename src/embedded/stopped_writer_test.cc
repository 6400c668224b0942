// Somebody who is stopped in the middle of a commit holds up nobody, and stays stopped.
#include "embedded/stopped_writer.h"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/send_signal.h"
#include "base/testing/folder.h"
#include "embedded/database.h"

namespace hapax::engine {
namespace {

using namespace std::chrono_literals;

// A process that stops itself within a commit, and once it may go on, ends that and waits.
pid_t start_stopped_writer(const std::string& path) {
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(60);
  sqlite3* file = nullptr;
  const bool is_open = sqlite3_open(path.c_str(), &file) == SQLITE_OK;
  const auto run = [&](const char* sql) {
    return sqlite3_exec(file, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
  };
  if (!is_open || !run("BEGIN IMMEDIATE") || !run("UPDATE state SET forgotten = forgotten"))
    _exit(1);
  raise(SIGSTOP);
  if (!run("COMMIT")) _exit(2);
  for (;;) pause();
}

bool stops(pid_t child) {
  int status = 0;
  return waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status);
}

TEST(StoppedWriter, IsLetGoOnUntilItHasCommittedAndNoLonger) {
  const hapax::testing::Folder folder;
  const std::string path = (folder / "engine.db").string();
  const auto later = [] { return std::chrono::steady_clock::now() + 20s; };
  auto database = Database::open(path, "group", 20s);
  ASSERT_TRUE(database) << database.error().message;
  EXPECT_EQ(writer_of(path), std::nullopt);
  const pid_t writer = start_stopped_writer(path);
  ASSERT_TRUE(stops(writer));
  EXPECT_EQ(writer_of(path), writer);

  const auto committed = (*database)->commit({}, {{"key", "value"}}, later());
  ASSERT_TRUE(committed) << committed.error().message;
  EXPECT_TRUE(committed->has_value());
  EXPECT_TRUE(stops(writer)) << "whoever stopped it meant it";
  EXPECT_EQ(writer_of(path), std::nullopt);
  signal_process(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
}

TEST(StoppedWriter, IsNotStoppedIfItWasNot) {
  const hapax::testing::Folder folder;
  const std::string path = (folder / "engine.db").string();
  auto database = Database::open(path, "group", 20s);
  ASSERT_TRUE(database) << database.error().message;
  const pid_t writer = start_stopped_writer(path);
  ASSERT_TRUE(stops(writer));
  signal_process(writer, SIGCONT);
  while (writer_of(path)) std::this_thread::sleep_for(1ms);
  help_stopped_writer(path);
  int status = 0;
  EXPECT_EQ(waitpid(writer, &status, WUNTRACED | WNOHANG), 0);
  signal_process(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
}

}  // namespace
}  // namespace hapax::engine
