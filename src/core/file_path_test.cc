#include "core/file_path.h"

#include <gtest/gtest.h>
#include <string>

namespace hapax {
namespace {

TEST(FilePath, IsAsALocksNameWithSomethingBetweenItsSlashes) {
  for (const char* good : {"a", "a/b", "config/db.toml", "über/straße", "...", "a b", "-"}) {
    EXPECT_TRUE(check_file_path(good)) << good;
  }
  EXPECT_TRUE(check_file_path(std::string(512, 'x')));
  for (const std::string& bad :
       {std::string{}, std::string{"/"}, std::string{"/a"}, std::string{"a/"}, std::string{"a//b"},
        std::string{"."}, std::string{".."}, std::string{"a/../b"}, std::string{"a/."},
        std::string{"a\nb"}, std::string{"a\0b", 3}, std::string{"\xff"}, std::string(513, 'x')}) {
    EXPECT_FALSE(check_file_path(bad)) << bad;
  }
}

TEST(FilePath, LiesInAFolder) {
  EXPECT_TRUE(is_in_folder("a/b/c", ""));
  EXPECT_TRUE(is_in_folder("a/b/c", "a"));
  EXPECT_TRUE(is_in_folder("a/b/c", "a/b"));
  EXPECT_TRUE(is_in_folder("a/b/c", "a/b/c"));
  EXPECT_FALSE(is_in_folder("ab/c", "a"));
  EXPECT_FALSE(is_in_folder("a", "a/b"));
  EXPECT_TRUE(check_folder(""));
  EXPECT_FALSE(check_folder("a/"));
}

}  // namespace
}  // namespace hapax
