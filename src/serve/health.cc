#include "serve/health.h"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <utility>

#include "net/listener.h"

namespace hapax::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;

constexpr std::size_t kMostVisits = 16;
constexpr std::uint32_t kLargestHeader = 8192;
constexpr std::chrono::seconds kPatience{5};

using Stream = beast::basic_stream<asio::generic::stream_protocol>;
using Response = http::response<http::string_body>;

// One question, one answer.
class Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(net::Socket socket, std::function<std::string()> metrics,
        std::shared_ptr<std::size_t> count)
      : stream_(std::move(socket)), metrics_(std::move(metrics)), count_(std::move(count)) {
    ++*count_;
    parser_.header_limit(kLargestHeader);
    parser_.body_limit(0);
  }
  ~Visit() { --*count_; }

  void start() {
    stream_.expires_after(kPatience);
    http::async_read_header(stream_, buffer_, parser_,
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (!error) self->answer();
                            });
  }

 private:
  void answer() {
    const auto& request = parser_.get();
    response_.version(request.version());
    response_.keep_alive(false);
    response_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
    const beast::string_view path = request.target().substr(0, request.target().find('?'));
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      response_.result(http::status::method_not_allowed);
      response_.body() = "use GET\n";
    } else if (path == "/metrics") {
      response_.body() = metrics_();
    } else if (path == "/healthz") {
      response_.body() = "ok\n";
    } else {
      response_.result(http::status::not_found);
      response_.body() = "there are /metrics and /healthz\n";
    }
    response_.prepare_payload();
    if (request.method() == http::verb::head) response_.body().clear();
    http::async_write(stream_, response_, [self = shared_from_this()](error_code, std::size_t) {
      error_code ignored;
      self->stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
    });
  }

  Stream stream_;
  std::function<std::string()> metrics_;
  std::shared_ptr<std::size_t> count_;
  beast::flat_buffer buffer_{kLargestHeader};
  http::request_parser<http::empty_body> parser_;
  Response response_;
};

}  // namespace

class Health::Impl {
 public:
  Result<void> open(asio::io_context& io, const net::Address& address,
                    std::function<std::string()> metrics) {
    auto listener = net::Listener::open(
        io, address, [metrics = std::move(metrics), count = count_](net::Socket socket) {
          if (*count >= kMostVisits) return;  // Closing it is an answer, too.
          std::make_shared<Visit>(std::move(socket), metrics, count)->start();
        });
    if (!listener) return listener.error();
    listener_ = *listener;
    listener_->start();
    return {};
  }

  std::shared_ptr<net::Listener> listener_;

 private:
  std::shared_ptr<std::size_t> count_ = std::make_shared<std::size_t>(0);
};

Health::Health(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Health::~Health() { close(); }

Result<std::unique_ptr<Health>> Health::open(asio::io_context& io, const net::Address& address,
                                             std::function<std::string()> metrics) {
  if (!address.is_local()) {
    return error("metrics are shown on this machine only, not at {}; use 127.0.0.1:{}",
                 address.text(), address.port);
  }
  auto impl = std::make_shared<Impl>();
  if (auto opened = impl->open(io, address, std::move(metrics)); !opened) return opened.error();
  return std::unique_ptr<Health>{new Health{std::move(impl)}};
}

const net::Address& Health::address() const { return impl_->listener_->address(); }
void Health::close() { impl_->listener_->close(); }

}  // namespace hapax::cli
