// Clients under TLS, as from other machines: who has no client's certificate stays outside.
#include <arpa/inet.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <gmock/gmock.h>
#include <memory>
#include <mutex>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string>
#include <vector>

#include "base/testing/folder.h"
#include "base/testing/free_port.h"
#include "base/testing/strangers.h"
#include "certs/certs.h"
#include "daemon/daemon_thread.h"
#include "hapax/hapax.h"
#include "loop/loop.h"

namespace hapax {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using Tcp = asio::ip::tcp;
using ::testing::HasSubstr;

// A daemon whose clients come over TLS, with certificates of its authority.
class TlsClients : public ::testing::Test {
 protected:
  TlsClients() {
    HAPAX_CHECK(net::make_certs({ours_.path(), {"localhost"}, 825, false, {"alice"}}).has_value());
    HAPAX_CHECK(
        net::make_certs({theirs_.path(), {"localhost"}, 825, false, {"alice"}}).has_value());
    daemon_ = DaemonThread::start(config(), [this](const std::string& line, LogLevel) {
                note(line);
              }).value();
  }

  void note(const std::string& line) {
    const std::lock_guard lock{mutex_};
    log_ += line + '\n';
  }
  std::string log() {
    const std::lock_guard lock{mutex_};
    return log_;
  }
  // What somebody with these files is told, with which code; the daemon's log says `logged`.
  void expect_refusal(const net::TlsFiles& files, Errc errc, const std::string& told,
                      const std::string& logged) {
    try {
      const Client client{with(files)};
      ADD_FAILURE() << "it was let in";
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), errc) << e.what();
      EXPECT_THAT(e.what(), HasSubstr(told));
    }
    for (int i = 0; i < 1000 && log().find(logged) == std::string::npos; ++i) {
      std::this_thread::sleep_for(10ms);
    }
    EXPECT_THAT(log(), HasSubstr("refused a client from 127.0.0.1: " + logged));
  }

  NodeConfig config() {
    NodeConfig config;
    config.members = {{.host = "", .port = 0, .path = (ours_ / "member").string()}};
    config.state.path = ours_ / "state";
    config.state.is_new_group = true;
    config.clients = {{.host = "127.0.0.1", .port = port_, .path = ""}};
    config.tls = net::tls_files(ours_.path(), Seat{0});
    return config;
  }
  std::string address() const { return fmt::format("127.0.0.1:{}", port_); }
  ClientOptions with(const net::TlsFiles& files) const {
    return {{address()}, files.authority, files.certificate, files.key};
  }
  ClientOptions alice() const { return with(net::tls_files(ours_.path(), "alice")); }
  void expect_service() {
    Client client{alice()};
    Mutex mutex{client, "it"};
    EXPECT_TRUE(mutex.try_lock_for(10s));
  }
  Tcp::endpoint endpoint() const { return {asio::ip::address_v4::loopback(), port_}; }

  const testing::Folder ours_;
  const testing::Folder theirs_;
  const std::uint16_t port_ = testing::free_port();
  std::mutex mutex_;
  std::string log_;
  std::unique_ptr<DaemonThread> daemon_;
};

TEST_F(TlsClients, AreServedAndKnownByTheirCertificate) {
  Client client{alice()};
  Mutex mutex{client, "it"};
  Fence last;
  for (int i = 0; i < 100; ++i) {
    const std::scoped_lock lock{mutex};
    EXPECT_LT(last, mutex.fence());
    last = mutex.fence();
  }
  const std::scoped_lock lock{mutex};
  const auto locks = client.who("it");
  ASSERT_EQ(locks.size(), 1u);
  EXPECT_THAT(locks[0].holder->host, HasSubstr("alice@"));
}

TEST_F(TlsClients, ManyThreadsShareOneConnection) {
  Client client{alice()};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Mutex mutex{client, std::to_string(t % 2)};
      for (int i = 0; i < 50; ++i) {
        const std::scoped_lock lock{mutex};
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(client.status().entries, 200u);
}

TEST_F(TlsClients, HaveTheRightsOfTheirCertificate) {
  daemon_.reset();
  NodeConfig limited = config();
  limited.roles = Roles::parse(std::vector<std::string>{"client:alice=lock on orders/*"}).value();
  daemon_ = DaemonThread::start(std::move(limited), {}).value();
  Client client{alice()};
  Mutex orders{client, "orders/1"};
  EXPECT_TRUE(orders.try_lock_for(10s));
  Mutex bills{client, "bills/1"};
  EXPECT_EQ(bills.acquire_until(Mutex::Clock::now() + 10s, {}), Errc::forbidden);
  try {
    client.evict("it");
    ADD_FAILURE() << "only the daemon's own user may, on its own machine";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), Errc::forbidden);
    EXPECT_THAT(e.what(), HasSubstr("you are client alice, who may lock on orders/*"));
  }
  EXPECT_THROW(client.who(), std::system_error);
}

