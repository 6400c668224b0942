#include "systemd/supervisor.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <utility>

namespace hapax::systemd {

// What we use of libsystemd. Loaded only where systemd waits for us: it brings five more libraries,
// which every `hapax run` would have to load.
struct Library {
  int (*notify)(int unset_environment, const char* state) = nullptr;
  int (*watchdog_enabled)(int unset_environment, std::uint64_t* microseconds) = nullptr;
};

namespace {

using std::chrono::microseconds;

// How often the status may change, if nobody wants to hear from us more often.
constexpr microseconds kStatusEvery = std::chrono::seconds{5};

Result<Library> load() {
  void* const library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  Library found;
  if (library != nullptr) {
    found.notify = reinterpret_cast<decltype(found.notify)>(dlsym(library, "sd_notify"));
    found.watchdog_enabled =
        reinterpret_cast<decltype(found.watchdog_enabled)>(dlsym(library, "sd_watchdog_enabled"));
  }
  if (found.notify == nullptr || found.watchdog_enabled == nullptr) {
    return error(
        "systemd waits for word from us ($NOTIFY_SOCKET is set), and there is no libsystemd to "
        "give it with: install libsystemd0, or use Type=exec");
  }
  return found;
}

}  // namespace

class Supervisor::Impl {
 public:
  Impl(boost::asio::io_context& io, Library library, std::function<std::string()> status)
      : library_(library), status_(std::move(status)), timer_(io) {
    std::uint64_t wanted = 0;
    is_watched_ = library_.watchdog_enabled(0, &wanted) > 0;
    if (is_watched_) every_ = std::min(every_, microseconds{wanted / 2});
  }

  void say(const std::string& state) const { library_.notify(0, state.c_str()); }
  void turn() {
    std::string said = is_watched_ ? "WATCHDOG=1\n" : "";
    std::string now = status_();
    std::replace(now.begin(), now.end(), '\n', ' ');
    if (now != told_) said += "STATUS=" + now;
    told_ = std::move(now);
    if (!said.empty()) say(said);
    timer_.expires_after(every_);
    timer_.async_wait([this](const boost::system::error_code& failed) {
      if (!failed && !is_closed_) turn();
    });
  }
  void close() {
    is_closed_ = true;  // What is due at this moment is not cancelled any more.
    timer_.cancel();
  }

 private:
  const Library library_;
  const std::function<std::string()> status_;
  boost::asio::steady_timer timer_;
  microseconds every_ = kStatusEvery;
  bool is_watched_ = false;
  bool is_closed_ = false;
  std::string told_;
};

Supervisor::Supervisor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Supervisor::~Supervisor() = default;

Result<std::unique_ptr<Supervisor>> Supervisor::find(boost::asio::io_context& io,
                                                     std::function<std::string()> status) {
  const char* socket = std::getenv("NOTIFY_SOCKET");
  if (socket == nullptr || *socket == '\0')
    return std::unique_ptr<Supervisor>{new Supervisor{nullptr}};
  const auto library = load();
  if (!library) return library.error();
  auto impl = std::make_unique<Impl>(io, *library, std::move(status));
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
