#include "base/credentials.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hapax {
namespace {

using Room = std::array<char, 16384>;  // For one entry of the user database.

template <class Id>
std::optional<Id> number_in(const std::string& text) {
  Id number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<Credentials> credentials_of(int socket) {
  int family = 0;
  socklen_t size = sizeof family;
  if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0 || family != AF_UNIX) {
    return std::nullopt;
  }
  ucred who{};
  size = sizeof who;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return std::nullopt;
  return Credentials{who.uid, who.pid};
}

bool is_one_of_us(uid_t user) { return user == 0 || user == geteuid(); }

std::string text_of_user(uid_t user) {
  Room room;
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(user, &entry, room.data(), room.size(), &found);
  return found == nullptr ? fmt::format("uid {}", user)
                          : fmt::format("{} (uid {})", found->pw_name, user);
}

Result<uid_t> user_named(const std::string& text) {
  if (const auto number = number_in<uid_t>(text)) return *number;
  Room room;
  passwd entry{};
  passwd* found = nullptr;
  getpwnam_r(text.c_str(), &entry, room.data(), room.size(), &found);
  if (found == nullptr) return error("there is no user {} on this machine", text);
  return found->pw_uid;
}

Result<gid_t> group_named(const std::string& text) {
  if (const auto number = number_in<gid_t>(text)) return *number;
  Room room;
  group entry{};
  group* found = nullptr;
  getgrnam_r(text.c_str(), &entry, room.data(), room.size(), &found);
  if (found == nullptr) return error("there is no group {} on this machine", text);
  return found->gr_gid;
}

}  // namespace hapax
