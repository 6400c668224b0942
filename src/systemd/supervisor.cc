#include "systemd/supervisor.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "loop/loop.h"
#include "loop/timer.h"

namespace hapax::systemd {
namespace {

using std::chrono::microseconds;

// How often the status may change, if nobody wants to hear from us more often.
constexpr microseconds kStatusEvery = std::chrono::seconds{5};
// What there was no room for is said again.
constexpr microseconds kAgain = std::chrono::milliseconds{500};

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// How often systemd wants to hear from this process; 0: it does not.
microseconds watchdog() {
  const auto number = [](std::string_view text) {
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc{} && end == text.data() + text.size() ? value : 0;
  };
  const std::string_view whose = environment("WATCHDOG_PID");
  if (!whose.empty() && number(whose) != getpid()) return {};
  return microseconds{std::max<std::int64_t>(number(environment("WATCHDOG_USEC")), 0)};
}

}  // namespace

// What sd_notify(3) calls its protocol: a datagram of lines. Libsystemd's own call waits as long as
// nobody reads, and whoever waits for our loop must not wait for systemd.
class Supervisor::Impl {
 public:
  Impl(Loop& io, const sockaddr_un& where, socklen_t size, std::function<std::string()> status)
      : where_(where), size_(size), status_(std::move(status)), timer_(io) {
    const microseconds wanted = watchdog();
    is_watched_ = wanted.count() > 0;
    if (is_watched_) every_ = std::min(every_, wanted / 2);
  }
  ~Impl() {
    if (fd_ >= 0) ::close(fd_);
  }

  // For sure, if not now: it is said again until there is room for it.
  void say(std::string_view line) {
    unsaid_.append(line).append("\n");
    if (send(unsaid_)) unsaid_.clear();
  }
  void turn() {
    std::string now = status_();
    std::replace(now.begin(), now.end(), '\n', ' ');
    std::string said = unsaid_ + (is_watched_ ? "WATCHDOG=1\n" : "");
    if (now != told_) said += "STATUS=" + now;
    const bool is_told = said.empty() || send(said);
    if (is_told) {
      told_ = std::move(now);
      unsaid_.clear();
    }
    timer_.expires_after(is_told ? every_ : std::min(every_, kAgain));
    timer_.async_wait([this](const boost::system::error_code& failed) {
      if (!failed && !is_closed_) turn();
    });
  }
  void close() {
    is_closed_ = true;  // What is due at this moment is not cancelled any more.
    timer_.cancel();
  }

 private:
  // False if there is no room. If nobody listens any more, nobody waits for it either.
  bool send(std::string_view text) const {
    const ssize_t count = sendto(fd_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                                 reinterpret_cast<const sockaddr*>(&where_), size_);
    return count >= 0 || (errno != EAGAIN && errno != ENOBUFS && errno != EINTR);
  }

  const int fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const sockaddr_un where_;
  const socklen_t size_;
  const std::function<std::string()> status_;
  Timer timer_;
  microseconds every_ = kStatusEvery;
  bool is_watched_ = false;
  bool is_closed_ = false;
  std::string unsaid_;  // Lines that must be heard.
  std::string told_;
};

Supervisor::Supervisor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Supervisor::~Supervisor() = default;

Result<std::unique_ptr<Supervisor>> Supervisor::find(Loop& io,
                                                     std::function<std::string()> status) {
  const std::string_view socket = environment("NOTIFY_SOCKET");
  if (socket.empty()) return std::unique_ptr<Supervisor>{new Supervisor{nullptr}};
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  if ((socket[0] != '/' && socket[0] != '@') || socket.size() >= sizeof where.sun_path) {
    return error(
        "$NOTIFY_SOCKET is '{}', and whoever waits for word from us there gets none: it is neither "
        "a path nor an abstract Unix socket; use Type=exec",
        socket);
  }
  std::memcpy(where.sun_path, socket.data(), socket.size());
  if (where.sun_path[0] == '@') where.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size());
  auto impl = std::make_unique<Impl>(io, where, size, std::move(status));
  return std::unique_ptr<Supervisor>{new Supervisor{std::move(impl)}};
}

void Supervisor::ready() {
  if (!impl_) return;
  impl_->say("READY=1");
  impl_->turn();
}
void Supervisor::stopping() {
  if (impl_) impl_->say("STOPPING=1");
}
void Supervisor::close() {
  if (impl_) impl_->close();
}

}  // namespace hapax::systemd
