#include "serve/health.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "http/testing/visitor.h"
#include "loop/loop.h"

namespace hapax::cli {
namespace {

using ::hapax::testing::HttpVisitor;
using ::testing::EndsWith;
using ::testing::StartsWith;

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
    io_.post([this] { health_->close(); });
    thread_.join();  // So all visits have ended.
  }
  std::string get(const std::string& path) {
    HttpVisitor caller{port_};
    caller.say("GET " + path + " HTTP/1.1\r\nHost: here\r\n\r\n");
    return caller.hear();
  }

  Loop io_;
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
  HttpVisitor caller{port_};
  for (const char c : std::string{"GET /healthz HTTP/1.1\r\n\r\n"}) caller.say({c});
  EXPECT_THAT(caller.hear(), EndsWith("ok\n"));
}

TEST_F(HealthTest, WhoIsSlowIsCutOff) {
  open(kShort);
  HttpVisitor caller{port_};
  caller.say("GET /healthz HT");
  EXPECT_EQ(caller.hear(), "");
}

TEST_F(HealthTest, WhoHangsUpIsForgotten) {
  open(kLong);
  for (int i = 0; i < 40; ++i) {
    HttpVisitor caller{port_};
    caller.say("GET /heal");
  }
  std::string answer;
  while (answer.empty()) answer = get("/healthz");  // As soon as one of sixteen has left.
  EXPECT_THAT(answer, EndsWith("ok\n"));
}

TEST_F(HealthTest, NoMoreThanSixteenAtATime) {
  open(kLong);
  std::vector<std::unique_ptr<HttpVisitor>> callers;
  for (int i = 0; i < 16; ++i) {
    callers.push_back(std::make_unique<HttpVisitor>(port_));
    callers.back()->say("GET /");
  }
  HttpVisitor one_more{port_};
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
