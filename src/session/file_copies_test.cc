// Copies of files at a client, and the stamps by which it knows that they are good.
#include "session/file_copies.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "base/testing/folder.h"

namespace hapax::session {
namespace {

class FileCopiesTest : public ::testing::Test {
 protected:
  FileCopiesTest() {
    daemons->serve(10);
    copies.use(FileStamps::open(daemons->where()));
  }
  // What the daemon answers while nothing else happens.
  void read(const std::string& path, std::uint64_t version, const std::string& content = "x") {
    const auto stamp = copies.stamp_of(path);
    copies.keep(path, stamp, {0, version, content, {}, false, version});
  }

  testing::Folder folder;
  std::unique_ptr<FileStamps> daemons = FileStamps::make(folder / "stamps");
  FileCopies copies;
};

TEST_F(FileCopiesTest, AreGoodUntilTheFileChanges) {
  EXPECT_FALSE(copies.find("a", 0)) << "it was never read";
  read("a", 3, "three");
  read("b", 4);
  ASSERT_TRUE(copies.find("a", 0));
  EXPECT_EQ(copies.find("a", 0)->content, "three");
  daemons->change("a");
  EXPECT_FALSE(copies.find("a", 0)) << "at once: before the daemon tells anybody";
  EXPECT_TRUE(copies.find("b", 0));
  daemons->serve(11);
  EXPECT_FALSE(copies.find("a", 0));
  read("a", 11, "eleven");
  EXPECT_EQ(copies.find("a", 0)->content, "eleven");
}

TEST_F(FileCopiesTest, OfAnAnswerThatTheChangeOvertookAreNoGood) {
  const auto stamp = copies.stamp_of("a");
  daemons->change("a");
  copies.keep("a", stamp, {0, 3, "old", {}, false, 3});
  EXPECT_FALSE(copies.find("a", 0));
}

TEST_F(FileCopiesTest, AreNotForWhoKnowsOfMoreThanTheDaemonDoes) {
  read("a", 3);
  EXPECT_TRUE(copies.find("a", 10));
  EXPECT_FALSE(copies.find("a", 11)) << "something else was written at 11: a, perhaps";
  daemons->serve(11);
  EXPECT_TRUE(copies.find("a", 11));
  read("b", 20);
  EXPECT_TRUE(copies.find("b", 20)) << "written through this daemon, which is behind its engine";
}

TEST_F(FileCopiesTest, OfAFileThatIsNotThereAreAsGood) {
  read("a", 0, "");
  ASSERT_TRUE(copies.find("a", 10));
  EXPECT_EQ(copies.find("a", 10)->version, 0u);
  EXPECT_FALSE(copies.find("a", 11));
}

TEST_F(FileCopiesTest, AreAllGoneWhenTheDaemonServesNothing) {
  read("a", 3);
  daemons->serve_nothing();
  EXPECT_FALSE(copies.find("a", 0));
  daemons->serve(10);
  EXPECT_FALSE(copies.find("a", 0)) << "it may have missed a change";
  read("a", 3);
  EXPECT_TRUE(copies.find("a", 0));
  daemons->change_all();
  EXPECT_FALSE(copies.find("a", 0));
  read("a", 3);
  daemons.reset();
  EXPECT_FALSE(copies.find("a", 0)) << "it has ended";
}

TEST_F(FileCopiesTest, TakeNoMoreRoomThanTheyMay) {
  const std::string large(std::size_t{200} << 10, 'x');
  for (int i = 0; i < 40; ++i) read(std::to_string(i), 1, large);
  EXPECT_TRUE(copies.find("39", 0));
  EXPECT_FALSE(copies.find("0", 0));
}

TEST_F(FileCopiesTest, AskForStampsOnceAndNotForASingleRead) {
  FileCopies fresh;
  EXPECT_FALSE(fresh.wants_stamps());
  EXPECT_TRUE(fresh.wants_stamps());
  EXPECT_FALSE(fresh.wants_stamps());
}

TEST_F(FileCopiesTest, WithoutStampsThereAreNone) {
  FileCopies fresh;
  fresh.keep("a", fresh.stamp_of("a"), {0, 3, "x", {}, false, 3});
  fresh.use(FileStamps::open(daemons->where()));
  EXPECT_FALSE(fresh.find("a", 0));
}

TEST_F(FileCopiesTest, StampsAreReadByWhoMayComeToTheSocket) {
  namespace fs = std::filesystem;
  EXPECT_EQ(fs::status(folder / "stamps.files").permissions(), fs::perms{0600});
  std::ofstream{folder / "socket"}.put('x');
  fs::permissions(folder / "socket", fs::perms{0662});
  const auto shared = FileStamps::make(folder / "socket");
  EXPECT_EQ(fs::status(folder / "socket.files").permissions(), fs::perms{0644});
}

TEST_F(FileCopiesTest, StampsOfAnotherDaemonAreNotTakenForOurs) {
  const std::string where = daemons->where();
  daemons.reset();
  EXPECT_EQ(FileStamps::open(where), nullptr) << "it has ended";
  const auto next = FileStamps::make(folder / "stamps");
  EXPECT_EQ(FileStamps::open(where), nullptr) << "another one, at the same path";
  EXPECT_NE(FileStamps::open(next->where()), nullptr);
  EXPECT_EQ(FileStamps::open("nonsense"), nullptr);
  EXPECT_EQ(FileStamps::open("0123456789abcdef /dev/zero"), nullptr);
  EXPECT_EQ(FileStamps::make(folder / "no" / "folder"), nullptr);
}

}  // namespace
}  // namespace hapax::session
