// The daemon against clients that misbehave: raw bytes on its socket.
#include "daemon/daemon.h"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>
#include <malloc.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/release.h"
#include "base/testing/folder.h"
#include "base/testing/free_port.h"
#include "base/testing/strangers.h"
#include "daemon/daemon_thread.h"
#include "loop/loop.h"
#include "loop/loop_watch.h"
#include "session/frames.h"

namespace hapax {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

// A group of one, with its thread.
class Alone {
 public:
  Alone() {
    NodeConfig config;
    config.members = {{.host = "", .port = 0, .path = (folder_ / "member").string()}};
    config.state.path = folder_ / "state";
    config.state.is_new_group = true;
    config.clients = {{.host = "", .port = 0, .path = (folder_ / "clients").string()}};
    // Over TCP as well, where a port is free.
    tcp_ = {asio::ip::address_v4::loopback(), testing::free_port()};
    config.clients.push_back({.host = "127.0.0.1", .port = tcp_.port(), .path = ""});
    config.is_insecure = true;
    daemon_ = DaemonThread::start(std::move(config), {}).value();
  }
  Local::endpoint endpoint() const { return {(folder_ / "clients").string()}; }
  asio::ip::tcp::endpoint tcp() const { return tcp_; }

 private:
  const testing::Folder folder_;
  asio::ip::tcp::endpoint tcp_;
  std::unique_ptr<DaemonThread> daemon_;
};

// A client that says what it is told to, and reads what comes.
class Raw {
 public:
  explicit Raw(const Alone& alone) : socket_(testing::strangers()) {
    socket_.connect(alone.endpoint());
  }
  explicit Raw(const asio::generic::stream_protocol::endpoint& endpoint)
      : socket_(testing::strangers()) {
    socket_.connect(endpoint);
  }

  void send(const Bytes& bytes) {
    boost::system::error_code ignored;  // It may have hung up by now.
    asio::write(socket_, asio::buffer(bytes), ignored);
  }
  void say(const session::Ask& ask) {
    Bytes bytes;
    ASSERT_TRUE(session::write_frame(bytes, ask, version));
    send(bytes);
  }
  // The next answer; nothing if the daemon hangs up.
  std::optional<session::Answer> hear() {
    for (;;) {
      std::span<const std::uint8_t> rest{incoming_};
      session::Answer answer;
      const auto taken = session::take_frame(rest, session::kLargestAnswer, answer, version);
      EXPECT_NE(taken, session::Taken::malformed);
      if (taken == session::Taken::record) {
        incoming_.erase(incoming_.begin(),
                        incoming_.end() - static_cast<std::ptrdiff_t>(rest.size()));
        return answer;
      }
      std::array<std::uint8_t, 4096> room;
      boost::system::error_code error;
      const std::size_t count = socket_.read_some(asio::buffer(room), error);
      if (error) return std::nullopt;
      incoming_.insert(incoming_.end(), room.begin(), room.begin() + count);
    }
  }
  template <class A>
  A expect() {
    const auto answer = hear();
    EXPECT_TRUE(answer.has_value());
    const A* wanted = answer ? std::get_if<A>(&*answer) : nullptr;
    EXPECT_NE(wanted, nullptr);
    return wanted != nullptr ? *wanted : A{};
  }

  std::uint32_t version = session::kVersion;  // Of the session.

