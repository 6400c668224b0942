#include "net/connection.h"

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/error.hpp>
#include <fmt/format.h>

#include "base/check.h"
#include "base/credentials.h"
#include "handshake/handshake.h"
#include "net/endpoint.h"
#include "net/loop_turn.h"

namespace hapax::net {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

std::string text_of(const Socket& socket) {
  error_code failed;
  const Socket::endpoint_type remote = socket.remote_endpoint(failed);
  if (failed) return "somebody who left";
  const auto tcp = tcp_of(remote);
  if (!tcp) return "a Unix socket";
  const std::string host = tcp->address().to_string();
  return tcp->address().is_v6() ? fmt::format("[{}]:{}", host, tcp->port())
                                : fmt::format("{}:{}", host, tcp->port());
}

// One that only hangs up is no stranger yet.
std::optional<Drop> fault_of(const error_code& handshake) {
  if (handshake.category() != asio::error::get_ssl_category()) return std::nullopt;
  return Drop::stranger;
}

}  // namespace

Connection::Connection(Socket socket, std::shared_ptr<asio::ssl::context> tls, Side side,
                       ConnectionOwner& owner, Stats& stats)
    : stream_(std::move(socket), tls.get()),
      tls_(std::move(tls)),
      side_(side),
      owner_(&owner),
      stats_(&stats),
      remote_(text_of(stream_.socket())) {
  // Small messages must not wait for each other; a Unix socket has no such option.
  error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay{true}, ignored);
  stream_.socket().non_blocking(true, ignored);
}

void Connection::start() {
  const auto side =
      side_ == Side::dials ? asio::ssl::stream_base::client : asio::ssl::stream_base::server;
  stream_.async_handshake(side, [self = shared_from_this()](const error_code& failed) {
    if (self->state_ != State::opening) return;
    if (failed) return self->lose(fault_of(failed), self->words_of(failed));
    self->state_ = State::open;
    self->owner_->on_open(*self);
    if (self->state_ != State::closed) self->read();
  });
}

std::string Connection::words_of(const error_code& failed) {
  if (fault_of(failed)) {
    return "TLS: " + trouble_of(session(), static_cast<unsigned long>(failed.value())).words;
  }
  return "the connection broke: " + failed.message();
}

std::optional<uid_t> Connection::user() {
  const auto who = credentials_of(stream_.socket().native_handle());
  return who ? std::optional{who->uid} : std::nullopt;
}

void Connection::flush() {
  if (is_writing_ || out_.empty() || state_ == State::closed) return;
  writing_.swap(out_);
  written_ = 0;
  spoken_ = true;
  if (stats_ != nullptr) ++stats_->writes;
  write_now();
  if (written_ == writing_.size()) return writing_.clear();
  is_writing_ = true;
  stream_.async_write(
      asio::buffer(writing_) + written_,
      asio::bind_allocator(HandlerAllocator<void>{write_memory_},
                           [self = shared_from_this()](const error_code& failed, std::size_t n) {
                             self->write_done(failed, n);
                           }));
}

// The socket takes a small write at once, and then waiting for its completion would only cost the
// loop another round. What it does not take, or refuses, is left to async_write.
void Connection::write_now() {
  if (stream_.session() != nullptr) return;
  error_code failed;
  const std::size_t count = stream_.socket().write_some(asio::buffer(writing_), failed);
  if (failed) return;
  written_ = count;
  if (stats_ != nullptr) stats_->bytes_out += count;
}

void Connection::write_done(const error_code& failed, std::size_t count) {
  is_writing_ = false;
  writing_.clear();
  if (state_ == State::closed) return;
  if (failed) return lose(std::nullopt, failed.message());
  if (stats_ != nullptr) stats_->bytes_out += count;
  if (state_ == State::finishing) {
    flush();
    if (!is_writing_) shut_down_sending();
  } else {
    owner_->on_written(*this);
  }
}

void Connection::read() {
  if (is_held_ && state_ == State::open) return;
  is_reading_ = true;
  const std::span<std::uint8_t> room = reader_.room();
  stream_.async_read_some(
      asio::buffer(room.data(), room.size()),
      asio::bind_allocator(HandlerAllocator<void>{read_memory_},
                           [self = shared_from_this()](const error_code& failed, std::size_t n) {
                             self->read_done(failed, n);
                           }));
}

void Connection::hold(bool on) {
  is_held_ = on;
  if (!on && !is_reading_ && state_ == State::open) read();
}

void Connection::read_done(const error_code& failed, std::size_t count) {
  if (state_ == State::closed) return;
  if (failed) return lose(std::nullopt, words_of(failed));
  heard_ = true;
  if (state_ == State::open) {
    stats_->bytes_in += count;
    reader_.commit(count);
    const LoopTurn::Guard turn{stream_.context()};
    take_frames();
  }
  is_reading_ = false;
  if (state_ != State::closed) read();
}

void Connection::take_frames() {
  std::span<const std::uint8_t> body;
  while (state_ == State::open) {
    switch (reader_.next(body)) {
      case FrameReader::Found::frame:
        ++stats_->frames_in;
        owner_->on_frame(*this, body);
        break;
      case FrameReader::Found::more:
        return;
      case FrameReader::Found::oversized:
        return lose(Drop::oversized, "a frame larger than allowed");
      case FrameReader::Found::empty:
        return lose(Drop::malformed, "an empty frame");
    }
  }
}

void Connection::lose(std::optional<Drop> fault, std::string_view why) {
  ConnectionOwner* owner = owner_;
  const auto self = shared_from_this();
  close();
  if (owner != nullptr) owner->on_lost(*this, fault, why);
}

void Connection::close() {
  owner_ = nullptr;
  stats_ = nullptr;
  state_ = State::closed;
  error_code ignored;
  stream_.socket().close(ignored);
  if (const auto gone = std::exchange(gone_, {})) gone();
}

void Connection::finish(std::function<void()> gone) {
  gone_ = std::move(gone);
  if (state_ != State::open) return close();
  owner_ = nullptr;
  stats_ = nullptr;
  state_ = State::finishing;
  flush();
  if (!is_writing_) shut_down_sending();
}

// The other side reads to the end and closes; closing first could destroy what it has not read yet.
void Connection::shut_down_sending() {
  error_code ignored;
  stream_.socket().shutdown(Socket::shutdown_send, ignored);
}

}  // namespace hapax::net
