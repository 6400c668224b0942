#include "console/number.h"

#include <gtest/gtest.h>

namespace hapax::cli {
namespace {

// As who reads it next sees it, or the error.
std::string read(const Check& check, std::string text) {
  const std::string error = check(text);
  return error.empty() ? text : error;
}

TEST(Seconds, MayHaveAUnit) {
  const Check check = seconds(0, 3'600);
  EXPECT_EQ(std::stod(read(check, "60")), 60);
  EXPECT_EQ(std::stod(read(check, "0.5")), 0.5);
  EXPECT_EQ(std::stod(read(check, "60s")), 60);
  EXPECT_EQ(std::stod(read(check, "500ms")), 0.5);
  EXPECT_EQ(std::stod(read(check, "2min")), 120);
}

TEST(Seconds, AreRefusedInWords) {
  const Check check = seconds(0, 2);
  const auto refusal = [](const std::string& text) {
    return "'" + text + "' is no time; use 0 … 2 seconds, e.g. 0.5 or 500ms";
  };
  for (const std::string text : {"", "abc", "-1", "3", "3s", "1h", "1e1", "inf", "nan"}) {
    EXPECT_EQ(read(check, text), refusal(text));
  }
}

}  // namespace
}  // namespace hapax::cli
