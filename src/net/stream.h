// A connected socket, TCP or Unix, in the clear or under TLS: the same few operations on all of
// them.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <utility>

namespace hapax::net {

using Socket = boost::asio::generic::stream_protocol::socket;

class Stream {
 public:
  // `tls` may be null; else it outlives the stream.
  Stream(Socket socket, boost::asio::ssl::context* tls) : socket_(std::move(socket)) {
    if (tls != nullptr) tls_.emplace(socket_, *tls);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // handler(error). In the clear there is nothing to do.
  template <class H>
  void async_handshake(boost::asio::ssl::stream_base::handshake_type side, H&& handler) {
    if (tls_) {
      tls_->async_handshake(side, std::forward<H>(handler));
    } else {
      boost::asio::post(socket_.get_executor(), [handler = std::forward<H>(handler)]() mutable {
        handler(boost::system::error_code{});
      });
    }
  }
  template <class H>
  void async_read_some(boost::asio::mutable_buffer buffer, H&& handler) {
    if (tls_) {
      tls_->async_read_some(buffer, std::forward<H>(handler));
    } else {
      socket_.async_read_some(buffer, std::forward<H>(handler));
    }
  }
  template <class H>
  void async_write(boost::asio::const_buffer buffer, H&& handler) {
    if (tls_) {
      boost::asio::async_write(*tls_, buffer, std::forward<H>(handler));
    } else {
      boost::asio::async_write(socket_, buffer, std::forward<H>(handler));
    }
  }

  Socket& socket() { return socket_; }
  boost::asio::execution_context& context() { return socket_.get_executor().context(); }
  SSL* session() { return tls_ ? tls_->native_handle() : nullptr; }

 private:
  Socket socket_;
  std::optional<boost::asio::ssl::stream<Socket&>> tls_;  // Over socket_.
};

}  // namespace hapax::net
