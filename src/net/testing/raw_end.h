// One end of a connection between members, in the hands of a test: it sends what it likes. It
// blocks, so it only ever waits for what is on its way.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "net/frame.h"
#include "net/testing/party.h"

namespace hapax::net::testing {

class RawEnd {
 public:
  using Tcp = boost::asio::ip::tcp;

  explicit RawEnd(const Address& to) : socket_(hapax::testing::strangers()) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), to.port});
  }
  explicit RawEnd(Tcp::socket socket) : socket_(std::move(socket)) {}

  void send(const Bytes& bytes) {
    boost::system::error_code ignored;
    boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
  }
  // As a member does: a Hello of a dialler so that everybody can read it.
  void send(const Content& content) {
    const bool is_hello = std::holds_alternative<Hello>(content);
    send(content, is_hello ? kGreetingVersion : kProtocolVersion);
  }
  void send(const Content& content, std::uint32_t version,
            std::span<const std::uint8_t> messages = {}) {
    Bytes frame;
    write_frame(frame, content, messages, version);
    send(frame);
  }
  // The next frame, while the loop runs; nothing if the connection ends first.
  std::optional<Bytes> receive(Loop& io) {
    socket_.non_blocking(true);
    std::optional<Bytes> body;
    bool is_over = false;
    run_until(io, [&] {
      boost::system::error_code failed;
      const std::span<std::uint8_t> room = reader_.room();
      const std::size_t count =
          socket_.read_some(boost::asio::buffer(room.data(), room.size()), failed);
      reader_.commit(count);
      std::span<const std::uint8_t> found;
      if (reader_.next(found) == FrameReader::Found::frame)
        body.emplace(found.begin(), found.end());
      is_over = failed && failed != boost::asio::error::would_block;
      return body || is_over;
    });
    return body;
  }
  bool is_hung_up(Loop& io) { return !receive(io); }

 private:
  Tcp::socket socket_;
  FrameReader reader_{1 << 20};
};

}  // namespace hapax::net::testing
