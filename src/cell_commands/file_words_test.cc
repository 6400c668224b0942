#include "cell_commands/file_words.h"

#include <gtest/gtest.h>

namespace hapax::cli {
namespace {

std::string base64_of(const std::string& bytes) {
  const auto object = json_of("p", {bytes, 7, {}, false});
  return object.contains("base64") ? std::string{object.at("base64").as_string()} : "(text)";
}

TEST(FileWords, TextIsContentAndAllElseBase64) {
  EXPECT_EQ(json_of("p", {"über\n", 7, {}, true}).at("content").as_string(), "über\n");
  EXPECT_EQ(base64_of(std::string{"a\0b", 3}), "(text)") << "JSON has a way to write it";
  EXPECT_EQ(base64_of("\xff"), "/w==");
  EXPECT_EQ(base64_of("\xff\xfe"), "//4=");
  EXPECT_EQ(base64_of("\xff\xfe\xfd"), "//79");
  EXPECT_EQ(base64_of("\xff\xfe\xfd\xfc"), "//79/A==");
}

}  // namespace
}  // namespace hapax::cli
