// Members of two releases, as one of them sees the others.
#include "membership/life_links.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "base/release.h"
#include "base/testing/free_port.h"
#include "loop/loop.h"
#include "net/frame.h"
#include "net/testing/raw_end.h"

namespace hapax {
namespace {

using ::testing::Contains;

constexpr Life kFirst{10}, kSecond{20}, kOld{30}, kAbsent{40};

Directory directory(std::uint16_t port) {
  Directory all;
  std::uint32_t seat = 0;
  for (const Life life : {kFirst, kSecond, kOld, kAbsent}) {
    all.lives.push_back({life, seat, fmt::format("127.0.0.1:{}", seat == 0 ? port : 1), "n"});
    ++seat;
  }
  return all;
}

struct Ends {
  Ends(Loop& io, Seat seat, Life life)
      : options(options_at_a_free_port()),
        links(io, options,
              {.log = [this](const std::string& line, LogLevel) { lines.push_back(line); },
               .called = [](Seat s) { return fmt::format("member {}", number(s) + 1); },
               .on_message = [](Seat, Life, std::span<const std::uint8_t>) {},
               .on_up = [](Seat, Life) {},
               .on_down = [](Seat) {},
               .on_broken = [] {}}) {
    EXPECT_TRUE(links.open(seat, life));
  }
  static GroupOptions options_at_a_free_port() {
    GroupOptions options;
    options.group = "test";
    options.is_insecure = true;
    options.listen = net::parse_address(fmt::format("127.0.0.1:{}", testing::free_port())).value();
    return options;
  }

  GroupOptions options;
  std::vector<std::string> lines;
  LifeLinks links;
};

TEST(LifeLinks, KnowWhoRunsWhichRelease) {
  Loop io;
  Ends first{io, Seat{0}, kFirst};
  Ends second{io, Seat{1}, kSecond};
  const Directory all = directory(first.options.listen.port);
  for (Ends* end : {&first, &second}) end->links.learn(all);
  EXPECT_FALSE(first.links.all_speak(2, {kFirst, kSecond})) << "nobody has been met";
  EXPECT_TRUE(first.links.all_speak(3, {kFirst}));
  second.links.meet(all);
  ASSERT_TRUE(net::testing::run_until(io, [&] { return first.links.is_up(kSecond); }));
  EXPECT_TRUE(first.links.all_speak(3, {kFirst, kSecond}));
  EXPECT_EQ(first.links.release_of(kFirst), release());
  EXPECT_EQ(first.links.release_of(kSecond), release());
  EXPECT_EQ(first.links.release_of(kOld), "");

  // One of the release before.
  net::testing::RawEnd old{first.options.listen};
  net::Hello hello;
  hello.version = 2;
  const net::MeshOptions mesh = first.options.mesh();
  hello.group = {mesh.group.begin(), mesh.group.end()};
  hello.settings = {mesh.settings.begin(), mesh.settings.end()};
  hello.from = Seat{2};
  hello.incarnation = number(kOld);
  hello.attempt = hello.nonce = 1;
  old.send(hello);
  const auto answer = old.receive(io);
  ASSERT_TRUE(answer);
  old.send(net::Confirm{std::get<net::Hello>(net::decode_frame(*answer, 2)->content).nonce}, 2);
  ASSERT_TRUE(net::testing::run_until(io, [&] { return first.links.is_up(kOld); }));
  EXPECT_FALSE(first.links.all_speak(3, {kFirst, kSecond, kOld}));
  EXPECT_TRUE(first.links.all_speak(2, {kFirst, kSecond, kOld}));
  EXPECT_FALSE(first.links.all_speak(2, {kFirst, kAbsent})) << "it may be anything";
  EXPECT_EQ(first.links.release_of(kOld), "older");
  EXPECT_THAT(first.lines, Contains("member 2 is here, as life 20"));
  EXPECT_THAT(first.lines, Contains(fmt::format("member 3 is here, as life 30; this member runs "
                                                "release {}, that one older",
                                                release())));
}

}  // namespace
}  // namespace hapax
