// The live page of a real daemon, against whoever may be on this machine.
#include "live/live.h"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <thread>

#include "base/testing/folder.h"
#include "daemon/daemon.h"
#include "figures/figures_json.h"
#include "http/http.h"
#include "http/testing/visitor.h"
#include "loop/loop.h"

namespace hapax::live {
namespace {

using ::hapax::testing::HttpVisitor;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Somebody in the daemon's own process, who holds and waits for ever.
class Guest : public Asker {
 public:
  void on_granted(const Grant&) override {}
  void on_wanted(WaiterId) override {}
};

constexpr uid_t kStranger = 54321, kLimited = 54322;

class LiveTest : public ::testing::Test {
 protected:
  void open(std::chrono::milliseconds patience = Live::kPatience) {
    NodeConfig config;
    config.members = {{.host = "", .port = 0, .path = (folder_ / "member").string()}};
    config.state.path = folder_ / "state";
    config.state.is_new_group = true;
    config.clients = {{.host = "", .port = 0, .path = (folder_ / "clients").string()}};
    config.roles = Roles::parse(std::vector<std::string>{"54322 = read on mine/*"}).value();
    daemon_ = Daemon::create(io_, std::move(config), {}).value();
    live_ = Live::open(io_, *net::parse_address("127.0.0.1:0"), host(), patience).value();
    ASSERT_TRUE(daemon_->start());
    thread_ = std::thread{[this] { daemon_->run(); }};
    pass_ = pass_of(getuid());
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    io_.post([this] {
      live_->close();
      daemon_->stop();
    });
    thread_.join();
  }
  LiveHost host() {
    return {[this] { return daemon_->facts().has_value(); },
            [this]() -> const Roles& { return daemon_->roles(); },
            [this] { return daemon_->state(); },
            [this] { return figures_json(*daemon_->facts()); },
            [this](auto tell) { return daemon_->ask_how_all_are(std::move(tell)); },
            [this](auto& name, auto tell) { return daemon_->who(name, std::move(tell)); },
            [this](auto tell) { return daemon_->all_locks(std::move(tell)); },
            [this](const std::string& name, auto duration, auto tell) {
              return daemon_->record(name, duration, std::move(tell));
            }};
  }
  template <class F>
  auto on_loop(F f) {
    std::packaged_task<decltype(f())()> task{std::move(f)};
    auto done = task.get_future();
    io_.post(std::move(task));
    return done.get();
  }
  std::string pass_of(uid_t user) {
    const std::string url = on_loop([&] { return live_->place_for({.user = user}).value(); });
    return url.substr(url.find('#') + 1);
  }
  void take(const std::string& lock) {
    on_loop([&] {
      EXPECT_TRUE(daemon_->acquire(lock, daemon_->next_waiter(), guest_));
      return 0;
    });
  }
  std::uint16_t port() const { return live_->address().port; }
  std::string request(const std::string& path, const std::string& pass) const {
    return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: Bearer " + pass +
           "\r\n\r\n";
  }
  std::string get(const std::string& path, const std::string& pass) {
    HttpVisitor visitor{port()};
    visitor.say(request(path, pass));
    return visitor.hear();
  }
  boost::json::value json(const std::string& path, const std::string& pass) {
    const std::string answer = get(path, pass);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 ")) << path;
    return boost::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  }

