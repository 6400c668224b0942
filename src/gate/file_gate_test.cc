#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/send_signal.h"
#include "base/testing/folder.h"
#include "base/testing/processes.h"
#include "hapax/gate.h"

namespace hapax {
namespace {

namespace fs = std::filesystem;

Fence fence(std::uint64_t epoch, std::uint64_t turn) { return {Epoch{epoch}, Turn{turn}}; }

std::string contents_of(const fs::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

class OnAFile : public ::testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream{path()} << text; }
  fs::path path() const { return folder_.path() / "orders.gate"; }
  void expect_error(Errc errc) const {
    try {
      FileGate gate{path()};
      FAIL() << "admits: " << gate.admit(fence(9, 9));
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), errc) << e.what();
    }
  }

  testing::Folder folder_;
};

TEST_F(OnAFile, RefusesWhoeverIsLate) {
  FileGate gate{path()};
  EXPECT_TRUE(gate.admit(fence(1, 5)));
  EXPECT_FALSE(gate.admit(fence(1, 4)));
  EXPECT_TRUE(gate.admit(fence(1, 5))) << "the same holder comes again";
  EXPECT_TRUE(gate.admit(fence(2, 1))) << "a later epoch goes first";
  EXPECT_FALSE(gate.admit(fence(1, 100)));
  EXPECT_EQ(gate.highest(), fence(2, 1));
}

TEST_F(OnAFile, DoesNotRunARefusedAccess) {
  FileGate gate{path()};
  int ran = 0;
  EXPECT_TRUE(gate.admit(fence(1, 2), [&] { ++ran; }));
  EXPECT_FALSE(gate.admit(fence(1, 1), [&] { ++ran; }));
  EXPECT_EQ(ran, 1);
}

// The case that a gate for writes only gets wrong: the new holder has read, not yet written.
TEST_F(OnAFile, AReadRaisesTheMark) {
  FileGate old_holder{path()};
  FileGate new_holder{path()};
  EXPECT_TRUE(old_holder.admit(fence(1, 1)));
  EXPECT_TRUE(new_holder.admit(fence(1, 2), [] { /* reads */ }));
  EXPECT_FALSE(old_holder.admit(fence(1, 1), [] { /* writes */ }));
}

TEST_F(OnAFile, RemembersAcrossOwners) {
  { EXPECT_TRUE(FileGate{path()}.admit(fence(3, 7))); }
  FileGate gate{path()};
  EXPECT_EQ(gate.highest(), fence(3, 7));
  EXPECT_FALSE(gate.admit(fence(3, 6)));
  EXPECT_TRUE(gate.admit(fence(~0ull, ~0ull)));
  EXPECT_EQ(FileGate{path()}.highest(), fence(~0ull, ~0ull));
}

TEST_F(OnAFile, LeavesNothingElseBehind) {
  FileGate gate{path()};
  for (std::uint64_t i = 1; i < 5; ++i) EXPECT_TRUE(gate.admit(fence(1, i)));
  EXPECT_EQ(std::distance(fs::directory_iterator{folder_.path()}, {}), 1);
}

TEST_F(OnAFile, AnAccessThatThrowsLetsGo) {
  FileGate gate{path()};
  EXPECT_THROW(gate.admit(fence(1, 1), [] { throw 1; }), int);
  EXPECT_TRUE(gate.admit(fence(1, 1)));
}

TEST_F(OnAFile, KeepsTheModeAndFollowsALink) {
  { FileGate gate{path()}; }
  fs::permissions(path(), fs::perms{0640});
  const fs::path link = folder_.path() / "link.gate";
  fs::create_symlink(path(), link);
  FileGate gate{link};
  EXPECT_TRUE(gate.admit(fence(1, 1)));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(FileGate{path()}.highest(), fence(1, 1));
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms{0640});
}

TEST_F(OnAFile, ASecondNameWouldKeepAnOlderMark) {
  FileGate gate{path()};
  EXPECT_TRUE(gate.admit(fence(1, 5)));
  fs::create_hard_link(path(), folder_ / "other.gate");
  expect_error(Errc::bad_gate);
  EXPECT_THROW((void)gate.admit(fence(1, 6)), std::system_error);
  fs::remove(folder_ / "other.gate");
  EXPECT_TRUE(gate.admit(fence(1, 6)));
}

TEST_F(OnAFile, EveryPartOfAMarkIsAnErrorAndSoIsMore) {
  { EXPECT_TRUE(FileGate{path()}.admit(fence(12, 345))); }
  const std::string whole = contents_of(path());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    expect_error(Errc::bad_gate);
  }
  write(whole + "\n");
  expect_error(Errc::bad_gate);
  write(whole + std::string(300, 'x'));
  expect_error(Errc::bad_gate);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write(changed);
    expect_error(Errc::bad_gate);
  }
  write(whole);
  EXPECT_EQ(FileGate{path()}.highest(), fence(12, 345));
}

