#include "net/listener.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/endpoint.h"
#include "net/usual_folder.h"

namespace hapax::net {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPause{100};

// A socket file stays when its process dies without closing it; binding there then always fails.
Result<void> make_room(Loop& io, const Address& address) {
  struct stat info {};
  if (::stat(address.path.c_str(), &info) != 0) return {};
  if (!S_ISSOCK(info.st_mode)) return error("{} is in the way: it is no socket", address.path);
  const Socket probe{io, ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const Endpoint endpoint = endpoint_of(address).value();
  if (::connect(probe.fd(), endpoint.data(), endpoint.size) == 0) {
    return error("somebody listens on {} already", address.text());
  }
  if (errno == ECONNREFUSED) ::unlink(address.path.c_str());
  return {};
}

}  // namespace

Result<std::shared_ptr<Listener>> Listener::open(Loop& io, const Address& address,
                                                 OnSocket on_socket, const Sharing& sharing) {
  auto listener = std::make_shared<Listener>(io);
  listener->address_ = address;
  listener->on_socket_ = std::move(on_socket);
  if (const Result<void> bound = listener->bind(sharing); !bound) return bound.error();
  return listener;
}

Result<void> Listener::bind(const Sharing& sharing) {
  const Result<Endpoint> endpoint = look_up(address_);
  if (!endpoint) return endpoint.error();
  if (address_.is_unix()) {
    if (const auto there = prepare_folder_of(address_); !there) return there.error();
    if (const auto room = make_room(socket_.loop(), address_); !room) return room.error();
  }
  const auto refused = [this] {
    return error("cannot listen on {}: {}", address_.text(), std::strerror(errno));
  };
  socket_ = Socket{socket_.loop(),
                   ::socket(endpoint->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const int fd = socket_.fd();
  if (fd < 0) return refused();
  const int on = 1;
  if (!address_.is_unix()) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd, endpoint->data(), endpoint->size) != 0) return refused();
  is_bound_ = true;
  if (address_.is_unix()) {
    if (const auto shared = share(sharing); !shared) return shared.error();
  }
  if (::listen(fd, SOMAXCONN) != 0) return refused();
  if (!address_.is_unix()) address_.port = here_of(fd).value().port();
  ready_ = std::make_unique<Readiness>(socket_.loop(), fd);
  return {};
}

// Write permission on the socket's file is what lets one connect.
Result<void> Listener::share(const Sharing& sharing) const {
  const char* path = address_.path.c_str();
  const auto refused = [&](const char* what) {
    return error("cannot {} {}: {}", what, address_.text(), std::strerror(errno));
  };
  if (sharing.group && ::chown(path, static_cast<uid_t>(-1), *sharing.group) != 0) {
    return refused("change the group of");
  }
  if (::chmod(path, sharing.mode) != 0) return refused("change the mode of");
  return {};
}

void Listener::close() {
  if (std::exchange(closed_, true)) return;
  if (ready_) ready_->close();
  socket_.close();
  pause_.cancel();
  if (is_bound_ && address_.is_unix()) ::unlink(address_.path.c_str());
}

void Listener::accept() {
  ready_->await_readable([self = shared_from_this()] { self->take_one(); });
}

void Listener::take_one() {
  const int fd = ::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
  const bool is_gone = errno == ECONNABORTED || errno == EINTR;
  if (fd < 0 && errno == EAGAIN && ready_->refusal() == 0) {
    ready_->has_nothing();
  } else if (fd < 0 && !is_gone) {
    // Out of file descriptors, say: trying again at once would only keep the processor busy.
    return accept_later();
  }
  if (fd >= 0) on_socket_(Socket{socket_.loop(), fd});
  if (!closed_) accept();
}

void Listener::accept_later() {
  pause_.expires_after(kPause);
  pause_.async_wait([self = shared_from_this()](const auto& failed) {
    if (!failed && !self->closed_) self->accept();
  });
}

}  // namespace hapax::net
