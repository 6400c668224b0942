#include "serve/health.h"

#include <array>
#include <utility>

#include "loop/timer.h"
#include "net/listener.h"
#include "streams/stream.h"

namespace hapax::cli {
namespace {

using boost::system::error_code;

constexpr std::size_t kMostVisits = 16;

struct Site {
  HttpPages pages;
  std::chrono::milliseconds patience;
  std::size_t visits = 0;  // Under way.
};

// One question, one answer. It lives until the socket is closed, by its answer or by the timer.
class Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(net::Socket socket, std::shared_ptr<Site> site)
      : stream_(std::move(socket), nullptr), timer_(stream_.loop()), site_(std::move(site)) {
    ++site_->visits;
  }
  ~Visit() { --site_->visits; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  void start() {
    timer_.expires_after(site_->patience);
    timer_.async_wait([self = shared_from_this()](const error_code&) { self->stream_.close(); });
    read();
  }

 private:
  void read() {
    stream_.async_read_some(chunk_,
                            [self = shared_from_this()](const error_code& error, std::size_t n) {
                              error || n == 0 ? self->end() : self->take(n);
                            });
  }

  void take(std::size_t count) {
    received_.append(chunk_.begin(), chunk_.begin() + static_cast<std::ptrdiff_t>(count));
    if (!has_whole_head(received_)) return read();
    answer_ = http_answer(received_, site_->pages);
    stream_.async_write(
        net::bytes_of(answer_),
        [self = shared_from_this()](const error_code&, std::size_t) { self->end(); });
  }

  void end() {
    if (stream_.is_open()) stream_.shut_down_sending();
    timer_.cancel();  // Which closes it.
  }

  net::Stream stream_;
  Timer timer_;
  std::shared_ptr<Site> site_;
  std::array<std::uint8_t, 1024> chunk_{};
  std::string received_;
  std::string answer_;
};

}  // namespace

Result<std::unique_ptr<Health>> Health::open(Loop& io, const net::Address& address, HttpPages pages,
                                             std::chrono::milliseconds patience) {
  if (!address.is_local()) {
    return error("metrics are shown on this machine only, not at {}; use 127.0.0.1:{}",
                 address.text(), address.port);
  }
  auto site = std::make_shared<Site>(Site{std::move(pages), patience});
  auto listener = net::Listener::open(io, address, [site](net::Socket socket) {
    if (site->visits >= kMostVisits) return;  // Closing it is also an answer.
    std::make_shared<Visit>(std::move(socket), site)->start();
  });
  if (!listener) return listener.error();
  (*listener)->start();
  return std::unique_ptr<Health>{new Health{std::move(*listener)}};
}

Health::Health(std::shared_ptr<net::Listener> listener) : listener_(std::move(listener)) {}
Health::~Health() { close(); }

const net::Address& Health::address() const { return listener_->address(); }
void Health::close() { listener_->close(); }

}  // namespace hapax::cli
