#include "visitors/session_stream.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <span>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

#include "handshake/handshake.h"
#include "loop/loop.h"
#include "net/endpoint.h"
#include "session/frames.h"
#include "tls/tls.h"

namespace hapax {
namespace {

using boost::system::error_code;

constexpr std::size_t kRoom = 2048;  // At first: there may be ten thousand of us.
// No more than there is room for in a socket that can be written to.
constexpr std::size_t kAtOnce = 16 * 1024;

// What somebody is told whose answer is too long for a frame.
session::Refused too_long(const session::Answer& answer) {
  return {session::request_of(answer),
          "the answer is too long; ask for less, e.g. for one lock by its name"};
}

}  // namespace

SessionStream::SessionStream(net::Socket socket, std::shared_ptr<net::TlsContext> tls)
    : tls_(std::move(tls)),
      stream_(std::move(socket), tls_ ? tls_->native_handle() : nullptr),
      patience_(stream_.loop()),
      incoming_(kRoom) {
  const auto here = net::here_of(stream_.fd());
  is_unix_ = here && here->is_unix();
  // Answers must not wait for each other; a Unix socket has no such option.
  const int on = 1;
  setsockopt(stream_.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

SessionStream::~SessionStream() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SessionStream::start() {
  patience_.expires_after(kGreeting);
  patience_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && !self->has_introduced_itself_) self->end();
  });
  stream_.async_handshake(net::Stream::Side::accepts,
                          [self = shared_from_this()](const error_code& failed) {
                            if (!self->ended_) self->shook_hands(failed);
                          });
}

void SessionStream::shook_hands(const error_code& failed) {
  SSL* const session = stream_.session();
  if (failed) {
    // One that only hangs up has nothing wrong with it.
    if (const auto trouble = stream_.tls_trouble()) on_refused(trouble_of(session, trouble).words);
    return end();
  }
  if (session == nullptr) return read();
  if (auto name = net::peer_client_of(session)) {
    certified_ = std::move(*name);
    return read();
  }
  const std::string holder = holder_of(SSL_get0_peer_certificate(session));
  on_refused(fmt::format("its certificate is made out to {}, and not to a client", holder));
  tell(session::Refused{0,
                        fmt::format("your certificate is made out to {}, and not to a client: make "
                                    "one with `hapax certs --clients NAME`",
                                    holder),
                        session::Refused::Kind::forbidden});
  close(true);
}

void SessionStream::read() {
  if (closing_ || ended_) return;
  if (incoming_.size() - filled_ < kRoom / 2) incoming_.resize(incoming_.size() * 2);
  stream_.async_read_some(std::span{incoming_}.subspan(filled_),
                          [self = shared_from_this()](const error_code& error, std::size_t count) {
                            if (self->ended_ || self->closing_) return;
                            if (error || count == 0) return self->end();
                            self->filled_ += count;
                            self->serve();
                          });
}

// What has come, a turn at a time; then more is read.
void SessionStream::serve() {
  if (closing_ || ended_) return;
  last_heard_ = Clock::now();  // If we have not listened yet, that is not its fault.
  if (!take_frames()) return hang_up();
  if (!has_more_) return read();
  stream_.loop().post([self = shared_from_this()] { self->serve(); });
}

bool SessionStream::take_frames() {
  const auto give_way = Clock::now() + kTurn;
  std::span<const std::uint8_t> rest{incoming_.data(), filled_};
  has_more_ = false;
  while (!ended_ && !closing_ && !has_more_) {
    session::Ask ask;
    const std::size_t largest =
        has_introduced_itself_ ? session::largest_ask(rest, version_) : session::kLargestAsk;
    const auto taken = session::take_frame(rest, largest, ask, version_);
    if (taken == session::Taken::malformed) return false;
    if (taken == session::Taken::more) break;
    const auto* hello = std::get_if<session::Hello>(&ask);
    if ((hello != nullptr) == std::exchange(has_introduced_itself_, true)) return false;
    // One that we do not speak is refused, in words that all understand.
    if (hello != nullptr && session::is_spoken(hello->version)) version_ = hello->version;
    on_ask(std::move(ask));
    has_more_ = Clock::now() >= give_way;
  }
  std::copy(rest.begin(), rest.end(), incoming_.begin());
  filled_ = rest.size();
  // Most say little: the room that one file took is not kept for the next.
  if (incoming_.size() > 4 * kRoom && filled_ < kRoom) {
    incoming_.resize(2 * kRoom);
    incoming_.shrink_to_fit();
  }
  return true;
}

void SessionStream::tell(const session::Answer& answer) {
  if (ended_ || overflown_) return;
  if (!session::write_frame(outgoing_, answer, version_)) return tell(too_long(answer));
  if (outgoing_.size() > kMostUnread) {
    // Not at once: whoever tells may be in the middle of telling others.
    overflown_ = true;
    stream_.loop().post([self = shared_from_this()] { self->hang_up(); });
    return;
  }
  if (!writing_.empty() || std::exchange(is_flush_due_, true)) return;
  stream_.loop().tell_at_end(shared_from_this());
}

void SessionStream::on_end_of_turn() {
  is_flush_due_ = false;
  flush();
}

void SessionStream::flush() {
  if (ended_ || !writing_.empty()) return;
  if (outgoing_.empty()) {
    if (closing_) end();
    return;
  }
  std::swap(writing_, outgoing_);
  if (descriptor_ >= 0) return write_with_descriptor();
  write_from(0);
}

void SessionStream::write_from(std::size_t first) {
  // A small answer goes out at once.
  first += stream_.write_now(std::span{writing_}.subspan(first));
  if (first == writing_.size()) {
    writing_.clear();
    return flush();
  }
  stream_.async_write(std::span{writing_}.subspan(first),
                      [self = shared_from_this()](const error_code& error, std::size_t) {
                        self->writing_.clear();
                        if (self->ended_) return;
                        if (error) return self->end();
                        self->flush();
                      });
}

// The first bytes are sent with the descriptor; or without, if that cannot be had at once. Whoever
// waits to be handed one makes us keep it open meanwhile; and who is hung up on because the kernel
// carries no more of them would be taken for dead.
void SessionStream::write_with_descriptor() {
  iovec bytes{writing_.data(), writing_.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptor_)> control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof descriptor_);
  std::memcpy(CMSG_DATA(rights), &descriptor_, sizeof descriptor_);
  const ssize_t sent = sendmsg(stream_.fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  ::close(std::exchange(descriptor_, -1));
  write_from(sent < 0 ? 0 : static_cast<std::size_t>(sent));
}

bool SessionStream::reads_along() {
  if (outgoing_.size() + writing_.size() > kAtOnce) return false;
  pollfd there{stream_.fd(), POLLOUT, 0};
  return poll(&there, 1, 0) == 1;
}

void SessionStream::close(bool kindly) {
  if (ended_) return;
  closing_ = true;
  was_hung_up_on_ = true;
  if (!kindly || (outgoing_.empty() && writing_.empty())) return end();
  // It may not be reading.
  patience_.expires_after(kFarewell);
  patience_.async_wait([self = shared_from_this()](const error_code& cancelled) {
    if (!cancelled) self->end();
  });
}

void SessionStream::hang_up() {
  was_hung_up_on_ = true;
  end();
}

void SessionStream::end() {
  if (std::exchange(ended_, true)) return;
  patience_.cancel();
  stream_.close();
  on_end();
}

}  // namespace hapax
