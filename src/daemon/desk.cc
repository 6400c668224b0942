#include "daemon/desk.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "net/endpoint.h"

namespace hapax {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

bool somebody_listens(asio::io_context& io, const net::Endpoint& endpoint) {
  Visitor::Socket probe{io};
  error_code error;
  probe.connect(endpoint, error);
  return !error;
}

}  // namespace

Desk::Desk(asio::io_context& io, OnVisitor on_visitor)
    : io_(io), on_visitor_(std::move(on_visitor)) {}

Desk::~Desk() { close(); }

Result<void> Desk::open(const net::Address& address) {
  const auto endpoint = net::look_up(io_, address);
  if (!endpoint) return endpoint.error();
  if (address.is_unix()) {
    struct stat file {};
    if (lstat(address.path.c_str(), &file) == 0) {
      if (!S_ISSOCK(file.st_mode)) {
        return error("{} is in the way: it is no socket", address.path);
      }
      if (somebody_listens(io_, *endpoint)) {
        return error(
            "another daemon serves clients at {} already; stop it, or choose another address with "
            "HAPAX_ADDRESS=unix:/path",
            address.text());
      }
      unlink(address.path.c_str());
    }
  }
  auto acceptor = std::make_shared<Acceptor>(io_);
  error_code failed;
  acceptor->open(endpoint->protocol(), failed);
  if (!failed && !address.is_unix()) {
    acceptor->set_option(asio::socket_base::reuse_address(true), failed);
  }
  // Only the user who runs the daemon may come in, from the first moment on.
  const mode_t mask = umask(0177);
  if (!failed) acceptor->bind(*endpoint, failed);
  umask(mask);
  if (!failed) acceptor->listen(asio::socket_base::max_listen_connections, failed);
  if (failed) return error("cannot serve clients at {}: {}", address.text(), failed.message());
  if (address.is_unix()) paths_.push_back(address.path);
  acceptors_.push_back(acceptor);
  accept(acceptor, address.is_unix());
  return {};
}

void Desk::accept(const std::shared_ptr<Acceptor>& acceptor, bool is_local) {
  auto socket = std::make_shared<Visitor::Socket>(io_);
  acceptor->async_accept(*socket, [this, acceptor, socket, is_local](error_code error) {
    if (error == asio::error::operation_aborted || !acceptor->is_open()) return;
    if (!error) {
      on_visitor_(std::move(*socket), is_local);
      return accept(acceptor, is_local);
    }
    // Out of descriptors, most likely: wait a moment rather than spin.
    auto timer = std::make_shared<asio::steady_timer>(io_, std::chrono::milliseconds{100});
    timer->async_wait([this, acceptor, timer, is_local](error_code) {
      if (acceptor->is_open()) accept(acceptor, is_local);
    });
  });
}

void Desk::close() {
  for (const auto& acceptor : std::exchange(acceptors_, {})) {
    error_code ignored;
    acceptor->close(ignored);
  }
  for (const std::string& path : std::exchange(paths_, {})) unlink(path.c_str());
}

}  // namespace hapax
