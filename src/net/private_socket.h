// Sockets that no program inherits which this one starts: Asio's own calls leave them open across
// exec, and a child that has a member's port keeps it after the member has ended.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

#include "net/stream.h"

namespace hapax::net {

using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

// Takes over what a system call has returned: a descriptor, or -1.
template <class Owner>
void adopt(Owner& owner, const boost::asio::generic::stream_protocol& protocol, int descriptor,
           boost::system::error_code& failed) {
  if (descriptor < 0) {
    failed.assign(errno, boost::system::system_category());
    return;
  }
  owner.assign(protocol, descriptor, failed);
  if (failed) ::close(descriptor);
}

// In place of open(), of a socket or an acceptor.
template <class Owner>
void open_private(Owner& owner, const boost::asio::generic::stream_protocol& protocol,
                  boost::system::error_code& failed) {
  adopt(owner, protocol,
        ::socket(protocol.family(), protocol.type() | SOCK_CLOEXEC, protocol.protocol()), failed);
}

// Waits only if the acceptor does.
inline void accept_private(Acceptor& acceptor, Socket& socket, boost::system::error_code& failed) {
  const auto here = acceptor.local_endpoint(failed);
  if (failed) return;
  adopt(socket, here.protocol(),
        ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC), failed);
}

}  // namespace hapax::net
