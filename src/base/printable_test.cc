#include "base/printable.h"

#include <gtest/gtest.h>

namespace hapax {
namespace {

using namespace std::string_view_literals;

TEST(Printable, LeavesTextAlone) {
  EXPECT_EQ(printable("orders/42"), "orders/42");
  EXPECT_EQ(printable("Bestellungen für Jürgen — 注文 🔒"), "Bestellungen für Jürgen — 注文 🔒");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[31mred\n"sv), "a\\x1b[31mred\\x0a");
  EXPECT_EQ(printable("\0\t\x7f"sv), "\\x00\\x09\\x7f");
  EXPECT_EQ(printable("\u009b31m"), "\\u009b31m") << "C1: what ESC [ is in eight bits";
  EXPECT_EQ(printable("a\u202eb\u2066c\u200f"), "a\\u202eb\\u2066c\\u200f");
  EXPECT_EQ(printable("a\u2028b"), "a\\u2028b");
}

TEST(Printable, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("\xff\xc0\xaf\x80"), "\\xff\\xc0\\xaf\\x80");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82") << "cut off";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last";
}

TEST(Printable, KeepsTheLinesOfAText) {
  EXPECT_EQ(printable_lines("a\x1b\nb\n"), "a\\x1b\nb\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Printable, AStringOfJsonIsExactWhereItCanBe) {
  EXPECT_EQ(json_string("für \"x\\\n"), "\"für \\\"x\\\\\\u000a\"");
  EXPECT_EQ(json_string("\x1b\u009b\u202e\x7f"), "\"\\u001b\\u009b\\u202e\\u007f\"");
  EXPECT_EQ(json_string("a\xff\xe2\x82"), "\"a\\ufffd\\ufffd\\ufffd\"");
}

}  // namespace
}  // namespace hapax
