#include "base/machine_daemon.h"

#include <sys/stat.h>
#include <unistd.h>

namespace hapax {
namespace {

constexpr const char* kMachineSettings = "/etc/hapax/hapax.toml";

// Nothing if it is no folder, or others than its owner may put something there.
std::optional<uid_t> owner_of(const std::filesystem::path& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return std::nullopt;
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
  return found.st_uid;
}

}  // namespace

std::optional<uid_t> server_by_root(const std::filesystem::path& socket) {
  struct stat found {};
  if (::lstat(socket.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return std::nullopt;
  const auto folder = socket.parent_path();
  return owner_of(folder.parent_path()) == uid_t{0} ? owner_of(folder) : std::nullopt;
}

bool has_machine_daemon() {
  return server_by_root(kMachineSocket) || ::access(kMachineSettings, F_OK) == 0;
}

std::string_view how_to_start_a_daemon(const std::filesystem::path& socket) {
  return socket == kMachineSocket ? "this machine's is a service: `systemctl start hapax`, and "
                                    "`journalctl -u hapax` says why it does not run"
                                  : "start one with `hapax up 3`, or `hapax node`";
}

}  // namespace hapax
