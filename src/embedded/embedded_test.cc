// What only the embedded engine has: a file, several processes, a disk that fails.
#include "embedded/embedded.h"

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/send_signal.h"
#include "base/testing/folder.h"
#include "base/testing/processes.h"
#include "embedded/database.h"
#include "engine/testing/bench.h"
#include "engine/testing/counter.h"

namespace hapax::engine {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::Bench;
using testing::Counter;
using testing::Told;

class EmbeddedEngine : public ::testing::Test {
 protected:
  fs::path path() const { return folder_ / "engine.db"; }

  Result<std::unique_ptr<Engine>> try_open(Loop& io, const fs::path& file,
                                           milliseconds timeout = milliseconds{3'000}) {
    Options options;
    options.timeout = timeout;
    return open_embedded(io, Url{Kind::embedded, {}, file.string()}, options);
  }
  std::unique_ptr<Engine> open(Loop& io, milliseconds timeout = milliseconds{3'000}) {
    auto engine = try_open(io, path(), timeout);
    if (!engine) ADD_FAILURE() << engine.error().message;
    return engine ? std::move(*engine) : nullptr;
  }
  std::string refusal(const fs::path& file) {
    Bench bench;
    auto engine = try_open(bench.io(), file);
    return engine ? "opened" : engine.error().message;
  }

  hapax::testing::Folder folder_;
};

// Whoever can read it can lock it, and a lock on its index stops everybody's beats.
TEST_F(EmbeddedEngine, IsForItsOwnUserOnly) {
  const mode_t mask = umask(0);
  Bench bench;
  for (const bool was_open_to_all : {false, true}) {
    const auto engine = open(bench.io());
    bench.put(*engine, {{"a", was_open_to_all ? "2" : "1"}});
    for (const char* suffix : {"", "-wal", "-shm"}) {
      const fs::path file = path().string() + suffix;
      EXPECT_EQ(fs::status(file).permissions(), fs::perms{0600}) << file;
      fs::permissions(file, fs::perms{0666});
    }
  }
  // Its journal lies beside the file itself, by whatever name that is reached.
  fs::create_symlink(path(), folder_ / "link.db");
  const auto linked = try_open(bench.io(), folder_ / "link.db");
  ASSERT_TRUE(linked);
  EXPECT_EQ(fs::status(path().string() + "-wal").permissions(), fs::perms{0600});
  umask(mask);
}

TEST_F(EmbeddedEngine, KeepsItsRecordsAndItsRevisionInAFile) {
  Bench bench;
  const Revision revision = bench.put(*open(bench.io()), {{"a", "1"}});
  auto again = open(bench.io());
  EXPECT_EQ(bench.read(*again), (Snapshot{revision, {{"a", "1", revision}}}));
  EXPECT_GT(bench.put(*again, {{"a", "2"}}), revision);
}

TEST_F(EmbeddedEngine, IsSharedByProcesses) {
  constexpr std::uint64_t kProcesses = 4;
  constexpr std::uint64_t kTimes = 10;
  hapax::testing::in_processes(kProcesses, [&](std::uint64_t) {
    Bench bench;
    auto engine = open(bench.io(), milliseconds{20'000});
    Counter counter{bench.io(), *engine, kTimes};
    counter.start();
    if (!bench.until([&] { return counter.done(); }) || counter.unknown != 0) _exit(1);
  });
  Bench bench;
  EXPECT_EQ(Counter::value_in(bench.read(*open(bench.io()))), kProcesses * kTimes);
}

TEST_F(EmbeddedEngine, WhatIsAcknowledgedOutlivesAKill) {
  for (int round = 0; round < 3; ++round) {
    int acknowledged[2];
    ASSERT_EQ(pipe(acknowledged), 0);
    const pid_t child = fork();
    if (child == 0) {
      Bench bench;
      auto engine = open(bench.io());
      for (std::uint64_t i = 0;; ++i) {
        const Revision revision = bench.put(*engine, {{"last", std::to_string(i)}});
        if (write(acknowledged[1], &revision, sizeof revision) != sizeof revision) _exit(1);
      }
    }
    close(acknowledged[1]);
    Revision last = 0;
    for (int i = 0; i < 20; ++i) ASSERT_EQ(::read(acknowledged[0], &last, sizeof last), 8);
    signal_process(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    while (::read(acknowledged[0], &last, sizeof last) == 8) continue;
    close(acknowledged[0]);
    Bench bench;
    const Snapshot seen = bench.read(*open(bench.io()));
    ASSERT_EQ(seen.records.size(), 1u);
    EXPECT_GE(seen.records[0].version, last);
    EXPECT_LE(seen.records[0].version, last + 1);
  }
}

TEST_F(EmbeddedEngine, ForgetsOldCommitsButNotWhatThereIs) {
  Bench bench;
  auto engine = open(bench.io());
  const Revision first = bench.put(*engine, {{"first", "1"}});
  Told told;
  for (std::uint64_t i = 0; i < Database::kCommitsKept; ++i) bench.put(*engine, {{"a", ""}});
  const auto late = engine->watch("", first - 1, told.handler());
  ASSERT_TRUE(bench.until([&] { return told.resync; }));
  EXPECT_EQ(bench.read(*engine, {"first"}).records.size(), 1u);
  Told known;
  const auto in_time = engine->watch("", first, known.handler());
  ASSERT_TRUE(bench.until([&] { return known.size() == Database::kCommitsKept; }));
}

TEST_F(EmbeddedEngine, ForgetsCommitsThatTakeTooMuchRoom) {
  Bench bench;
  auto engine = open(bench.io());
  const Revision first = bench.put(*engine, {{"first", "1"}});
  const std::string heavy(kValueBytes, 'x');
  const std::uint64_t many = Database::kBytesKept / kValueBytes + 2;
  Revision last = first;
  for (std::uint64_t i = 0; i < many; ++i) last = bench.put(*engine, {{"a", heavy}});
  Told told;
  const auto late = engine->watch("", first, told.handler());
  ASSERT_TRUE(bench.until([&] { return told.resync; }));
  Told known;
  const auto in_time = engine->watch("", last - 10, known.handler());
  ASSERT_TRUE(bench.until([&] { return known.size() == 10; }));
}

TEST_F(EmbeddedEngine, PartsOfAGroupDoNotSeeEachOther) {
  Bench bench;
  auto whole = open(bench.io());
  Options options;
  options.part = "files";
  const auto part = open_embedded(bench.io(), {Kind::embedded, {}, path()}, options);
  ASSERT_TRUE(part.has_value());
  bench.put(*whole, {{"a", "1"}});
  EXPECT_TRUE(bench.read(**part).records.empty());
  bench.put(**part, {{"b", "2"}});
  EXPECT_EQ(bench.read(*whole).records.size(), 1u);
}

TEST_F(EmbeddedEngine, RefusesWhatItCannotUse) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal(folder_ / "none" / "engine.db"), HasSubstr("check the folder"));
  EXPECT_THAT(refusal(folder_.path()), HasSubstr("check the folder"));
  EXPECT_THAT(refusal("/proc/engine.db"), HasSubstr("check the folder"));
  std::ofstream{folder_ / "garbage.db"} << std::string(8192, 'x');
  EXPECT_THAT(refusal(folder_ / "garbage.db"), HasSubstr("damaged, or no database"));

  sqlite3* foreign = nullptr;
  ASSERT_EQ(sqlite3_open((folder_ / "foreign.db").c_str(), &foreign), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(foreign, "CREATE TABLE t (x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(foreign);
  EXPECT_THAT(refusal(folder_ / "foreign.db"), HasSubstr("another program's database"));
}

TEST_F(EmbeddedEngine, RefusesADamagedFile) {
  {
    Bench bench;
    auto engine = open(bench.io());
    for (int i = 0; i < 20; ++i) {
      bench.put(*engine, {{"key " + std::to_string(i), std::string(3000, 'v')}});
    }
  }
  const auto size = fs::file_size(path());
  std::fstream file{path(), std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(4096);
  file << std::string(size - 4096, 'x');
  file.close();
  EXPECT_THAT(refusal(path()), ::testing::HasSubstr("damaged"));
}

// Each name would have a journal of its own, and be a group of its own.
TEST_F(EmbeddedEngine, RefusesAFileWithSeveralNames) {
  using ::testing::HasSubstr;
  Bench bench;
  const auto engine = open(bench.io());
  bench.put(*engine, {{"a", "1"}});
  fs::create_hard_link(path(), folder_ / "other.db");
  EXPECT_THAT(refusal(folder_ / "other.db"), HasSubstr("2 names"));
  EXPECT_THAT(refusal(path()), HasSubstr("2 names"));
  fs::remove(folder_ / "other.db");
  EXPECT_EQ(refusal(path()), "opened");
}

TEST_F(EmbeddedEngine, FollowsLinksAndRelativeNamesToTheOneFile) {
  Bench bench;
  const auto engine = open(bench.io());
  bench.put(*engine, {{"a", "1"}});
  fs::create_directory(folder_ / "elsewhere");
  fs::create_symlink(path(), folder_ / "elsewhere" / "link.db");
  for (const fs::path& name : {folder_ / "elsewhere" / "link.db", fs::relative(path()),
                               folder_ / "elsewhere" / ".." / "engine.db"}) {
    const auto other = try_open(bench.io(), name);
    ASSERT_TRUE(other.has_value()) << other.error().message;
    EXPECT_EQ(bench.read(**other).records.size(), 1u);
    EXPECT_FALSE(fs::exists(folder_ / "elsewhere" / "link.db-wal"));
  }
}

TEST_F(EmbeddedEngine, AdoptsACopyOnlyIfItIsToldTo) {
  Bench bench;
  { bench.put(*open(bench.io()), {{"a", "1"}}); }
  fs::create_directory(folder_ / "backup");
  const fs::path copy = folder_ / "backup" / "engine.db";
  fs::copy_file(path(), copy);
  EXPECT_THAT(refusal(copy), ::testing::HasSubstr("--new-group"));
  EXPECT_EQ(refusal(path()), "opened");
  Options options;
  options.adopts_copy = true;
  const Url url{Kind::embedded, {}, copy.string()};
  ASSERT_TRUE(open_embedded(bench.io(), url, options).has_value());
  EXPECT_EQ(refusal(copy), "opened") << "it remembers";
}

// 64 members that were started at once took turns for longer than a commit may take, and nine
// ended.
TEST_F(EmbeddedEngine, IsWaitedForAtTheStartLongerThanLater) {
  Bench bench;
  const auto first = open(bench.io());
  bench.put(*first, {{"a", "1"}});
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::thread release{[&] {
    std::this_thread::sleep_for(milliseconds{300});
    sqlite3_close(other);
  }};
  EXPECT_TRUE(try_open(bench.io(), path(), milliseconds{50}));
  release.join();
}

TEST_F(EmbeddedEngine, DoesNotBlockTheLoopNorClaimWhatItCouldNotDo) {
  Bench bench;
  auto engine = open(bench.io(), milliseconds{200});
  bench.put(*engine, {{"a", "1"}});
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  int ticks = 0;
  Timer timer{bench.io()};
  std::function<void()> tick = [&] {
    timer.expires_after(milliseconds{1});
    timer.async_wait([&](auto failed) {
      if (failed) return;
      ++ticks;
      tick();
    });
  };
  tick();
  EXPECT_EQ(bench.commit(*engine, {}, {{"a", "2"}}).outcome, Outcome::unknown);
  EXPECT_GT(ticks, 10);
  timer.cancel();
  EXPECT_FALSE(engine->health().reachable);
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  ASSERT_TRUE(bench.until([&] { return bench.try_read(*engine).has_value(); }));
  bench.put(*engine, {{"a", "3"}});
  EXPECT_EQ(bench.read(*engine).records.at(0).value, "3");
  EXPECT_TRUE(engine->health().reachable);
}

TEST_F(EmbeddedEngine, AFullDiskIsNeverACommit) {
  Bench bench;
  auto engine = open(bench.io());
  const Revision before = bench.put(*engine, {{"a", "1"}});
  // Files may not grow any more, which is as close to a full disk as a process can get by itself.
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = old_limit;
  small.rlim_cur = 64 << 10;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::uint64_t committed = 0;
  Outcome outcome = Outcome::committed;
  for (int i = 0; i < 100 && outcome == Outcome::committed; ++i) {
    outcome = bench.commit(*engine, {}, {{"a", std::string(8 << 10, 'x')}}).outcome;
    if (outcome == Outcome::committed) ++committed;
  }
  EXPECT_EQ(outcome, Outcome::unknown);
  EXPECT_FALSE(engine->health().reachable);
  EXPECT_NE(engine->health().said, "ok");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(bench.read(*engine).revision, before + committed);
  EXPECT_EQ(bench.put(*engine, {{"a", "2"}}), before + committed + 1);
}

// As when a copy that was made of nothing is restored.
TEST_F(EmbeddedEngine, AFileThatWasEmptiedUnderItIsAWipedOne) {
  Bench bench;
  const auto engine = open(bench.io());
  bench.put(*engine, {{"a", "1"}});
  sqlite3 *empty = nullptr, *live = nullptr;
  ASSERT_EQ(sqlite3_open((folder_ / "empty.db").c_str(), &empty), SQLITE_OK);
  ASSERT_EQ(sqlite3_open(path().c_str(), &live), SQLITE_OK);
  sqlite3_backup* copying = sqlite3_backup_init(live, "main", empty, "main");
  EXPECT_EQ(sqlite3_backup_step(copying, -1), SQLITE_DONE);
  sqlite3_backup_finish(copying);
  sqlite3_close(live);
  sqlite3_close(empty);
  EXPECT_TRUE(bench.until([&] { return bench.try_read(*engine).has_value(); }));
  EXPECT_TRUE(bench.read(*engine).records.empty());
  bench.put(*engine, {{"b", "2"}});
  EXPECT_EQ(bench.read(*engine).records.size(), 1u);
}

TEST_F(EmbeddedEngine, AFileThatWasDeletedIsNeverWrittenTo) {
  Bench bench;
  auto engine = open(bench.io());
  bench.put(*engine, {{"a", "1"}});
  fs::remove(path());
  EXPECT_EQ(bench.commit(*engine, {}, {{"a", "2"}}).outcome, Outcome::unknown);
  EXPECT_THAT(engine->health().said, ::testing::HasSubstr("moved or deleted"));
  EXPECT_FALSE(bench.try_read(*engine).has_value());
}

}  // namespace
}  // namespace hapax::engine
