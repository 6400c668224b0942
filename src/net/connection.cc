#include "net/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/check.h"
#include "base/credentials.h"
#include "handshake/handshake.h"
#include "net/endpoint.h"

namespace hapax::net {
namespace {

using boost::system::error_code;

std::string text_of(int fd) {
  const auto remote = there_of(fd);
  return remote ? remote->text() : "somebody who left";
}

}  // namespace

Connection::Connection(Socket socket, std::shared_ptr<TlsContext> tls, Side side,
                       ConnectionOwner& owner, Stats& stats)
    : tls_(std::move(tls)),
      stream_(std::move(socket), tls_ ? tls_->native_handle() : nullptr),
      side_(side),
      owner_(&owner),
      stats_(&stats),
      remote_(text_of(stream_.fd())) {
  // Small messages must not wait for each other; a Unix socket has no such option.
  const int on = 1;
  setsockopt(stream_.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void Connection::start() {
  stream_.async_handshake(side_, [self = shared_from_this()](const error_code& failed) {
    if (self->state_ != State::opening) return;
    if (failed) {
      // One that only hangs up is no stranger yet.
      const bool is_stranger = self->stream_.tls_trouble() != 0;
      return self->lose(is_stranger ? std::optional{Drop::stranger} : std::nullopt,
                        self->words_of(failed));
    }
    self->state_ = State::open;
    self->owner_->on_open(*self);
    if (self->state_ != State::closed) self->read();
  });
}

std::string Connection::words_of(const error_code& failed) {
  if (const auto trouble = stream_.tls_trouble()) {
    return "TLS: " + trouble_of(session(), trouble).words;
  }
  return "the connection broke: " + failed.message();
}

std::optional<uid_t> Connection::user() {
  const auto who = credentials_of(stream_.fd());
  return who ? std::optional{who->uid} : std::nullopt;
}

void Connection::flush() {
  if (is_writing_ || out_.empty() || state_ == State::closed) return;
  writing_.swap(out_);
  spoken_ = true;
  if (stats_ != nullptr) ++stats_->writes;
  // The socket takes a small write at once, and then waiting for its completion would only cost the
  // loop another round.
  const std::size_t written = stream_.write_now(writing_);
  if (stats_ != nullptr) stats_->bytes_out += written;
  if (written == writing_.size()) return writing_.clear();
  is_writing_ = true;
  stream_.async_write(std::span{writing_}.subspan(written),
                      [self = shared_from_this()](const error_code& error, std::size_t n) {
                        self->write_done(error, n);
                      });
}

void Connection::write_done(const error_code& failed, std::size_t count) {
  is_writing_ = false;
  writing_.clear();
  if (state_ == State::closed) return;
  if (failed) return lose(std::nullopt, failed.message());
  if (stats_ != nullptr) stats_->bytes_out += count;
  if (state_ == State::finishing) {
    flush();
    if (!is_writing_) stream_.shut_down_sending();
  } else {
    owner_->on_written(*this);
  }
}

void Connection::read() {
  if (is_held_ && state_ == State::open) return;
  is_reading_ = true;
  stream_.async_read_some(reader_.room(),
                          [self = shared_from_this()](const error_code& error, std::size_t n) {
                            self->read_done(error, n);
                          });
}

void Connection::hold(bool on) {
  is_held_ = on;
  if (!on && !is_reading_ && state_ == State::open) read();
}

void Connection::read_done(const error_code& failed, std::size_t count) {
  if (state_ == State::closed) return;
  if (failed) return lose(std::nullopt, words_of(failed));
  if (count == 0) return lose(std::nullopt, "the connection broke: it has ended");
  heard_ = true;
  if (state_ == State::open) {
    stats_->bytes_in += count;
    reader_.commit(count);
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
  stream_.close();
  if (const auto gone = std::exchange(gone_, {})) gone();
}

void Connection::finish(std::function<void()> gone) {
  gone_ = std::move(gone);
  if (state_ != State::open) return close();
  owner_ = nullptr;
  stats_ = nullptr;
  state_ = State::finishing;
  flush();
  // The other side reads to the end and closes; closing first could destroy what it has not read.
  if (!is_writing_) stream_.shut_down_sending();
}

}  // namespace hapax::net
