#include "net/dialer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <sys/socket.h>

namespace hapax::net {

using boost::system::error_code;
using std::chrono::milliseconds;

Dialer::Dialer(Loop& io, Address address, Pace pace, std::uint64_t seed, OnSocket on_socket,
               OnFailure on_failure)
    : timer_(io),
      socket_(io, -1),
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
  look_up_later(address_, timer_.loop().inbox(),
                [self = shared_from_this(), attempt](const Found& found) {
                  if (!self->is_current(attempt)) return;
                  if (!found) return self->fail(found.error().message);
                  self->endpoints_ = *found;
                  self->connect(0);
                });
}

void Dialer::connect(std::size_t next) {
  const Endpoint& to = endpoints_[next];
  Loop& loop = timer_.loop();
  hang_up();
  socket_ = Socket{loop, ::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  int error = socket_.fd() < 0 ? errno : 0;
  if (error == 0 && ::connect(socket_.fd(), to.data(), to.size) != 0) error = errno;
  const auto then = [self = shared_from_this(), attempt = attempt_, next](int failed) {
    if (self->is_current(attempt)) self->connected(next, failed);
  };
  // In any case a moment later.
  if (error != EINPROGRESS) return loop.post([then, error] { then(error); });
  ready_ = std::make_unique<Readiness>(loop, socket_.fd());
  ready_->await_writable([then, ready = ready_.get(), fd = socket_.fd()] {
    int failed = 0;
    socklen_t size = sizeof failed;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size);
    then(failed != 0 ? failed : ready->refusal());
  });
}

void Dialer::connected(std::size_t next, int error) {
  if (error != 0 && next + 1 < endpoints_.size()) return connect(next + 1);
  if (error != 0) return fail(std::strerror(error));
  ++attempt_;
  timer_.cancel();
  ready_.reset();
  on_socket_(std::move(socket_));
}

void Dialer::hang_up() {
  ready_.reset();
  socket_.close();
}

void Dialer::fail(std::string_view why) {
  ++attempt_;
  hang_up();
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
  hang_up();
}

}  // namespace hapax::net
