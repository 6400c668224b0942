#include "streams/stream.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string>
#include <sys/socket.h>
#include <tuple>

namespace hapax::net {
namespace {

using boost::system::error_code;
using Bytes = std::vector<std::uint8_t>;

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

// Who believes everybody, with a certificate of its own making.
Context make_context() {
  Context context{SSL_CTX_new(TLS_method())};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = X509_new();
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_sign(certificate, key, EVP_sha256());
  EXPECT_EQ(SSL_CTX_use_certificate(context.get(), certificate), 1);
  EXPECT_EQ(SSL_CTX_use_PrivateKey(context.get(), key), 1);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return context;
}

Bytes much(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  return bytes;
}

// What one side hears, until the end of it or until it has enough.
struct Ear {
  void listen(Stream& stream, std::size_t enough) {
    stream.async_read_some(room, [this, &stream, enough](const error_code& error, std::size_t n) {
      failed = error;
      has_ended = !error && n == 0;
      heard.insert(heard.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(n));
      if (!error && n > 0 && heard.size() < enough) listen(stream, enough);
    });
  }

  std::array<std::uint8_t, 3000> room{};
  Bytes heard;
  bool has_ended = false;
  error_code failed;
};

// Two that talk to each other: in the clear or under TLS.
class StreamTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      context = make_context();
      SSL_CTX_set_num_tickets(context.get(), 0);  // As ours: nothing is left unread at the end.
    }
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const int little = 4096;
    for (const int end : ends) {
      setsockopt(end, SOL_SOCKET, SO_SNDBUF, &little, sizeof little);
      setsockopt(end, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    }
    one = std::make_unique<Stream>(Socket{loop, ends[0]}, context.get());
    two = std::make_unique<Stream>(Socket{loop, ends[1]}, context.get());
    int shaken = 0;
    const auto then = [&](const error_code& failed) { shaken += failed ? 0 : 1; };
    one->async_handshake(Stream::Side::dials, then);
    two->async_handshake(Stream::Side::accepts, then);
    run();
    ASSERT_EQ(shaken, 2);
  }
  // Until nobody waits for anything, or no longer than that.
  void run() {
    loop.restart();
    loop.run_for(std::chrono::seconds{5});
  }

  Context context;  // Null: in the clear.
  Loop loop;
  std::unique_ptr<Stream> one;
  std::unique_ptr<Stream> two;
};

INSTANTIATE_TEST_SUITE_P(, StreamTest, ::testing::Bool(), [](const auto& info) {
  return std::string{info.param ? "UnderTls" : "InTheClear"};
});

TEST_P(StreamTest, BothSayMuchAtOnce) {
  const Bytes here = much(3'000'001);
  const Bytes there = much(2'000'003);
  std::size_t written = 0;
  const auto then = [&](const error_code& failed, std::size_t n) { written += failed ? 0 : n; };
  Ear first;
  Ear second;
  first.listen(*one, there.size());
  second.listen(*two, here.size());
  one->async_write(here, then);
  two->async_write(there, then);
  run();
  EXPECT_EQ(written, here.size() + there.size());
  EXPECT_TRUE(first.heard == there);
  EXPECT_TRUE(second.heard == here);
}

// As epoll says no to more than it has room for, it says no to a file.
TEST_P(StreamTest, SaysWhyTheKernelWillNotLook) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  Stream stream{Socket{loop, dup(fileno(file))}, context.get()};
  std::fclose(file);
  Ear ear;
  error_code written;
  ear.listen(stream, 1);
  stream.async_write(bytes_of("hello"), [&](const error_code& failed, auto) { written = failed; });
  run();
  EXPECT_EQ(ear.failed, boost::system::errc::operation_not_permitted);
  EXPECT_EQ(written, boost::system::errc::operation_not_permitted);
}

TEST_P(StreamTest, SaysInAHandshakeWhyTheKernelWillNotLook) {
  if (!context) GTEST_SKIP() << "in the clear nobody shakes hands";
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  Stream stream{Socket{loop, dup(fileno(file))}, context.get()};
  std::fclose(file);
  error_code shaken;
  stream.async_handshake(Stream::Side::dials, [&](const error_code& failed) { shaken = failed; });
  run();
  EXPECT_EQ(shaken, boost::system::errc::operation_not_permitted);
}

TEST_P(StreamTest, OneThatEndsMayStillListen) {
  Ear first;
  Ear second;
  second.listen(*two, 1);
  one->shut_down_sending();
  run();
  EXPECT_TRUE(second.has_ended);
  first.listen(*one, 5);
  two->async_write(bytes_of("hello"), [](const error_code& failed, auto) { EXPECT_FALSE(failed); });
  run();
  EXPECT_EQ(first.heard, Bytes({'h', 'e', 'l', 'l', 'o'}));
}

