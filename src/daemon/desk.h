// Where clients come in: Unix sockets and TCP ports, each listened on.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/address.h"
#include "daemon/visitor.h"

namespace hapax {

class Desk {
 public:
  // `is_local`: over a Unix socket.
  using OnVisitor = std::function<void(Visitor::Socket, bool is_local)>;

  Desk(boost::asio::io_context& io, OnVisitor on_visitor);
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  // A socket file that nobody listens on any more is replaced; one that somebody does is an error.
  Result<void> open(const net::Address& address);
  // Removes the socket files, too.
  void close();

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

  void accept(const std::shared_ptr<Acceptor>& acceptor, bool is_local);

  boost::asio::io_context& io_;
  OnVisitor on_visitor_;
  std::vector<std::shared_ptr<Acceptor>> acceptors_;
  std::vector<std::string> paths_;
};

}  // namespace hapax
