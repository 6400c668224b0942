#include "kept/shared_words.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing/folder.h"

namespace hapax::kept {
namespace {

#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x20
#endif

constexpr off_t kBytes = 64 * SharedWords::kWords;

// What a daemon may hand over, sealed like that.
int memory(off_t bytes, int seals) {
  const int descriptor = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(fchmod(descriptor, 0600), 0);  // F_SEAL_EXEC of a program forbids to write, too.
  EXPECT_EQ(ftruncate(descriptor, bytes), 0);
  EXPECT_EQ(fcntl(descriptor, F_ADD_SEALS, seals), 0);
  return descriptor;
}

TEST(SharedWords, AreTheSameOnBothSides) {
  const auto [ours, descriptor] = SharedWords::make();
  ASSERT_NE(ours, nullptr);
  const auto theirs = SharedWords::map(descriptor);
  ASSERT_NE(theirs, nullptr);
  (*ours)[255].store(word_of(State::used, 7));
  EXPECT_EQ((*theirs)[255].load(), word_of(State::used, 7));
}

TEST(SharedWords, AreNotTakenIfTheyCouldBecomeLess) {
  EXPECT_EQ(SharedWords::map(memory(kBytes, F_SEAL_SHRINK | F_SEAL_GROW)), nullptr);
  EXPECT_EQ(SharedWords::map(memory(kBytes, F_SEAL_SEAL)), nullptr);
  EXPECT_EQ(SharedWords::map(memory(kBytes / 2, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)),
            nullptr);
}

TEST(SharedWords, AreNotJustAnyFile) {
  const testing::Folder folder;
  const int descriptor = open((folder / "file").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_EQ(ftruncate(descriptor, kBytes), 0);
  EXPECT_EQ(SharedWords::map(descriptor), nullptr);
}

// Where vm.memfd_noexec is set, the kernel adds one of its own.
TEST(SharedWords, MayHaveFurtherSeals) {
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | F_SEAL_EXEC;
  EXPECT_NE(SharedWords::map(memory(kBytes, seals)), nullptr);
}

}  // namespace
}  // namespace hapax::kept