TEST_P(StreamTest, HearsTheEndAfterAllThatWasSaid) {
  const Bytes all = much(500'000);
  Ear ear;
  ear.listen(*two, SIZE_MAX);
  one->async_write(all, [&](const auto&...) { one.reset(); });
  run();
  EXPECT_TRUE(ear.heard == all);
  EXPECT_TRUE(ear.has_ended);
}

TEST_P(StreamTest, EndsWhatIsUnderWayWhenItIsClosed) {
  Ear ear;
  ear.listen(*one, 1);
  const Bytes all = much(500'000);
  error_code told;
  one->async_write(all, [&](const error_code& failed, std::size_t) { told = failed; });
  loop.poll();
  EXPECT_FALSE(told);
  one->close();
  EXPECT_FALSE(told);  // Not from inside.
  run();
  EXPECT_EQ(told, boost::system::errc::operation_canceled);
  EXPECT_EQ(ear.failed, boost::system::errc::operation_canceled);
}

TEST_P(StreamTest, MayEndInItsOwnHandler) {
  std::array<std::uint8_t, 10> room;
  bool is_written = false;
  two->async_read_some(room, [&](const auto&...) { two.reset(); });
  const Bytes all = much(500'000);
  two->async_write(all, [&](const auto&...) { is_written = true; });
  one->async_write(bytes_of("bye"), [](const auto&...) {});
  run();
  EXPECT_EQ(two, nullptr);
  EXPECT_TRUE(is_written);
}

TEST_P(StreamTest, TellsThatNobodyTakesWhatItSays) {
  if (context) SSL_shutdown(two->session());  // A farewell.
  two.reset();
  Ear ear;
  ear.listen(*one, 1);
  run();
  EXPECT_TRUE(ear.has_ended);
  error_code told;
  const Bytes all = much(500'000);
  one->async_write(all, [&](const error_code& failed, std::size_t) { told = failed; });
  run();
  EXPECT_TRUE(told);
}

// --- what another implementation of TLS may do ---

// The other side, byte by byte.
class TlsPeer {
 public:
  TlsPeer(SSL_CTX* context, int fd) : fd_(fd), session_(SSL_new(context)) {
    SSL_set_bio(session_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(session_);
  }
  ~TlsPeer() {
    SSL_free(session_);
    close(fd_);
  }
  TlsPeer(const TlsPeer&) = delete;
  TlsPeer& operator=(const TlsPeer&) = delete;

  SSL* session() { return session_; }
  void hear() {
    std::array<char, 4096> room;
    for (ssize_t n = 0; (n = recv(fd_, room.data(), room.size(), MSG_DONTWAIT)) > 0;) {
      BIO_write(SSL_get_rbio(session_), room.data(), static_cast<int>(n));
    }
  }
  // No more than so much of what it has to say.
  void say(std::size_t most = SIZE_MAX) {
    std::array<char, 100> room;
    while (most > 0) {
      const auto size = static_cast<int>(std::min(most, room.size()));
      const int n = BIO_read(SSL_get_wbio(session_), room.data(), size);
      if (n <= 0) return;
      EXPECT_EQ(send(fd_, room.data(), static_cast<std::size_t>(n), 0), n);
      most -= static_cast<std::size_t>(n);
    }
  }

 private:
  const int fd_;
  SSL* const session_;
};

// What is said while a message of the handshake is under way waits for the rest of it. It must not
// make all that is said later wait for the other side, too.
TEST(TlsStream, SpeaksFirstAgainAfterItHadToListen) {
  const Context context = make_context();
  SSL_CTX_set_session_ticket_cb(
      context.get(),
      [](SSL* session, void*) {
        const Bytes more(1'000);
        return SSL_SESSION_set1_ticket_appdata(SSL_get_session(session), more.data(), more.size());
      },
      [](auto...) -> SSL_TICKET_RETURN { return SSL_TICKET_RETURN_IGNORE; }, nullptr);
  Loop loop;
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  Stream stream{Socket{loop, ends[0]}, context.get()};
  TlsPeer peer{context.get(), ends[1]};
  SSL_set_max_send_fragment(peer.session(), 512);
  bool is_shaken = false;
  stream.async_handshake(Stream::Side::dials, [&](const auto& failed) { is_shaken = !failed; });
  const auto turn = [&] {
    loop.restart();
    loop.poll();
    peer.hear();
  };
  turn();
  SSL_do_handshake(peer.session());
  peer.say();
  turn();
  ASSERT_TRUE(is_shaken);
  ASSERT_EQ(SSL_do_handshake(peer.session()), 1);  // Which has tickets for us, in pieces.
  Ear ear;
  ear.listen(stream, 1);
  peer.say(700);
  turn();
  int written = 0;
  stream.async_write(bytes_of("one"), [&](const auto&...) { ++written; });
  turn();
  EXPECT_EQ(written, 0);
  peer.say();
  turn();
  EXPECT_EQ(written, 1);
  stream.async_write(bytes_of("two"), [&](const auto&...) { ++written; });
  turn();
  EXPECT_EQ(written, 2);
  std::array<char, 10> room;
  EXPECT_EQ(SSL_read(peer.session(), room.data(), 10), 3);
  SSL_key_update(peer.session(), SSL_KEY_UPDATE_REQUESTED);
  SSL_write(peer.session(), "!", 1);
  peer.say();
  turn();
  EXPECT_EQ(ear.heard, Bytes{'!'});
  stream.async_write(bytes_of("three"), [&](const auto&...) { ++written; });
  turn();
  EXPECT_EQ(SSL_read(peer.session(), room.data(), 10), 3);
  EXPECT_EQ(SSL_read(peer.session(), room.data(), 10), 5);
  stream.close();
  loop.poll();
}

}  // namespace
}  // namespace hapax::net
