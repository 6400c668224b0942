#include "streams/stream.h"

#include <cerrno>
#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <utility>

#include "base/check.h"
#include "handshake/quiet_bio.h"

namespace hapax::net {
namespace {

namespace errc = boost::system::errc;
using boost::system::error_code;

error_code last_error() { return {errno, boost::system::system_category()}; }
bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

void Stream::Free::operator()(SSL* session) const { SSL_free(session); }

Stream::Stream(Socket socket, SSL_CTX* tls)
    : Descriptor(socket.loop(), socket.fd()), socket_(std::move(socket)) {
  int on = 1;
  ioctl(fd(), FIONBIO, &on);
  if (tls == nullptr) return;
  tls_.reset(SSL_new(tls));
  BIO* bio = tls_ ? make_quiet_bio(socket_.fd()) : nullptr;
  if (bio == nullptr) throw std::bad_alloc{};
  SSL_set_bio(tls_.get(), bio, bio);
  SSL_set_mode(tls_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                               SSL_MODE_RELEASE_BUFFERS);
}

Stream::~Stream() { close(); }

void Stream::async_handshake(Side side, Once<Error> handler) {
  HAPAX_CHECK(!on_shaken_);
  if (!tls_) {
    return loop().post([handler = std::move(handler)]() mutable { handler(error_code{}); });
  }
  side == Side::dials ? SSL_set_connect_state(tls_.get()) : SSL_set_accept_state(tls_.get());
  on_shaken_ = std::move(handler);
  wait();
}

void Stream::async_read_some(std::span<std::uint8_t> room, Once<Error, std::size_t> handler) {
  HAPAX_CHECK(!on_read_);
  room_ = room;
  reading_ = Want::to_read;
  on_read_ = std::move(handler);
  wait();
}

void Stream::async_write(std::span<const std::uint8_t> bytes, Once<Error, std::size_t> handler) {
  HAPAX_CHECK(!on_written_);
  bytes_ = bytes;
  written_ = 0;
  writing_ = Want::to_write;
  on_written_ = std::move(handler);
  wait();
}

std::size_t Stream::write_now(std::span<const std::uint8_t> bytes) {
  if (tls_) return 0;
  const ssize_t count = send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

void Stream::wait() {
  const auto wants = [this](Want want) {
    return (on_shaken_ && shaking_ == want) || (on_read_ && reading_ == want) ||
           (on_written_ && writing_ == want);
  };
  if (!is_open()) return;
  if (wants(Want::to_read) && !awaits_readable()) await_readable();
  if (wants(Want::to_write) && !awaits_writable()) await_writable();
}

// The handlers come last: they may be our end.
void Stream::go_on(bool may_read, bool may_write) {
  if (refusal() != 0) return give_up({refusal(), boost::system::system_category()});
  if (on_shaken_) return shake_hands();
  Step read;
  Step write;
  if (may_read && on_read_) read = read_some();
  if (may_write && on_written_) write = write_on();
  Once<Error, std::size_t> on_read;
  Once<Error, std::size_t> on_written;
  if (read.is_over) on_read = std::move(on_read_);
  if (write.is_over) on_written = std::move(on_written_);
  wait();
  if (on_read) on_read(read.error, read.count);
  if (on_written) on_written(write.error, write.count);
}

void Stream::shake_hands() {
  ERR_clear_error();
  const Step step = after_tls(SSL_do_handshake(tls_.get()), 1, shaking_);
  if (!step.is_over) return wait();
  const bool has_ended = !step.error && step.count == 0;
  on_shaken_(has_ended ? errc::make_error_code(errc::connection_aborted) : step.error);
}

Stream::Step Stream::read_some() {
  if (tls_) {
    ERR_clear_error();
    std::size_t count = 0;
    return after_tls(SSL_read_ex(tls_.get(), room_.data(), room_.size(), &count), count, reading_);
  }
  const ssize_t count = recv(fd(), room_.data(), room_.size(), 0);
  if (count >= 0) {
    if (static_cast<std::size_t>(count) < room_.size()) has_given_all();
    return {true, {}, static_cast<std::size_t>(count)};
  }
  if (errno == EINTR) return {};  // It is as readable as before.
  if (!would_block()) return {true, last_error(), 0};
  has_nothing();
  return {};
}

Stream::Step Stream::write_on() {
  while (written_ < bytes_.size()) {
    const auto rest = bytes_.subspan(written_);
    if (tls_) {
      ERR_clear_error();
      std::size_t count = 0;
      const int result = SSL_write_ex(tls_.get(), rest.data(), rest.size(), &count);
      Step step = after_tls(result, count, writing_);
      if (result != 1) {
        // That the other side has ended is no error to who reads, but it is here.
        if (step.is_over && !step.error) step.error = errc::make_error_code(errc::broken_pipe);
        return step;
      }
      written_ += count;
      continue;
    }
    const ssize_t count = send(fd(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0) {
      if (errno == EINTR) continue;
      if (!would_block()) return {true, last_error(), written_};
      has_no_room();
      return {};
    }
    written_ += static_cast<std::size_t>(count);
  }
  return {true, {}, written_};
}

Stream::Step Stream::after_tls(int result, std::size_t count, Want& want) {
  if (result == 1) return {true, {}, count};
  const int why = SSL_get_error(tls_.get(), result);
  switch (why) {
    case SSL_ERROR_WANT_READ:
      want = Want::to_read;
      has_nothing();
      return {};
    case SSL_ERROR_WANT_WRITE:
      want = Want::to_write;
      has_no_room();
      return {};
    case SSL_ERROR_ZERO_RETURN:
      return {true, {}, 0};
    case SSL_ERROR_SYSCALL:
      return {true, errno == 0 ? error_code{} : last_error(), 0};
    default:
      break;
  }
  const unsigned long trouble = ERR_get_error();
  // Hanging up without a word is nothing that TLS has against the other side.
  if (ERR_GET_REASON(trouble) == SSL_R_UNEXPECTED_EOF_WHILE_READING) return {true, {}, 0};
  tls_trouble_ = trouble;
  return {true, errc::make_error_code(errc::protocol_error), 0};
}

void Stream::close() {
  if (!is_open()) return;
  Descriptor::close();
  socket_.close();
  give_up(errc::make_error_code(errc::operation_canceled));
}

void Stream::give_up(const error_code& why) {
  if (on_shaken_) {
    loop().post([why, handler = std::move(on_shaken_)]() mutable { handler(why); });
  }
  for (auto* const waiting : {&on_read_, &on_written_}) {
    if (!*waiting) continue;
    loop().post([why, handler = std::move(*waiting)]() mutable { handler(why, 0); });
  }
}

void Stream::shut_down_sending() { shutdown(fd(), SHUT_WR); }

void Stream::drop_into(std::vector<Task>& dropped) {
  dropped.emplace_back([handler = std::move(on_shaken_)] {});
  dropped.emplace_back([handler = std::move(on_read_)] {});
  dropped.emplace_back([handler = std::move(on_written_)] {});
}

}  // namespace hapax::net
