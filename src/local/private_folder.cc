#include "local/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>
#include <system_error>

namespace hapax::local {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error{errno, std::generic_category(), what};
}

}  // namespace

PrivateFolder::PrivateFolder(const std::filesystem::path& above, const std::string& prefix) {
  std::string pattern = (above / (prefix + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) fail("cannot make a folder in " + above.string());
  path_ = pattern;
}

PrivateFolder::PrivateFolder(const std::filesystem::path& wanted) : path_(wanted) {
  if (mkdir(wanted.c_str(), 0700) == 0) return;
  if (errno != EEXIST || !std::filesystem::is_directory(wanted)) fail(wanted.string());
  ours_ = false;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (ours_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace hapax::local
