#include "local/private_folder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <system_error>

#include "base/testing/folder.h"

namespace hapax::local {
namespace {

namespace fs = std::filesystem;

TEST(PrivateFolder, IsOursAloneAndGoesWithAllThatIsInIt) {
  const testing::Folder above;
  fs::path path;
  {
    const PrivateFolder folder{above.path(), "bank"};
    path = folder.path();
    EXPECT_TRUE(path.filename().string().starts_with("bank-"));
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    std::ofstream{path / "file"} << "text";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(PrivateFolder, LeavesOneThatWasThere) {
  const testing::Folder above;
  { const PrivateFolder made{above / "wanted"}; }
  EXPECT_FALSE(fs::exists(above / "wanted"));
  fs::create_directory(above / "wanted");
  { const PrivateFolder found{above / "wanted"}; }
  EXPECT_TRUE(fs::exists(above / "wanted"));
}

TEST(PrivateFolder, SaysWhereItCannotBe) {
  const testing::Folder above;
  std::ofstream{above / "file"} << "text";
  EXPECT_THROW((PrivateFolder{above / "file"}), std::system_error);
  EXPECT_THROW((PrivateFolder{above / "nowhere", "bank"}), std::system_error);
}

}  // namespace
}  // namespace hapax::local