TEST_F(TlsClients, OfAnotherAuthorityStayOutside) {
  // They do not know the daemon's authority …
  expect_refusal(net::tls_files(theirs_.path(), "alice"), Errc::untrusted,
                 "its certificate member-1 is of another authority (",
                 "it refuses our certificate");
  // … or it does not know theirs.
  net::TlsFiles mixed = net::tls_files(theirs_.path(), "alice");
  mixed.authority = (ours_ / "ca.pem").string();
  expect_refusal(mixed, Errc::forbidden,
                 "it refuses our certificate client-alice, which is of another authority",
                 "its certificate client-alice is of another authority (");
  expect_service();
}

TEST_F(TlsClients, MembersAreNoClients) {
  expect_refusal(net::tls_files(ours_.path(), Seat{0}), Errc::forbidden,
                 "your certificate is made out to member-1, and not to a client: make one with",
                 "its certificate is made out to member-1, and not to a client");
  expect_service();
}

TEST_F(TlsClients, ClientsAreNoMembers) {
  NodeConfig impostor = config();
  impostor.tls = net::tls_files(ours_.path(), "alice");
  const auto started = DaemonThread::start(impostor, {});
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("is not made out to member-1"));
}

TEST_F(TlsClients, WhoseCertificateHasRunOutStayOutside) {
  const net::TlsFiles files = net::tls_files(ours_.path(), "alice");
  const auto open = [](const std::string& path, const char* mode) {
    return std::unique_ptr<std::FILE, int (*)(std::FILE*)>{std::fopen(path.c_str(), mode),
                                                           &std::fclose};
  };
  std::unique_ptr<X509, void (*)(X509*)> certificate{
      PEM_read_X509(open(files.certificate, "r").get(), nullptr, nullptr, nullptr), &X509_free};
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key{
      PEM_read_PrivateKey(open((ours_ / "ca.key").string(), "r").get(), nullptr, nullptr, nullptr),
      &EVP_PKEY_free};
  ASSERT_TRUE(certificate && key);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), -60);
  ASSERT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  net::TlsFiles expired = files;
  expired.certificate = (ours_ / "expired.pem").string();
  ASSERT_EQ(PEM_write_X509(open(expired.certificate, "w").get(), certificate.get()), 1);
  expect_refusal(expired, Errc::forbidden, "it refuses our certificate client-alice, which ran out",
                 "its certificate client-alice ran out at ");
  expect_service();
}

TEST_F(TlsClients, WithoutACertificateStayOutside) {
  asio::ssl::context context{asio::ssl::context::tlsv13_client};
  asio::ssl::stream<Tcp::socket> stream{testing::strangers(), context};
  stream.lowest_layer().connect(endpoint());
  boost::system::error_code failed;
  stream.handshake(asio::ssl::stream_base::client, failed);
  std::array<char, 16> room;
  if (!failed) stream.read_some(asio::buffer(room), failed);
  EXPECT_TRUE(failed);
  expect_service();
}

TEST_F(TlsClients, InTheClearAreHungUpOn) {
  EXPECT_THROW(Client{ClientOptions{.addresses = {address()}}}, std::system_error);
  for (int i = 0; i < 200; ++i) {
    Tcp::socket socket{testing::strangers()};
    socket.connect(endpoint());
    boost::system::error_code failed;
    asio::write(socket, asio::buffer(std::string(static_cast<std::size_t>(1 + i), 'x')), failed);
  }
  expect_service();
}

TEST_F(TlsClients, HalfOpenHandshakesAreNoHarm) {
  std::vector<Tcp::socket> silent;
  for (int i = 0; i < 100; ++i) silent.emplace_back(testing::strangers()).connect(endpoint());
  expect_service();
}

TEST_F(TlsClients, TryTheNextAddressWhenOneDoesNotAnswer) {
  ClientOptions options = alice();
  options.addresses.insert(
      options.addresses.begin(),
      {"unix:/nowhere/at/all", fmt::format("127.0.0.1:{}", testing::free_port())});
  Client client{options};
  EXPECT_EQ(client.status().member, 1u);
}

TEST_F(TlsClients, WithoutTlsStayOnThisMachine) {
  try {
    const Client client{ClientOptions{.addresses = {"192.0.2.1:7400"}}};
    FAIL() << "it may not even be tried";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), Errc::bad_address);
    EXPECT_THAT(e.what(), HasSubstr("without TLS"));
  }
  NodeConfig open = config();
  open.tls.reset();
  open.clients = {{.host = "192.0.2.1", .port = 7400, .path = ""}};
  const auto started = DaemonThread::start(open, {});
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("without TLS"));
}

}  // namespace
}  // namespace hapax
