#include "base/file_text.h"

#include <fstream>
#include <gtest/gtest.h>

#include "base/testing/folder.h"

namespace hapax {
namespace {

TEST(FileText, IsAllOfIt) {
  const testing::Folder folder;
  const std::string path = folder.path() / "it";
  const std::string text = std::string(40'000, 'x') + '\0' + "end";
  std::ofstream{path} << text;
  EXPECT_EQ(text_of_file(path).value(), text);
}

TEST(FileText, SaysWhyItCannotBeRead) {
  const testing::Folder folder;
  EXPECT_EQ(text_of_file(folder.path()).error().message,
            "cannot read " + folder.path().string() + ": Is a directory");
  EXPECT_EQ(text_of_file("/no/such").error().message,
            "cannot read /no/such: No such file or directory");
  EXPECT_EQ(text_of_file("/dev/zero").error().message, "/dev/zero is too large to be read");
}

}  // namespace
}  // namespace hapax
