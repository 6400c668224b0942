// A folder that only we may enter; removed at the end with all that is in it.
#pragma once

#include <filesystem>
#include <string>

namespace hapax::local {

class PrivateFolder {
 public:
  // A fresh one in `above`, whose name begins with `prefix`. Throws std::system_error.
  PrivateFolder(const std::filesystem::path& above, const std::string& prefix);
  // This one. If it was there before, it stays. Throws std::system_error.
  explicit PrivateFolder(const std::filesystem::path& wanted);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool ours_ = true;
};

}  // namespace hapax::local
