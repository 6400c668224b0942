// A connected socket, TCP or Unix, in the clear or under TLS: the same few operations on all of
// them.
#pragma once

#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <openssl/types.h>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "loop/descriptor.h"
#include "streams/socket.h"

namespace hapax::net {

inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

class Stream final : Descriptor {
 public:
  using Error = const boost::system::error_code&;
  enum class Side { dials, accepts };

  // `tls` may be null; else it outlives the stream.
  Stream(Socket socket, SSL_CTX* tls);
  ~Stream() override;

  // handler(error); see tls_trouble(). In the clear there is nothing to do.
  void async_handshake(Side side, Once<Error> handler);
  // handler(error, count); 0 bytes are the end of what the other side says. `room` stays the
  // stream's until then, and so does `bytes`.
  void async_read_some(std::span<std::uint8_t> room, Once<Error, std::size_t> handler);
  // All of it.
  void async_write(std::span<const std::uint8_t> bytes, Once<Error, std::size_t> handler);
  // What goes out at once, in the clear; under TLS nothing. What went wrong async_write() tells.
  std::size_t write_now(std::span<const std::uint8_t> bytes);

  // Whoever waits hears, a moment later, that it was cancelled.
  void close();
  bool is_open() const { return socket_.fd() >= 0; }
  // Nothing more will be said; the other side may go on.
  void shut_down_sending();

  int fd() const { return socket_.fd(); }
  using Descriptor::loop;
  SSL* session() const { return tls_.get(); }
  // Why TLS failed, as ERR_get_error() has it; 0: for another reason than TLS, or not at all.
  unsigned long tls_trouble() const { return tls_trouble_; }

 private:
  struct Free {
    void operator()(SSL* session) const;
  };
  enum class Want { to_read, to_write };
  // What an attempt has come to. Not over: it has to wait.
  struct Step {
    bool is_over = false;
    boost::system::error_code error = {};
    std::size_t count = 0;
  };

  // Under TLS either may be what the other waits for.
  void on_readable() override { go_on(true, tls_ != nullptr); }
  void on_writable() override { go_on(tls_ != nullptr, true); }
  void drop_into(std::vector<Task>& dropped) override;

  void go_on(bool may_read, bool may_write);
  void shake_hands();
  Step read_some();
  Step write_on();
  Step after_tls(int result, std::size_t count, Want& want);
  void wait();
  void give_up(Error why);  // All who wait hear it, a moment later.

  Socket socket_;
  std::unique_ptr<SSL, Free> tls_;
  unsigned long tls_trouble_ = 0;
  Once<Error> on_shaken_;
  Once<Error, std::size_t> on_read_;
  Once<Error, std::size_t> on_written_;
  std::span<std::uint8_t> room_;
  std::span<const std::uint8_t> bytes_;
  std::size_t written_ = 0;  // Of bytes_.
  // What each of them waits for.
  Want shaking_ = Want::to_write;
  Want reading_ = Want::to_read;
  Want writing_ = Want::to_write;
};

}  // namespace hapax::net
