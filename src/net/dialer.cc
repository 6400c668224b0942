#include "net/dialer.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <string>

#include "net/private_socket.h"

namespace hapax::net {

using boost::system::error_code;
using std::chrono::milliseconds;

Dialer::Dialer(boost::asio::io_context& io, Address address, Pace pace, std::uint64_t seed,
               OnSocket on_socket, OnFailure on_failure)
    : resolver_(io),
      timer_(io),
      socket_(io),
      address_(std::move(address)),
      pace_(pace),
      wait_(pace.min),
      prng_(seed),
      on_socket_(std::move(on_socket)),
      on_failure_(std::move(on_failure)) {}

void Dialer::dial() {
  const std::uint64_t attempt = ++attempt_;
  timer_.expires_after(pace_.patience);
  timer_.async_wait([self = shared_from_this(), attempt](const error_code& cancelled) {
    if (!cancelled && self->is_current(attempt)) self->fail("no answer");
  });
  endpoints_.clear();
  if (const auto endpoint = endpoint_of(address_)) {
    endpoints_.push_back(*endpoint);
    return connect(0);
  }
  resolver_.async_resolve(
      address_.host, std::to_string(address_.port),
      [self = shared_from_this(), attempt](const error_code& failed, const auto& found) {
        if (!self->is_current(attempt)) return;
        if (failed) return self->fail("cannot find the host: " + failed.message());
        for (const auto& entry : found) self->endpoints_.emplace_back(entry.endpoint());
        self->connect(0);
      });
}

void Dialer::connect(std::size_t next) {
  socket_ = Socket{timer_.get_executor()};
  error_code cannot;
  open_private(socket_, endpoints_[next].protocol(), cannot);
  if (cannot) {
    return boost::asio::post(timer_.get_executor(), [self = shared_from_this(), attempt = attempt_,
                                                     why = cannot.message()] {
      if (self->is_current(attempt)) self->fail(why);
    });
  }
  socket_.async_connect(endpoints_[next], [self = shared_from_this(), attempt = attempt_,
                                           next](const error_code& failed) {
    if (!self->is_current(attempt)) return;
    if (failed && next + 1 < self->endpoints_.size()) return self->connect(next + 1);
    if (failed) return self->fail(failed.message());
    ++self->attempt_;
    self->timer_.cancel();
    self->on_socket_(std::move(self->socket_));
  });
}

void Dialer::fail(std::string_view why) {
  ++attempt_;
  error_code ignored;
  socket_.close(ignored);
  resolver_.cancel();
  on_failure_(why);
  if (!closed_) dial_later();
}

void Dialer::dial_later() {
  const std::uint64_t attempt = ++attempt_;
  // Half of it is random: members that lost the same peer do not come back in step.
  const auto half = static_cast<std::uint64_t>(std::max<milliseconds::rep>(wait_.count() / 2, 1));
  timer_.expires_after(milliseconds{half + prng_.below(half + 1)});
  wait_ = std::min(wait_ * 2, pace_.max);
  timer_.async_wait([self = shared_from_this(), attempt](const error_code& cancelled) {
    if (!cancelled && self->is_current(attempt)) self->dial();
  });
}

void Dialer::close() {
  ++attempt_;
  closed_ = true;
  timer_.cancel();
  resolver_.cancel();
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace hapax::net
