#include "daemon/visitor.h"

#include <algorithm>
#include <sys/socket.h>

namespace hapax {
namespace {

// The process at the other end as the kernel knows it; its pid is 0 if it cannot tell.
ucred peer_of(net::Socket& socket) {
  ucred who{};
  socklen_t size = sizeof who;
  if (getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return {};
  return who.pid > 0 ? who : ucred{};
}

// For people's eyes: printable, and not too long.
std::string shown(std::string text) {
  if (text.size() > session::kLongestText) text.resize(session::kLongestText);
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

void Visitor::introduce(const session::Hello& hello) {
  const auto known = static_cast<std::uint32_t>(peer_of(socket()).pid);
  pid_ = known != 0 ? known : hello.pid;
  has_our_pids_ = !is_behind_tcp() && known == hello.pid;
  host_ = shown(certified().empty() ? hello.host : certified() + "@" + hello.host);
  command_ = shown(hello.command);
}

void Visitor::has_job(const session::Job& job) {
  if (!has_our_pids_) return;
  job_ = ProcessGroup::led_by(static_cast<pid_t>(job.group), peer_of(socket()).uid);
}

bool Visitor::holds_anything() const {
  return std::any_of(requests.begin(), requests.end(),
                     [](const auto& entry) { return entry.second.is_held(); });
}

}  // namespace hapax
