#include "net/usual_folder.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing/folder.h"

namespace hapax::net {
namespace {

namespace fs = std::filesystem;

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

// In a process of its own, since root's is in /run: what is wrong, or nothing.
std::string make_folder_as_nobody(const fs::path& home) {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) return "cannot be nobody";
  const Variable runtime{"XDG_RUNTIME_DIR", ""}, at_home{"HOME", home.string()};
  const fs::path own = home / ".cache/hapax";
  const auto socket = find_address("unix:x");
  if (!socket || socket->path != own / "x") return "in another place";
  if (const auto made = prepare_folder_of(*socket); !made) return made.error().message;
  if (fs::status(own).permissions() != fs::perms{0700}) return "open to others";
  fs::permissions(own, fs::perms{0777});
  const auto refused = prepare_folder_of(*socket);
  if (refused) return "taken though others may write";
  if (refused.error().message.find("nobody else may write") == std::string::npos) {
    return refused.error().message;
  }
  return "";
}

TEST(UsualFolder, IsMadeForUsAlone) {
  const hapax::testing::Folder home;
  fs::permissions(home.path(), fs::perms{0777});
  const auto in_child = [&] {
    const std::string wrong = make_folder_as_nobody(home.path());
    std::fputs(wrong.c_str(), stderr);
    _exit(wrong.empty() ? 0 : 1);
  };
  EXPECT_EXIT(in_child(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hapax::net