  const ::hapax::testing::Folder folder_;
  Loop io_;
  Guest guest_;
  std::unique_ptr<Live> live_;
  std::unique_ptr<Daemon> daemon_;
  std::thread thread_;
  std::string pass_;
};

TEST_F(LiveTest, TellsWhatTheCommandsPrint) {
  open();
  take("orders/1");
  take("orders/1");
  take("orders/2");
  const auto locks = json("/v1/locks", pass_);
  ASSERT_EQ(locks.at("locks").as_array().size(), 2u);
  const auto& first = locks.at("locks").at(0);
  EXPECT_EQ(first.at("lock"), "orders/1");
  EXPECT_EQ(first.at("waiters").as_array().size(), 1u);
  EXPECT_EQ(json("/v1/locks?filter=*2", pass_).at("locks").at(0).at("lock"), "orders/2");
  const auto some = json("/v1/locks?limit=1", pass_);
  EXPECT_EQ(some.at("locks").as_array().size(), 1u);
  EXPECT_EQ(some.at("more_locks"), 1);
  EXPECT_EQ(json("/v1/locks/orders%2F2", pass_).at("locks").at(0).at("lock"), "orders/2");
  EXPECT_EQ(json("/v1/status", pass_).at("held"), 2);
  EXPECT_EQ(json("/v1/members", pass_).at("members").at(0).at("waiting"), 1);
  EXPECT_TRUE(json("/v1/waits", pass_).at("cycles").is_array());
}

TEST_F(LiveTest, WithoutAPassNothingIsTold) {
  open();
  take("secret");
  for (const char* path :
       {"/v1/status", "/v1/members", "/v1/locks", "/v1/locks/secret", "/v1/waits", "/v1/events"}) {
    for (const std::string& pass : {std::string{}, std::string{"x"}, std::string(64, '0')}) {
      const std::string answer = get(path, pass);
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 401 ")) << path;
      EXPECT_THAT(answer, HasSubstr("hapax live"));
      EXPECT_THAT(answer, Not(HasSubstr("secret")));
    }
  }
}

TEST_F(LiveTest, APassIsWorthWhatItsOwnerMayRead) {
  open();
  take("mine/a");
  take("other");
  const std::string stranger = pass_of(kStranger), limited = pass_of(kLimited);
  EXPECT_THAT(get("/v1/locks", stranger), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(get("/v1/events", stranger), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(get("/v1/locks/other", limited), StartsWith("HTTP/1.1 403 "));
  EXPECT_EQ(json("/v1/locks/mine%2Fa", limited).at("locks").as_array().size(), 1u);
  const auto locks = json("/v1/locks", limited);
  ASSERT_EQ(locks.at("locks").as_array().size(), 1u);
  EXPECT_EQ(locks.at("locks").at(0).at("lock"), "mine/a");
  HttpVisitor visitor{port()};
  visitor.say(request("/v1/events", limited));
  EXPECT_THAT(visitor.hear_until("event: waits"), Not(HasSubstr("other")));
}

TEST_F(LiveTest, EventsFollowTheLocks) {
  open();
  HttpVisitor visitor{port()};
  visitor.say(request("/v1/events", pass_));
  const std::string begin = visitor.hear_until("event: waits");
  EXPECT_THAT(begin, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(begin, HasSubstr("event: begin\ndata: {"));
  const std::size_t status = begin.find("event: status\ndata: ") + 20;
  const auto told = boost::json::parse(begin.substr(status, begin.find('\n', status) - status));
  EXPECT_EQ(told.at("status").at("all").at(0).at("member"), 1);
  const auto& rule = told.at("figures").at("rules").at(0);
  EXPECT_EQ(rule.at("waits").at("counts").as_array().size(),
            rule.at("waits").at("bounds_ms").as_array().size() + 1);
  take("it");
  EXPECT_THAT(visitor.hear_until("\"lock\":\"it\""), HasSubstr("\"lock\":\"it\""));
  io_.post([this] { live_->note("view 7 begins", LogLevel::info); });
  EXPECT_THAT(visitor.hear_until("view 7"), HasSubstr("view 7"));
  const auto history = json("/v1/locks/it", pass_).at("history");
  EXPECT_EQ(history.at(0).at("what"), "taken");
}

TEST_F(LiveTest, NamesOfStrangersAreTextAndNothingElse) {
  open();
  const std::string name = "<script>alert(1)</script>\u202ecod.exe\"}\\";
  take(name);
  const auto locks = json("/v1/locks", pass_);
  EXPECT_EQ(locks.at("locks").at(0).at("lock"), name.c_str());
  HttpVisitor visitor{port()};
  visitor.say(request("/v1/events", pass_));
  const std::string told = visitor.hear_until("event: waits");
  EXPECT_THAT(told, Not(HasSubstr("\u202e"))) << "shown as \\u202e";
  const std::string path = "/v1/locks/%3Cscript%3Ealert(1)%3C%2Fscript%3E%E2%80%AEcod.exe%22%7D%5C";
  EXPECT_EQ(json(path, pass_).at("locks").as_array().size(), 1u);
}

TEST_F(LiveTest, WhatIsHostileIsRefusedAndTheOthersAreServed) {
  open(std::chrono::seconds{60});
  for (const std::string& hostile :
       {std::string{"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"},
        std::string{"POST /v1/locks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"},
        std::string{"OPTIONS /v1/locks HTTP/1.1\r\nHost: localhost\r\n\r\n"},
        std::string{"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"},
        std::string{"GET /%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"},
        std::string{"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n"},
        std::string{"GET / HTTP/1.1\r\nHost: localhost\r\nA: b\nC: d\r\n\r\n"},
        "GET / HTTP/1.1\r\nHost: localhost\r\nA: " + std::string(100'000, 'x') + "\r\n\r\n",
        std::string(100'000, 'x'), std::string(100'000, '\0'), std::string{"\r\n\r\n"}}) {
    HttpVisitor visitor{port()};
    visitor.say(hostile);
    EXPECT_THAT(visitor.hear(), ::testing::AnyOf(StartsWith("HTTP/1.1 4"), "")) << hostile;
  }
  std::mt19937 random{1};
  for (int i = 0; i < 300; ++i) {
    HttpVisitor visitor{port()};
    std::string noise = request("/v1/locks", pass_);
    for (int j = 0; j < 3; ++j) noise[random() % noise.size()] = static_cast<char>(random());
    visitor.say(noise);
  }
  EXPECT_EQ(json("/v1/status", pass_).at("group"), "hapax");
}

TEST_F(LiveTest, WhoIsSlowIsCutOff) {
  open(std::chrono::milliseconds{50});
  HttpVisitor visitor{port()};
  visitor.say("GET /v1/sta");
  EXPECT_EQ(visitor.hear(), "");
}

TEST_F(LiveTest, WhoSitsThereMakesWay) {
  open(std::chrono::seconds{60});
  std::vector<std::unique_ptr<HttpVisitor>> idle;
  for (int i = 0; i < 200; ++i) idle.push_back(std::make_unique<HttpVisitor>(port()));
  EXPECT_EQ(json("/v1/status", pass_).at("group"), "hapax");
  EXPECT_EQ(idle.front()->hear(), "");
}

TEST_F(LiveTest, SixteenWatchAtMost) {
  open();
  std::vector<std::unique_ptr<HttpVisitor>> watchers;
  for (int i = 0; i < 16; ++i) {
    watchers.push_back(std::make_unique<HttpVisitor>(port()));
    watchers.back()->say(request("/v1/events", pass_));
    watchers.back()->hear_until("event: begin");
  }
  EXPECT_THAT(get("/v1/events", pass_), StartsWith("HTTP/1.1 503 "));
  watchers.clear();
  std::string answer;
  while (answer.find("event: begin") == std::string::npos) {  // As soon as one of them is missed.
    HttpVisitor visitor{port()};
    visitor.say(request("/v1/events", pass_));
    answer = visitor.hear_until("event: begin");
  }
}

// A page at a time: nobody else waits for long.
TEST_F(LiveTest, TenThousandLocksAreToldInSmallTurns) {
#ifdef HAPAX_SANITIZED
  constexpr int kPages = 10;  // So slow is all there that the page would not wait for the rest.
#else
  constexpr int kPages = 100;
#endif
  open();
  for (int page = 0; page < kPages; ++page) {
    on_loop([&] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(daemon_->acquire(fmt::format("orders/{:05}", page * 100 + i),
                                     daemon_->next_waiter(), guest_));
      }
      return 0;
    });
  }
  HttpVisitor visitor{port()};
  visitor.say(request("/v1/events", pass_));
  const std::string told = visitor.hear_until("\"is_all\":true");
  for (const int i : {0, kPages * 50 - 1, kPages * 100 - 1}) {
    const std::string lock = fmt::format("\"lock\":\"orders/{:05}\"", i);
    EXPECT_NE(told.find(lock), std::string::npos) << lock;
  }
  visitor.hear_until("event: status");
  const auto longest = on_loop([&] { return daemon_->facts()->longest_turn; });
  RecordProperty("longest_turn_us", static_cast<int>(longest / std::chrono::microseconds{1}));
  EXPECT_LT(longest, std::chrono::milliseconds{500}) << "even where nothing is optimized";
}

TEST_F(LiveTest, ThePageItselfIsNoSecret) {
  open();
  const std::string answer = get("/", "");
  EXPECT_THAT(answer, ::testing::AnyOf(HasSubstr("<title>hapax: live</title>"),
                                       HasSubstr("scripts/page live")));
  EXPECT_THAT(answer, HasSubstr("Content-Security-Policy: default-src 'none'; script-src 'self';"));
  EXPECT_THAT(get("/nothing.js", ""), StartsWith("HTTP/1.1 404 "));
}

TEST_F(LiveTest, IsForThisMachineOnly) {
  open();
  for (const char* address : {"0.0.0.0:0", "192.0.2.1:8080", "unix:/tmp/page"}) {
    const auto opened = Live::open(io_, *net::parse_address(address), host());
    ASSERT_FALSE(opened) << address;
    EXPECT_THAT(opened.error().message, HasSubstr("on this machine only"));
  }
}

}  // namespace
}  // namespace hapax::live
