#include "client/tls_session.h"

#include <fmt/format.h>
#include <mutex>
#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <utility>

#include "base/await.h"
#include "client/socket.h"
#include "handshake/quiet_bio.h"

namespace hapax::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// What the session waits for; 0 if it is over.
short events_for(SSL* session, int result) {
  switch (SSL_get_error(session, result)) {
    case SSL_ERROR_WANT_READ:
      return POLLIN;
    case SSL_ERROR_WANT_WRITE:
      return POLLOUT;
    default:
      return 0;
  }
}

class Session final : public TlsSession {
 public:
  Session(int fd, SSL_CTX* context) : fd_(fd), ssl_(SSL_new(context)) {
    BIO* bio = ssl_ ? make_quiet_bio(fd) : nullptr;
    if (bio == nullptr) throw std::bad_alloc{};
    SSL_set_bio(ssl_.get(), bio, bio);
  }

  void begin(const net::Address& address, steady_clock::time_point deadline) {
    using Kind = HandshakeTrouble::Kind;
    for (int result = 0; (result = SSL_connect(ssl_.get())) != 1;) {
      const short events = events_for(ssl_.get(), result);
      if (events == 0) fail_for(address, trouble_of(ssl_.get(), ERR_get_error()));
      if (!await(fd_, events, deadline)) fail_for(address, {Kind::other, "no answer in time"});
    }
    if (net::peer_of(ssl_.get())) return;
    X509* shown = SSL_get0_peer_certificate(ssl_.get());
    fail_for(address,
             {Kind::we_refuse, fmt::format("its certificate is made out to {}, not to a member",
                                           shown == nullptr ? "nobody" : holder_of(shown))});
  }

  bool write(std::span<const std::uint8_t> bytes) noexcept override {
    while (!bytes.empty()) {
      std::unique_lock lock{mutex_};
      ERR_clear_error();
      std::size_t count = 0;
      const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count);
      const short events = result == 1 ? 0 : events_for(ssl_.get(), result);
      lock.unlock();
      if (result == 1) {
        bytes = bytes.subspan(count);
      } else if (events == 0 || !await(fd_, events, forever())) {
        return false;
      }
    }
    return true;
  }

  // Bytes that have arrived may already be in the session, so it is asked before the socket.
  std::ptrdiff_t read(std::span<std::uint8_t> room, milliseconds patience) noexcept override {
    for (const bool is_last : {false, true}) {
      std::unique_lock lock{mutex_};
      ERR_clear_error();
      std::size_t count = 0;
      const int result = SSL_read_ex(ssl_.get(), room.data(), room.size(), &count);
      if (result == 1) return static_cast<std::ptrdiff_t>(count);
      const short events = events_for(ssl_.get(), result);
      if (events == 0 && ERR_peek_error() != 0) trouble_ = trouble_of(ssl_.get(), ERR_get_error());
      lock.unlock();
      if (events == 0) return -1;
      if (is_last || !await(fd_, events, steady_clock::now() + patience)) return 0;
    }
    return 0;
  }

  std::optional<HandshakeTrouble> trouble() override {
    const std::lock_guard lock{mutex_};
    return trouble_;
  }

 private:
  struct Free {
    void operator()(SSL* session) const { SSL_free(session); }
  };

  const int fd_;
  std::mutex mutex_;  // Guards what follows: a TLS session is for one thread at a time.
  std::unique_ptr<SSL, Free> ssl_;
  std::optional<HandshakeTrouble> trouble_;
};

class Identity final : public TlsIdentity {
 public:
  explicit Identity(std::shared_ptr<net::TlsContext> context) : context_(std::move(context)) {}

  std::unique_ptr<TlsSession> shake_hands(int fd, const net::Address& address,
                                          steady_clock::time_point deadline) override {
    ERR_clear_error();
    auto session = std::make_unique<Session>(fd, context_->native_handle());
    session->begin(address, deadline);
    return session;
  }

 private:
  const std::shared_ptr<net::TlsContext> context_;
};

}  // namespace

Result<std::shared_ptr<TlsIdentity>> load_identity(const net::TlsFiles& files) {
  auto context = net::make_tls_context(files);
  if (!context) return context.error();
  return std::shared_ptr<TlsIdentity>{std::make_shared<Identity>(*context)};
}

}  // namespace hapax::client
