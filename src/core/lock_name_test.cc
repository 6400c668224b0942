#include "core/lock_name.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace hapax {
namespace {

using ::testing::HasSubstr;

std::string complaint(std::string_view name) {
  const auto checked = check_lock_name(name);
  return checked.has_value() ? "" : checked.error().message;
}

TEST(LockName, IsAnyTextOfUpTo512Bytes) {
  for (const std::string name : {"a", "orders/42", "a b", "κλειδί", "鍵", "🔒", "=*?\"\\"}) {
    EXPECT_EQ(complaint(name), "") << name;
  }
  EXPECT_EQ(complaint(std::string(512, 'x')), "");
  EXPECT_THAT(complaint(std::string(513, 'x')), HasSubstr("at most 512 bytes; this one has 513"));
  EXPECT_THAT(complaint(""), HasSubstr("needs a name"));
}

TEST(LockName, HasNoControlCharacters) {
  EXPECT_THAT(complaint("a\nb"), HasSubstr("U+000A at byte 1"));
  EXPECT_THAT(complaint(std::string_view{"\0", 1}), HasSubstr("U+0000 at byte 0"));
  EXPECT_THAT(complaint("\x7f"), HasSubstr("U+007F"));
  EXPECT_THAT(complaint("\xc2\x85"), HasSubstr("U+0085"));
  EXPECT_EQ(complaint("\xc2\xa0"), "");
}

TEST(LockName, IsStrictUtf8) {
  const std::vector<std::string> wrong{"\x80",      // Begins in the middle.
                                       "\xc3",      // Ends in the middle.
                                       "\xe2\x82",  //
                                       "\xc3(",     // No continuation.
                                       "\xc0\xaf",  // A longer form than needed, of two bytes …
                                       "\xc1\xbf",  //
                                       "\xe0\x80\xaf",      // … three …
                                       "\xf0\x80\x80\xaf",  // … and four.
                                       "\xed\xa0\x80",      // Half of a surrogate pair.
                                       "\xf4\x90\x80\x80",  // Beyond U+10FFFF.
                                       "\xf5\x80\x80\x80",
                                       "\xff"};
  for (const std::string& name : wrong) EXPECT_THAT(complaint("x" + name), HasSubstr("at byte 1"));
  EXPECT_EQ(complaint("\xf4\x8f\xbf\xbf"), "");
  EXPECT_EQ(complaint("\xed\x9f\xbf"), "");
}

// Members on different machines, of different versions, must agree.
TEST(LockName, ItsHashNeverChanges) {
  EXPECT_EQ(hash_of_lock(""), 0xf52a15e9a9b5e89bu);
  EXPECT_EQ(hash_of_lock("orders/42"), 0xc6d0eec4fd7c56aau);
  EXPECT_EQ(hash_of_lock("鍵"), 0xecc07e2651f56d18u);
  EXPECT_EQ(home_of("orders/42", 1), NodeId{0});
  EXPECT_EQ(home_of("orders/42", 3), NodeId{0xc6d0eec4fd7c56aau % 3});
}

TEST(LockName, HomesAreSpreadOverTheMembers) {
  std::vector<int> locks(5);
  for (int i = 0; i < 10'000; ++i) ++locks[number(home_of("lock-" + std::to_string(i), 5))];
  for (const int count : locks) EXPECT_NEAR(count, 2000, 200);
}

}  // namespace
}  // namespace hapax