TEST_F(OnAFile, AForeignFileIsAnErrorAndStaysAsItIs) {
  write("dear diary\n");
  expect_error(Errc::bad_gate);
  EXPECT_EQ(contents_of(path()), "dear diary\n");
}

TEST_F(OnAFile, AFileThatVanishesOrCannotBeMadeIsAnError) {
  FileGate gate{path()};
  EXPECT_TRUE(gate.admit(fence(1, 1)));
  fs::remove(path());
  EXPECT_THROW((void)gate.admit(fence(1, 2)), std::system_error);
  EXPECT_THROW(FileGate{folder_.path() / "nowhere" / "gate"}, std::system_error);
  EXPECT_THROW(FileGate{folder_.path()}, std::system_error);
}

// Each one that passes adds one to a number in a file, by reading and writing: the count is right
// only if check and access are one step.
TEST_F(OnAFile, ProcessesPassOneAtATimeAndInOrder) {
  const fs::path log = folder_.path() / "log";
  constexpr std::uint64_t kProcesses = 4;
  constexpr std::uint64_t kTimes = 25;
  testing::in_processes(kProcesses, [&](std::uint64_t me) {
    FileGate gate{path()};
    for (std::uint64_t i = 0; i < kTimes; ++i) {
      const std::uint64_t turn = i * kProcesses + me + 1;
      gate.admit(fence(1, turn), [&] {
        const std::string so_far = contents_of(log);
        std::ofstream{log} << so_far << turn << '\n';
      });
    }
  });
  std::ifstream file{log};
  const std::vector<std::uint64_t> turns{std::istream_iterator<std::uint64_t>{file}, {}};
  EXPECT_TRUE(std::is_sorted(turns.begin(), turns.end()));
  ASSERT_FALSE(turns.empty());
  EXPECT_EQ(turns.back(), kProcesses * kTimes) << "the highest always passes";
  EXPECT_EQ(FileGate{path()}.highest(), fence(1, kProcesses * kTimes));
}

TEST_F(OnAFile, WithOneFenceEverybodyPassesAndNobodyAtOnce) {
  const fs::path count = folder_.path() / "count";
  std::ofstream{count} << 0;
  testing::in_processes(4, [&](std::uint64_t) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        FileGate gate{path()};
        for (int i = 0; i < 20; ++i) {
          gate.admit(fence(1, 1), [&] {
            const int so_far = std::stoi(contents_of(count));
            std::ofstream{count} << so_far + 1;
          });
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(contents_of(count), "160");
}

TEST_F(OnAFile, AProcessKilledAtAnyMomentLeavesAWholeMark) {
  Fence before;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      FileGate gate{path()};
      for (std::uint64_t turn = number(gate.highest().turn) + 1;; ++turn)
        gate.admit(fence(1, turn));
    }
    usleep(static_cast<useconds_t>(1000 + 700 * round));
    signal_process(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const Fence now = FileGate{path()}.highest();
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_GT(before, Fence{});
}

TEST_F(OnAFile, ReadersShutOutOnlyEarlierWriters) {
  FileGate{path()}.admit_shared(fence(1, 6));
  FileGate gate{path()};
  bool read = false;
  EXPECT_TRUE(gate.admit_shared(fence(1, 4), [&] { read = true; })) << "it reads with the other";
  EXPECT_TRUE(read);
  EXPECT_FALSE(gate.admit(fence(1, 5)));
  EXPECT_TRUE(gate.admit(fence(1, 7)));
  EXPECT_FALSE(FileGate{path()}.admit_shared(fence(1, 6)));
  EXPECT_EQ(gate.highest(), fence(1, 7));
}

TEST_F(OnAFile, GoesOnFromAFileOfTheFirstVersion) {
  write("hapax fence gate 1: 1.5 check 45213b7e0a3ac4d0\n");
  expect_error(Errc::bad_gate);  // Its sum is wrong.
  const std::string line = "hapax fence gate 1: 1.5";
  std::uint64_t sum = 14695981039346656037u;
  for (const char c : line) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
  write(fmt::format("{} check {:016x}\n", line, sum));
  FileGate gate{path()};
  EXPECT_EQ(gate.highest(), fence(1, 5));
  EXPECT_FALSE(gate.admit_shared(fence(1, 4)));
  EXPECT_TRUE(gate.admit_shared(fence(1, 6)));
  EXPECT_EQ(FileGate{path()}.highest(), fence(1, 6));
}

}  // namespace
}  // namespace hapax
