#include "serve/health.h"

#include <arpa/inet.h>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace hapax::cli {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

// A socket of a visitor that waits for everything.
class Caller {
 public:
  explicit Caller(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  ~Caller() { close(socket_); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // In vain if it was cut off.
  void say(const std::string& text) { (void)send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  // Until the connection is closed.
  std::string hear() {
    std::string all;
    std::array<char, 4096> room{};
    for (ssize_t n = 0; (n = recv(socket_, room.data(), room.size(), 0)) > 0;) {
      all.append(room.data(), static_cast<std::size_t>(n));
    }
    return all;
  }

 private:
  int socket_;
};

class HealthTest : public ::testing::Test {
 protected:
  void open(std::chrono::milliseconds patience) {
    auto opened = Health::open(
        io_, *net::parse_address("127.0.0.1:0"),
        {{"/metrics", [this] { return HttpPage{fmt::format("asked {}\n", ++asked_)}; }},
         {"/healthz", [] { return HttpPage{"ok\n"}; }}},
        patience);
    ASSERT_TRUE(opened) << opened.error().message;
    health_ = std::move(*opened);
    port_ = health_->address().port;
    thread_ = std::thread{[this] { io_.run(); }};
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    boost::asio::post(io_, [this] { health_->close(); });
    thread_.join();  // So all visits have ended.
  }
  std::string get(const std::string& path) {
    Caller caller{port_};
    caller.say("GET " + path + " HTTP/1.1\r\nHost: here\r\n\r\n");
    return caller.hear();
  }

  boost::asio::io_context io_{1};
  std::unique_ptr<Health> health_;
  std::uint16_t port_ = 0;
  std::thread thread_;
  int asked_ = 0;
};

constexpr std::chrono::milliseconds kLong{60'000}, kShort{50};

TEST_F(HealthTest, AnswersAndCloses) {
  open(kLong);
  EXPECT_THAT(get("/metrics"), EndsWith("\r\n\r\nasked 1\n"));
  EXPECT_THAT(get("/healthz"), EndsWith("\r\n\r\nok\n"));
  EXPECT_THAT(get("/metrics"), EndsWith("\r\n\r\nasked 2\n"));
  EXPECT_THAT(get("/nothing"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(HealthTest, ARequestMayComeInPieces) {
  open(kLong);
  Caller caller{port_};
  for (const char c : std::string{"GET /healthz HTTP/1.1\r\n\r\n"}) caller.say({c});
  EXPECT_THAT(caller.hear(), EndsWith("ok\n"));
}

TEST_F(HealthTest, WhoIsSlowIsCutOff) {
  open(kShort);
  Caller caller{port_};
  caller.say("GET /healthz HT");
  EXPECT_EQ(caller.hear(), "");
}

TEST_F(HealthTest, WhoHangsUpIsForgotten) {
  open(kLong);
  for (int i = 0; i < 40; ++i) {
    Caller caller{port_};
    caller.say("GET /heal");
  }
  std::string answer;
  while (answer.empty()) answer = get("/healthz");  // As soon as one of sixteen has left.
  EXPECT_THAT(answer, EndsWith("ok\n"));
}

TEST_F(HealthTest, NoMoreThanSixteenAtATime) {
  open(kLong);
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 0; i < 16; ++i) {
    callers.push_back(std::make_unique<Caller>(port_));
    callers.back()->say("GET /");
  }
  Caller one_more{port_};
  EXPECT_EQ(one_more.hear(), "");
  for (const auto& caller : callers) {
    caller->say("healthz HTTP/1.1\r\n\r\n");
    EXPECT_THAT(caller->hear(), EndsWith("ok\n"));
  }
}

TEST_F(HealthTest, IsForThisMachineOnly) {
  const auto opened = Health::open(io_, *net::parse_address("0.0.0.0:0"), {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, ::testing::HasSubstr("on this machine only"));
}

}  // namespace
}  // namespace hapax::cli