 private:
  asio::generic::stream_protocol::socket socket_;
  Bytes incoming_;
};

void expect_service(const Alone& alone) {
  Raw honest{alone};
  honest.say(session::Hello{});
  honest.expect<session::Welcome>();
  honest.say(session::Acquire{7, "it"});
  EXPECT_EQ(honest.expect<session::Granted>().request, 7u);
  honest.say(session::Release{7});
}

TEST(Daemon, HangsUpOnWhatIsNoFrameAndServesTheOthers) {
  const Alone alone;
  std::mt19937 random{1};
  for (int i = 0; i < 2'000; ++i) {
    Raw raw{alone};
    if (i % 2 == 0) raw.say(session::Hello{});
    Bytes noise(1 + random() % 64);
    for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>(random());
    raw.send(noise);
  }
  expect_service(alone);
}

TEST(Daemon, HangsUpOnFramesThatAreTooLongOrOutOfTurn) {
  const Alone alone;
  Raw greedy{alone};
  greedy.send({0xff, 0xff, 0xff, 0x7f});
  EXPECT_EQ(greedy.hear(), std::nullopt);
  Raw rude{alone};
  rude.say(session::Acquire{1, "it"});
  EXPECT_EQ(rude.hear(), std::nullopt) << "who does not say hello";
  Raw twice{alone};
  twice.say(session::Hello{});
  twice.expect<session::Welcome>();
  twice.say(session::Hello{});
  EXPECT_EQ(twice.hear(), std::nullopt);
  expect_service(alone);
}

TEST(Daemon, TakesLongFramesOnlyOfWhoPutsAFileAndHasSaidHello) {
  const Alone alone;
  const session::FilePut put{1, "f", std::string(100'000, 'x'), {}, {}, false};
  Raw stranger{alone};
  stranger.say(put);
  EXPECT_EQ(stranger.hear(), std::nullopt);
  Raw client{alone};
  client.say(session::Hello{});
  client.expect<session::Welcome>();
  client.say(put);
  EXPECT_NE(client.expect<session::Refused>().why.find("no engine to keep files in"),
            std::string::npos);
  client.say(session::Acquire{2, std::string(100'000, 'x')});
  EXPECT_EQ(client.hear(), std::nullopt);
  expect_service(alone);
}

TEST(Daemon, TellsAnOtherVersionWhatToDo) {
  const Alone alone;
  Raw old{alone};
  session::Hello hello;
  hello.version = 999;
  old.say(hello);
  EXPECT_EQ(old.expect<session::Refused>().why,
            "this daemon speaks versions 10 to 13 of the protocol, the client 999: use the same "
            "hapax for both");
  EXPECT_EQ(old.hear(), std::nullopt);
}

TEST(Daemon, ServesAClientOfTheVersionBeforeInThatVersion) {
  const Alone alone;
  Raw old{alone};
  old.version = 10;
  session::Hello hello;
  hello.version = 10;
  old.say(hello);
  const auto welcome = old.expect<session::Welcome>();
  EXPECT_EQ(welcome.version, 10u);
  EXPECT_EQ(welcome.release.value, "");
  old.say(session::Acquire{7, "it"});
  EXPECT_EQ(old.expect<session::Granted>().request, 7u);
  old.say(session::AskState{8});
  EXPECT_EQ(old.expect<session::State>().request, 8u);
  Raw now{alone};
  now.say(session::Hello{});
  EXPECT_EQ(now.expect<session::Welcome>().release.value, release());
}

TEST(Daemon, HalfOpenConnectionsAreNoHarm) {
  const Alone alone;
  std::vector<std::unique_ptr<Raw>> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<Raw>(alone));
  expect_service(alone);
}

// What one of its requests gives back, another of its own might be granted.
TEST(Daemon, ForgetsAClientThatHoldsALockAndWaitsForItToo) {
  const Alone alone;
  {
    Raw client{alone};
    client.say(session::Hello{});
    client.expect<session::Welcome>();
    client.say(session::Acquire{1, "it"});
    client.say(session::Acquire{2, "it"});
    client.say(session::Acquire{3, "it"});
    client.expect<session::Granted>();
    client.say(session::Ping{4});
    client.expect<session::Pong>();
  }
  expect_service(alone);
}

// Neither noise nor silence makes the daemon grow, nor keeps others out.
TEST(Daemon, MemoryStaysFlatUnderNoiseAndSilence) {
  const Alone alone;
  std::mt19937 random{2};
  const auto round = [&] {
    std::vector<std::unique_ptr<Raw>> silent;
    for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<Raw>(alone));
    for (int i = 0; i < 1'000; ++i) {
      Raw raw{alone};
      raw.say(session::Hello{});
      raw.say(session::Acquire{1, "it"});
      Bytes noise(1 + random() % 64);
      for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>(random());
      raw.send(noise);
    }
    expect_service(alone);
    return mallinfo2().uordblks;
  };
  round();
  const std::size_t before = round();
  round();
  const std::size_t after = round();
  EXPECT_LT(after, before + (std::size_t{1} << 20));
}

TEST(Daemon, SendsTheOldestStrangersAwayWhenThereAreTooMany) {
  const Alone alone;
  std::vector<std::unique_ptr<Raw>> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(std::make_unique<Raw>(alone));
  expect_service(alone);
  EXPECT_EQ(silent.front()->hear(), std::nullopt);
  silent.back()->say(session::Hello{});
  silent.back()->expect<session::Welcome>();
}

TEST(Daemon, RefusesWhatMakesNoSense) {
  const Alone alone;
  Raw client{alone};
  client.say(session::Hello{});
  client.expect<session::Welcome>();
  client.say(session::Release{3});
  EXPECT_EQ(client.expect<session::Refused>().request, 3u);
  client.say(session::Acquire{4, "a\nb"});
  EXPECT_EQ(client.expect<session::Refused>().request, 4u);
  client.say(session::Acquire{5, "it"});
  client.expect<session::Granted>();
  client.say(session::Acquire{5, "other"});
  EXPECT_EQ(client.expect<session::Refused>().request, 5u);
  client.say(session::Acquire{6, "it"});
  client.say(session::Cancel{6});
  EXPECT_EQ(client.expect<session::Ended>().request, 6u);
  client.say(session::Cancel{99});
  EXPECT_EQ(client.expect<session::Ended>().request, 99u);
  client.say(session::Ping{8});
  EXPECT_EQ(client.expect<session::Pong>().request, 8u);
}

// An answer is a frame with a size limit, whatever clients do.
TEST(Daemon, CountsThoseWhoDoNotFitIntoAnAnswer) {
  const Alone alone;
  Raw crowd{alone};
  session::Hello hello;
  hello.command = std::string(500, 'x');
  crowd.say(hello);
  crowd.expect<session::Welcome>();
  constexpr std::uint64_t kWaiters = 20'000;
  for (std::uint64_t i = 1; i <= kWaiters + 1; ++i) crowd.say(session::Acquire{i, "crowded"});
  for (std::uint64_t i = 0; i < 1'500; ++i) {
    crowd.say(session::Acquire{100'000 + i, "held/" + std::to_string(i)});
  }
  for (int i = 0; i < 1'501; ++i) crowd.expect<session::Granted>();
  Raw client{alone};
  client.say(session::Hello{});
  client.expect<session::Welcome>();
  client.say(session::Who{1, "crowded"});
  const auto one = client.expect<session::Locks>();
  ASSERT_EQ(one.locks.size(), 1u);
  EXPECT_TRUE(one.locks[0].holder.has_value());
  EXPECT_GT(one.locks[0].waiters.size(), 100u);
  EXPECT_GT(one.locks[0].more_waiters, 0u);
  EXPECT_EQ(one.locks[0].waiters.size() + one.locks[0].more_waiters, kWaiters);
  client.say(session::Who{2, ""});
  const auto all = client.expect<session::Locks>();
  EXPECT_GT(all.locks.size(), 500u);
  EXPECT_EQ(all.locks.size() + all.more_locks, 1'501u);
  expect_service(alone);
}

// Of what its loop has done so far, what kept everybody else waiting longest.
std::uint64_t counted(const Alone& alone, const std::string& name) {
  Raw client{alone};
  client.say(session::Hello{});
  client.expect<session::Welcome>();
  client.say(session::AskStats{1});
  for (const session::Counter& counter : client.expect<session::Stats>().counters) {
    if (counter.name == name) return counter.value;
  }
  ADD_FAILURE() << "nobody counts: " << name;
  return 0;
}
void expect_short_turns(const Alone& alone) {
#ifdef HAPAX_SANITIZED
  constexpr int kSlower = 10;
#else
  constexpr int kSlower = 1;
#endif
  const std::chrono::microseconds longest{counted(alone, "longest turn, us")};
  EXPECT_LT(longest, kSlower * LoopWatch::kLongest);
}

TEST(Daemon, IsNeverBusyForLongWhenACrowdHangsUp) {
  constexpr std::uint64_t kCrowd = 60'000;
  const Alone alone;
  Raw holder{alone};
  holder.say(session::Hello{});
  holder.expect<session::Welcome>();
  holder.say(session::Acquire{1, "it"});
  holder.expect<session::Granted>();
  {
    Raw crowd{alone};
    Raw other{alone};  // Whose waits stand between.
    for (Raw* raw : {&crowd, &other}) {
      raw->say(session::Hello{});
      raw->expect<session::Welcome>();
    }
    for (std::uint64_t first = 1; first < kCrowd; first += 1'000) {
      for (Raw* raw : {&crowd, &other}) {
        Bytes asks;
        for (std::uint64_t i = first; i < first + 500; ++i) {
          ASSERT_TRUE(session::write_frame(asks, session::Ask{session::Acquire{i, "it"}}));
        }
        raw->send(asks);
      }
    }
    for (Raw* raw : {&crowd, &other}) {
      raw->say(session::Ping{kCrowd});
      raw->expect<session::Pong>();
    }
    EXPECT_EQ(counted(alone, "waiting"), kCrowd);
  }
  while (counted(alone, "waiting") > 0) std::this_thread::sleep_for(std::chrono::milliseconds{5});
  expect_short_turns(alone);
}

TEST(Daemon, IsNeverBusyForLongWhenManyAskWhoHoldsManyLocks) {
  constexpr std::uint64_t kLocks = 50'000;
  const Alone alone;
  Raw crowd{alone};
  crowd.say(session::Hello{});
  crowd.expect<session::Welcome>();
  Bytes asks;
  for (std::uint64_t i = 1; i <= kLocks; ++i) {
    ASSERT_TRUE(
        session::write_frame(asks, session::Ask{session::Acquire{i, "held/" + std::to_string(i)}}));
  }
  std::thread writer{[&] { crowd.send(asks); }};
  for (std::uint64_t i = 1; i <= kLocks; ++i) crowd.expect<session::Granted>();
  writer.join();
  Raw client{alone};
  client.say(session::Hello{});
  client.expect<session::Welcome>();
  Bytes questions;
  for (std::uint64_t i = 1; i <= 30; ++i) {
    ASSERT_TRUE(session::write_frame(questions, session::Ask{session::Who{i, ""}}));
  }
  client.send(questions);
  for (int i = 1; i <= 30; ++i) {
    const auto answer = client.expect<session::Locks>();
    EXPECT_EQ(answer.locks.size() + answer.more_locks, kLocks);
  }
  expect_short_turns(alone);
}

// Takes the lock over TCP, breaks the connection, and says how long the next one waits for it.
std::chrono::milliseconds wait_after(bool goodbye) {
  const Alone alone;
  auto holder = std::make_unique<Raw>(alone.tcp());
  holder->say(session::Hello{});
  holder->expect<session::Welcome>();
  holder->say(session::Acquire{1, "orders"});
  holder->expect<session::Granted>();
  Raw next{alone};
  next.say(session::Hello{});
  next.expect<session::Welcome>();
  next.say(session::Acquire{1, "orders"});
  if (goodbye) holder->say(session::Goodbye{});
  const auto broken = std::chrono::steady_clock::now();
  holder.reset();
  next.expect<session::Granted>();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               broken);
}

TEST(Daemon, WaitsForAClientBehindTcpThatMayNotKnowThatItIsCutOff) {
  EXPECT_GE(wait_after(false), session::kSilence - std::chrono::milliseconds{50});
}
TEST(Daemon, WaitsNoLongerForAClientBehindTcpThatIsSilent) {
  const Alone alone;
  Raw holder{alone.tcp()};
  holder.say(session::Hello{});
  holder.expect<session::Welcome>();
  holder.say(session::Acquire{1, "orders"});
  holder.expect<session::Granted>();
  const auto since = std::chrono::steady_clock::now();
  Raw next{alone};  // On a Unix socket one may be silent.
  next.say(session::Hello{});
  next.expect<session::Welcome>();
  next.say(session::Acquire{1, "orders"});
  next.expect<session::Granted>();
  EXPECT_GE(std::chrono::steady_clock::now() - since, session::kSilence);
  EXPECT_FALSE(holder.hear().has_value());  // Hung up.
}
TEST(Daemon, BelievesAClientThatSaysGoodbye) { EXPECT_LT(wait_after(true), session::kSilence); }

}  // namespace
}  // namespace hapax
