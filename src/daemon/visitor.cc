#include "daemon/visitor.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <span>
#include <sys/socket.h>
#include <utility>

#include "net/tls.h"
#include "session/frames.h"

namespace hapax {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kRoom = 16384;

// The process at the other end as the kernel knows it; its pid is 0 if it cannot tell.
ucred peer_of(Visitor::Socket& socket) {
  ucred who{};
  socklen_t size = sizeof who;
  if (getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return {};
  return who.pid > 0 ? who : ucred{};
}

// For people's eyes: printable, and not too long.
std::string shown(std::string text) {
  if (text.size() > session::kLongestText) text.resize(session::kLongestText);
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

// What somebody is told whose answer is too long for a frame.
session::Refused too_long(const session::Answer& answer) {
  const auto request = std::visit(
      [](const auto& a) -> session::RequestId {
        if constexpr (requires { a.request; }) return a.request;
        return 0;
      },
      answer);
  return {request, "the answer is too long; ask for less, e.g. for one lock by its name"};
}

}  // namespace

Visitor::Visitor(Socket socket, std::shared_ptr<asio::ssl::context> tls, Handlers handlers)
    : tls_(std::move(tls)),
      stream_(std::move(socket), tls_.get()),
      handlers_(std::move(handlers)),
      patience_(stream_.socket().get_executor()),
      incoming_(kRoom) {
  boost::system::error_code gone;
  const auto here = stream_.socket().local_endpoint(gone);
  is_unix_ = !gone && here.protocol().family() == AF_UNIX;
  // Answers must not wait for each other; a Unix socket has no such option.
  error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay{true}, ignored);
}

void Visitor::start() {
  patience_.expires_after(kGreeting);
  patience_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && !self->introduced_) self->end("it did not introduce itself");
  });
  stream_.async_handshake(asio::ssl::stream_base::server,
                          [self = shared_from_this()](const error_code& failed) {
                            if (self->ended_) return;
                            if (failed) return self->end("TLS: " + failed.message());
                            if (self->tls_) {
                              auto name = net::peer_client_of(self->stream_.session());
                              if (!name)
                                return self->end("its certificate is not made out to a client");
                              self->certified_ = std::move(*name);
                            }
                            self->read();
                          });
}

void Visitor::introduce(const session::Hello& hello) {
  introduced_ = true;
  const auto known = static_cast<std::uint32_t>(peer_of(stream_.socket()).pid);
  pid_ = known != 0 ? known : hello.pid;
  has_our_pids_ = is_unix_ && known == hello.pid;
  host_ = shown(certified_.empty() ? hello.host : certified_ + "@" + hello.host);
  command_ = shown(hello.command);
}

void Visitor::has_job(const session::Job& job) {
  if (!has_our_pids_) return;
  job_ = ProcessGroup::led_by(static_cast<pid_t>(job.group), peer_of(stream_.socket()).uid);
}

bool Visitor::holds_anything() const {
  return std::any_of(requests.begin(), requests.end(),
                     [](const auto& entry) { return entry.second.held; });
}

void Visitor::read() {
  if (closing_ || ended_) return;
  if (incoming_.size() - filled_ < kRoom / 2) incoming_.resize(incoming_.size() * 2);
  stream_.async_read_some(asio::buffer(incoming_.data() + filled_, incoming_.size() - filled_),
                          [self = shared_from_this()](error_code error, std::size_t count) {
                            if (self->ended_ || self->closing_) return;
                            if (error) return self->end(error.message());
                            self->filled_ += count;
                            if (!self->take_frames()) return self->hang_up("malformed");
                            self->read();
                          });
}

bool Visitor::take_frames() {
  last_heard_ = Clock::now();
  std::span<const std::uint8_t> rest{incoming_.data(), filled_};
  while (!ended_ && !closing_) {
    session::Ask ask;
    const auto taken = session::take_frame(rest, session::kLargestAsk, ask);
    if (taken == session::Taken::malformed) return false;
    if (taken == session::Taken::more) break;
    if (std::holds_alternative<session::Hello>(ask) == introduced_) return false;
    handlers_.on_ask(*this, std::move(ask));
  }
  std::copy(rest.begin(), rest.end(), incoming_.begin());
  filled_ = rest.size();
  return true;
}

void Visitor::tell(const session::Answer& answer) {
  if (ended_ || overflown_) return;
  if (!session::write_frame(outgoing_, answer)) return tell(too_long(answer));
  if (outgoing_.size() > kMostUnread) {
    // Not at once: whoever tells may be in the middle of telling others.
    overflown_ = true;
    asio::post(stream_.socket().get_executor(),
               [self = shared_from_this()] { self->hang_up("it does not read its answers"); });
    return;
  }
  if (flush_posted_ || !writing_.empty()) return;
  flush_posted_ = true;
  asio::post(stream_.socket().get_executor(), [self = shared_from_this()] {
    self->flush_posted_ = false;
    self->flush();
  });
}

void Visitor::flush() {
  if (ended_ || !writing_.empty()) return;
  if (outgoing_.empty()) {
    if (closing_) end("closed");
    return;
  }
  std::swap(writing_, outgoing_);
  stream_.async_write(asio::buffer(writing_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        self->writing_.clear();
                        if (self->ended_) return;
                        if (error) return self->end(error.message());
                        self->flush();
                      });
}

void Visitor::close(bool kindly) {
  if (ended_) return;
  closing_ = true;
  was_hung_up_on_ = true;
  if (!kindly || (outgoing_.empty() && writing_.empty())) return end("closed");
  // It may not be reading.
  patience_.expires_after(kFarewell);
  patience_.async_wait([self = shared_from_this()](const error_code& cancelled) {
    if (!cancelled) self->end("it does not read its answers");
  });
}

void Visitor::hang_up(const std::string& why) {
  was_hung_up_on_ = true;
  end(why);
}

void Visitor::end(const std::string& why) {
  if (std::exchange(ended_, true)) return;
  patience_.cancel();
  error_code ignored;
  stream_.socket().close(ignored);
  handlers_.on_gone(*this, why);
}

}  // namespace hapax
