#include "base/glob.h"

#include <gtest/gtest.h>
#include <string>

namespace hapax {
namespace {

TEST(Glob, MatchesRunsAndSingleCharacters) {
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("*", "a/b"));
  EXPECT_TRUE(glob_matches("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(glob_matches("**a", "aaa"));
  EXPECT_TRUE(glob_matches("*ab", "aab"));
  EXPECT_TRUE(glob_matches("?b", "ab"));
  EXPECT_TRUE(glob_matches("?", "鍵")) << "a character, not a byte";
  EXPECT_TRUE(glob_matches("*?", "鍵"));
  EXPECT_FALSE(glob_matches("", "a"));
  EXPECT_FALSE(glob_matches("?", ""));
  EXPECT_FALSE(glob_matches("??", "鍵"));
  EXPECT_FALSE(glob_matches("a*b", "abc"));
  EXPECT_FALSE(glob_matches("a", "ab"));
  EXPECT_FALSE(glob_matches("*a?", "xa"));
}

TEST(Glob, TakesNoTimeThatGrowsWithoutBound) {
  const std::string many_stars = "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b";
  EXPECT_FALSE(glob_matches(many_stars, std::string(512, 'a')));
}

}  // namespace
}  // namespace hapax
