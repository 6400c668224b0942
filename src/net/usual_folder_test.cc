#include "net/usual_folder.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing/folder.h"

namespace hapax::net {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A variable of the environment for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(UsualFolder, IsTheRuntimeFolderIfThatIsOursAlone) {
  const hapax::testing::Folder folder;
  const Variable runtime{"XDG_RUNTIME_DIR", folder.path().string()};
  EXPECT_EQ(usual_folder(), folder.path().string());
  EXPECT_EQ(find_address("unix:one")->path, (folder / "one").string());
  EXPECT_EQ(find_address("unix:./one")->path, "./one") << "a path, whatever it leads to";
  fs::permissions(folder.path(), fs::perms{01777});
  EXPECT_NE(usual_folder(), folder.path().string()) << "anybody may write there";
}

TEST(UsualFolder, IsNeverOneToWhichAllMayWrite) {
  for (const char* runtime : {"", "/tmp", "/nonexistent", "relative"}) {
    const Variable variable{"XDG_RUNTIME_DIR", runtime};
    EXPECT_NE(usual_folder(), runtime);
    EXPECT_TRUE(usual_folder().starts_with("/")) << runtime;
  }
}

TEST(UsualFolder, IsMadeForUsAlone) {
  if (geteuid() == 0) GTEST_SKIP() << "root's is in /run";
  const hapax::testing::Folder home;
  const Variable runtime{"XDG_RUNTIME_DIR", ""}, at_home{"HOME", home.path().string()};
  const Address socket{"", 0, (home / ".cache/hapax/x.sock").string()};
  ASSERT_TRUE(prepare_folder_of(socket).has_value());
  EXPECT_EQ(fs::status(home / ".cache/hapax").permissions(), fs::perms{0700});
  fs::permissions(home / ".cache/hapax", fs::perms{0777});
  const auto refused = prepare_folder_of(socket);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("nobody else may write"));
}

}  // namespace
}  // namespace hapax::net
