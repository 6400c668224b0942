#include "net/listener.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include "net/endpoint.h"
#include "net/usual_folder.h"

namespace hapax::net {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr milliseconds kPause{100};

// A socket file stays when its process dies without closing it; binding there then always fails.
Result<void> make_room(asio::io_context& io, const Address& address) {
  struct stat info {};
  if (::stat(address.path.c_str(), &info) != 0) return {};
  if (!S_ISSOCK(info.st_mode)) return error("{} is in the way: it is no socket", address.path);
  Socket probe{io};
  const Endpoint endpoint = asio::local::stream_protocol::endpoint{address.path};
  error_code failed;
  open_private(probe, endpoint.protocol(), failed);
  if (!failed) probe.connect(endpoint, failed);
  if (!failed) return error("somebody listens on {} already", address.text());
  if (failed == asio::error::connection_refused) ::unlink(address.path.c_str());
  return {};
}

std::uint16_t port_of(const Endpoint& endpoint) {
  asio::ip::tcp::endpoint tcp;
  tcp.resize(endpoint.size());
  std::memcpy(tcp.data(), endpoint.data(), endpoint.size());
  return tcp.port();
}

}  // namespace

Result<std::shared_ptr<Listener>> Listener::open(asio::io_context& io, const Address& address,
                                                 OnSocket on_socket, const Sharing& sharing) {
  auto listener = std::make_shared<Listener>(io);
  listener->address_ = address;
  listener->on_socket_ = std::move(on_socket);
  if (const Result<void> bound = listener->bind(io, sharing); !bound) return bound.error();
  return listener;
}

Result<void> Listener::bind(asio::io_context& io, const Sharing& sharing) {
  const Result<Endpoint> endpoint = look_up(io, address_);
  if (!endpoint) return endpoint.error();
  if (address_.is_unix()) {
    if (const auto there = prepare_folder_of(address_); !there) return there.error();
    if (const Result<void> room = make_room(io, address_); !room) return room.error();
  }
  error_code failed;
  open_private(acceptor_, endpoint->protocol(), failed);
  if (!failed) acceptor_.non_blocking(true, failed);
  if (!failed && !address_.is_unix()) {
    acceptor_.set_option(asio::socket_base::reuse_address{true}, failed);
  }
  if (!failed) acceptor_.bind(*endpoint, failed);
  is_bound_ = !failed;
  if (!failed && address_.is_unix()) {
    if (const auto shared = share(sharing); !shared) return shared.error();
  }
  if (!failed) acceptor_.listen(asio::socket_base::max_listen_connections, failed);
  if (failed) return error("cannot listen on {}: {}", address_.text(), failed.message());
  if (!address_.is_unix()) address_.port = port_of(acceptor_.local_endpoint());
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
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  if (is_bound_ && address_.is_unix()) ::unlink(address_.path.c_str());
}

void Listener::accept() {
  acceptor_.async_wait(Acceptor::wait_read, [self = shared_from_this()](error_code failed) {
    if (self->closed_) return;
    Socket socket{self->acceptor_.get_executor()};
    if (!failed) accept_private(self->acceptor_, socket, failed);
    const bool is_gone = failed == asio::error::connection_aborted ||
                         failed == asio::error::would_block || failed == asio::error::interrupted;
    // Out of file descriptors, say: trying again at once would only keep the processor busy.
    if (failed && !is_gone) return self->accept_later();
    if (!failed) self->on_socket_(std::move(socket));
    if (!self->closed_) self->accept();
  });
}

void Listener::accept_later() {
  pause_.expires_after(kPause);
  pause_.async_wait([self = shared_from_this()](const error_code& failed) {
    if (!failed && !self->closed_) self->accept();
  });
}

}  // namespace hapax::net
