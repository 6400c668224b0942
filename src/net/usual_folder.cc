#include "net/usual_folder.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hapax::net {
namespace {

namespace fs = std::filesystem;

bool is_ours_alone(const fs::path& folder) {
  struct stat info {};
  return ::stat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

fs::path home() {
  const char* named = std::getenv("HOME");
  if (named != nullptr && *named == '/') return named;
  const passwd* user = getpwuid(geteuid());
  return user == nullptr ? "/nonexistent" : user->pw_dir;
}

// The one that we make ourselves, where the system has none for us.
fs::path own_folder() { return geteuid() == 0 ? "/run/hapax" : home() / ".cache/hapax"; }

// Others may pass through root's, to sockets that are shared with them.
mode_t mode_of_own() { return geteuid() == 0 ? 0755 : 0700; }

}  // namespace

std::string usual_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/' && is_ours_alone(runtime)) return runtime;
  const std::string of_user = "/run/user/" + std::to_string(geteuid());
  return is_ours_alone(of_user) ? of_user : own_folder().string();
}

Address fresh_socket() {
  static std::atomic<int> count{0};
  return {"", 0, fmt::format("{}/hapax-member-{}-{}.sock", usual_folder(), getpid(), ++count)};
}

Result<void> prepare_folder_of(const Address& socket) {
  const fs::path own = own_folder();
  if (!socket.is_unix() || fs::path{socket.path}.parent_path() != own) return {};
  if (::mkdir(own.parent_path().c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return error("cannot make {}: {}", own.parent_path().string(), std::strerror(errno));
  }
  if (::mkdir(own.c_str(), mode_of_own()) != 0 && errno != EEXIST) {
    return error("cannot make {}: {}", own.string(), std::strerror(errno));
  }
  if (!is_ours_alone(own)) {
    return error(
        "{} must be a folder of ours to which nobody else may write; see to it, or name "
        "another place for the socket",
        own.string());
  }
  return {};
}

Result<Address> find_address(std::string_view text) {
  auto address = parse_address(text);
  if (!address || !address->is_unix() || address->path.find('/') != std::string::npos) {
    return address;
  }
  return parse_address("unix:" + usual_folder() + '/' + address->path);
}

}  // namespace hapax::net
