#include "net/mesh.h"

#include <boost/asio/local/stream_protocol.hpp>
#include <filesystem>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "base/testing/folder.h"
#include "net/testing/party.h"
#include "net/testing/proxy.h"

namespace hapax::net {
namespace {

using testing::address;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::k0;
using testing::k1;
using testing::k2;
using testing::Member;
using testing::options_of;
using testing::Party;
using testing::Proxy;
using testing::run_for;
using testing::run_until;

std::string complaint(MeshOptions options) {
  Loop io;
  const auto result = Mesh::create(io, std::move(options), {});
  return result ? "fine" : result.error().message;
}

TEST(Mesh, RefusesOtherMachinesWithoutTls) {
  for (const char* remote : {"10.0.0.1:7400", "db1.example:7400", "[2001:db8::1]:7400"}) {
    EXPECT_THAT(complaint(options_of(0, {address("127.0.0.1:1"), address(remote)})),
                HasSubstr("without TLS"));
    EXPECT_THAT(complaint(options_of(1, {address(remote), address("127.0.0.1:1")})),
                HasSubstr("without TLS"));
  }
  MeshOptions open = options_of(0, {address("127.0.0.1:1"), address("unix:/x")});
  EXPECT_EQ(complaint(open), "fine");
  open.listen = address("0.0.0.0:1");
  EXPECT_THAT(complaint(open), HasSubstr("without TLS"));
}

TEST(Mesh, RefusesLoopbackWithoutTlsUnlessAllUsersAreTrusted) {
  MeshOptions options = options_of(0, {address("127.0.0.1:1"), address("unix:/x")});
  options.is_insecure = false;
  EXPECT_THAT(complaint(options), HasSubstr("any user of this machine could pose as"));
  EXPECT_THAT(complaint(options), HasSubstr("--insecure"));
  options.members[0] = address("unix:/y");
  EXPECT_EQ(complaint(options), "fine");
}

TEST(Mesh, RefusesOptionsThatMakeNoSense) {
  const auto good = [] { return options_of(1, {address("localhost:1"), address("localhost:2")}); };
  EXPECT_EQ(complaint(good()), "fine");
  MeshOptions bad = good();
  bad.self = k2;
  EXPECT_THAT(complaint(bad), HasSubstr("no member 3"));
  EXPECT_THAT(complaint(options_of(0, {})), HasSubstr("members"));
  bad = good();
  bad.group.clear();
  EXPECT_THAT(complaint(bad), HasSubstr("name of a group"));
  bad = good();
  bad.group.assign(65, 'x');
  EXPECT_THAT(complaint(bad), HasSubstr("name of a group"));
  EXPECT_THAT(complaint(options_of(0, {address("localhost:1"), address("localhost:1")})),
              HasSubstr("share"));
  EXPECT_THAT(complaint(options_of(1, {address("localhost:0"), address("localhost:1")})),
              HasSubstr("no port"));
  bad = good();
  bad.limits.frame_bytes = 10;
  EXPECT_THAT(complaint(bad), HasSubstr("frames"));
  bad = good();
  bad.limits.backoff_max = Milliseconds{1};
  EXPECT_THAT(complaint(bad), HasSubstr("wait"));
  bad = good();
  bad.limits.pending = 0;
  EXPECT_THAT(complaint(bad), HasSubstr("at least one"));
  bad = good();
  bad.tls = TlsFiles{"no-ca", "no-cert", "no-key"};
  EXPECT_THAT(complaint(bad), HasSubstr("no-ca"));
}

TEST(Mesh, SaysThatItCannotListen) {
  Party party{1};
  Loop io;
  const auto second = Mesh::create(io, options_of(0, {party[0].at()}), {});
  ASSERT_TRUE(second);
  const Result<void> started = (*second)->start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("cannot listen on 127.0.0.1:"));
}

TEST(Mesh, DeliversTenThousandEachWayInOrder) {
  Party party{3};
  const std::uint64_t count = 10'000;
  for (std::uint64_t i = 0; i < count; ++i) {  // Most of it before they have met.
    for (std::uint32_t from = 0; from < 3; ++from) {
      for (std::uint32_t to = 0; to < 3; ++to) {
        if (from != to) party[from].say(Seat{to}, i % 50);
      }
    }
    if (i > count / 2) party.io.poll();
  }
  const auto have_all = [&] {
    for (std::uint32_t at = 0; at < 3; ++at) {
      for (std::uint32_t from = 0; from < 3; ++from) {
        if (at != from && party[at].heard(Seat{from}) < count) return false;
      }
    }
    return true;
  };
  ASSERT_TRUE(party.until(have_all));
  for (std::uint32_t at = 0; at < 3; ++at) {
    EXPECT_EQ(party[at].disorder, 0u);
    EXPECT_EQ(party[at].mesh->stats().messages_in, 2 * count);
    EXPECT_EQ(party[at].mesh->stats().messages_out, 2 * count);
    EXPECT_EQ(party[at].mesh->stats().connects, 2u);
    EXPECT_LT(party[at].mesh->stats().writes, 2 * count) << "they are written together";
    EXPECT_THAT(party[at].log, ElementsAre());
  }
}

TEST(Mesh, WhatOneTurnSaysLeavesInOneWrite) {
  Party party{2};
  ASSERT_TRUE(party.connect());
  testing::run_for(party.io, Milliseconds{20});
  const Stats before = party[0].mesh->stats();
  for (int i = 0; i < 100; ++i) party[0].say(k1);
  ASSERT_TRUE(party.until([&] { return party[1].heard(k0) == 100; }));
  EXPECT_EQ(party[0].mesh->stats().writes - before.writes, 1u);
  EXPECT_EQ(party[0].mesh->stats().frames_out - before.frames_out, 1u);
}

TEST(Mesh, LargeMessagesPassAndTooLargeOnesAreRefused) {
  Party party{2};
  ASSERT_TRUE(party.connect());
  party[0].say(k1, 1'000'000);
  party[0].say(k1);
  ASSERT_TRUE(party.until([&] { return party[1].heard(k0) == 2; }));
  EXPECT_TRUE(party[0].mesh->send(k1, encode(std::uint64_t{3})));
  EXPECT_FALSE(party[0].mesh->send(k1, Bytes(party[0].mesh->largest_message() + 1)));
  EXPECT_EQ(party[0].mesh->stats().overflows, 1u);
}

TEST(Mesh, SpeaksOverUnixSockets) {
  const hapax::testing::Folder folder;
  const auto path = [&](int i) {
    return address("unix:" + (folder.path() / std::to_string(i)).string());
  };
  {
    Party party{2, [&](MeshOptions& options) { options.members = {path(0), path(1)}; }};
    ASSERT_TRUE(party.connect());
    party[1].say(k0);
    ASSERT_TRUE(party.until([&] { return party[0].heard(k1) == 1; }));
    EXPECT_EQ(std::filesystem::status(folder.path() / "0").permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "0"));
  // What a dead process left behind is replaced; what lives is not.
  Loop io;
  {
    boost::asio::local::stream_protocol::acceptor left{hapax::testing::strangers(), {path(0).path}};
  }
  ASSERT_TRUE(std::filesystem::exists(folder.path() / "0"));
  const Member first{io, options_of(0, {path(0), path(1)})};
  const auto second = Mesh::create(io, options_of(0, {path(0), path(1)}), {});
  EXPECT_FALSE((*second)->start());
}

TEST(Mesh, NothingIsLostOrDoubledWhenConnectionsBreak) {
  Loop io;
  Member low{io, options_of(0, {address("127.0.0.1:0"), address("127.0.0.1:0")})};
  Proxy proxy{low.at().port};
  Member high{io, options_of(1, {proxy.at(), address("127.0.0.1:0")})};
  const std::uint64_t count = 40'000;
  std::uint64_t said = 0;
  proxy.cut_after(100'000);
  const auto step = [&] {
    for (int i = 0; i < 20 && said < count; ++i, ++said) {
      low.say(k1, said % 30);
      high.say(k0, said % 40);
    }
    return low.heard(k1) == count && high.heard(k0) == count;
  };
  ASSERT_TRUE(testing::run_until(io, step));
  EXPECT_GT(proxy.cuts(), 10u);
  EXPECT_EQ(low.disorder + high.disorder, 0u);
  EXPECT_EQ(low.mesh->stats().reconnects + 1, low.mesh->stats().connects);
  EXPECT_GT(low.mesh->stats().reconnects, 10u);
  EXPECT_GT(low.mesh->stats().resent + high.mesh->stats().resent, 0u);
  EXPECT_EQ(low.mesh->stats().forgotten + high.mesh->stats().forgotten, 0u);
  EXPECT_EQ(low.dropped(Drop::violation) + high.dropped(Drop::violation), 0u);
}

// A member whose address is not in the list: seats are kept for those who come later.
MeshOptions seated(std::uint32_t self, std::uint64_t incarnation) {
  MeshOptions options = options_of(self, {});
  options.seats = 8;
  options.listen = address("127.0.0.1:0");
  options.incarnation = incarnation;
  return options;
}

TEST(Mesh, MembersMayComeLaterAndElsewhere) {
  Loop io;
  std::string heard;
  const auto make = [&](MeshOptions options) {
    MeshHandlers handlers;
    handlers.on_message = [&](Seat from, std::span<const std::uint8_t> message) {
      heard += fmt::format("{}:{} ", number(from), message[0]);
    };
    auto mesh = Mesh::create(io, std::move(options), std::move(handlers)).value();
    EXPECT_TRUE(mesh->start().has_value());
    return mesh;
  };
  auto low = make(seated(2, 11));
  const auto high = make(seated(5, 12));
  EXPECT_FALSE(high->is_up(Seat{2}));
  EXPECT_EQ(high->incarnation_of(Seat{2}), 0u);
  ASSERT_TRUE(high->set_address(Seat{2}, low->listening()).has_value());
  ASSERT_TRUE(low->set_address(Seat{5}, high->listening()).has_value());  // It will be dialled.
  ASSERT_TRUE(run_until(io, [&] { return high->is_up(Seat{2}) && low->is_up(Seat{5}); }));
  EXPECT_EQ(high->incarnation_of(Seat{2}), 11u);
  EXPECT_EQ(low->incarnation_of(Seat{5}), 12u);

  // The same seat, another process, another port.
  low.reset();
  low = make(seated(2, 13));
  ASSERT_TRUE(high->set_address(Seat{2}, low->listening()).has_value());
  ASSERT_TRUE(run_until(io, [&] { return high->is_up(Seat{2}) && low->is_up(Seat{5}); }));
  EXPECT_EQ(high->incarnation_of(Seat{2}), 13u);
  const Bytes seven{7};
  ASSERT_TRUE(high->send(Seat{2}, seven));
  EXPECT_TRUE(run_until(io, [&] { return heard == "5:7 "; }));
}

TEST(Mesh, SeatsElsewhereNeedTls) {
  Loop io;
  const auto mesh = Mesh::create(io, seated(2, 1), {}).value();
  ASSERT_TRUE(mesh->start().has_value());
  EXPECT_FALSE(mesh->set_address(Seat{1}, address("192.0.2.1:7")).has_value());
}

TEST(Mesh, NothingIsReadFromWhoIsHeld) {
  Party party{2};
  ASSERT_TRUE(party.connect());
  party[0].mesh->hold(Seat{1}, true);
  party[1].say(Seat{0});
  ASSERT_TRUE(party.until([&] { return party[0].heard(Seat{1}) == 1; }));  // Was under way.
  for (int i = 0; i < 100; ++i) party[1].say(Seat{0});
  run_for(party.io, Milliseconds{50});
  EXPECT_EQ(party[0].heard(Seat{1}), 1u);
  party[0].mesh->hold(Seat{1}, false);
  EXPECT_TRUE(party.until([&] { return party[0].heard(Seat{1}) == 101; }));
  EXPECT_EQ(party[0].disorder, 0u);
}

TEST(Mesh, APeerThatRestartsIsForgotten) {
  Party party{3};
  ASSERT_TRUE(party.connect());
  for (int i = 0; i < 5; ++i) {
    party[0].say(k1);
    party[1].say(k0);
  }
  ASSERT_TRUE(party.until([&] { return party[0].heard(k1) == 5 && party[1].heard(k0) == 5; }));
  party[1].crash();
  ASSERT_TRUE(party.until([&] { return !party[0].mesh->is_up(k1); }));
  party[0].say(k1);  // To somebody who will never be back.
  party[1].come_back();
  ASSERT_TRUE(party.connect());
  std::erase(party[0].events, "up 2");
  EXPECT_THAT(party[0].events, ElementsAre("up 1", "down 1", "forgotten 1", "up 1"));
  EXPECT_THAT(party[2].events, Contains("forgotten 1"));
  party[0].say(k1);
  party[1].say(k0);
  ASSERT_TRUE(party.until([&] { return party[0].heard(k1) == 1 && party[1].heard(k0) == 1; }));
  EXPECT_EQ(party[0].disorder + party[1].disorder, 0u);
  EXPECT_EQ(party[0].mesh->stats().forgotten, 1u);
}

TEST(Mesh, StopSaysWhatIsLeftAndGoodbye) {
  Party party{2};
  ASSERT_TRUE(party.connect());
  for (int i = 0; i < 1000; ++i) party[1].say(k0, 500);
  party[1].mesh->stop();
  EXPECT_FALSE(party[1].mesh->send(k0, Bytes{1}));
  ASSERT_TRUE(party.until([&] { return !party[0].mesh->is_up(k1); }));
  EXPECT_EQ(party[0].heard(k1), 1000u);
  EXPECT_THAT(party[0].reasons, ElementsAre("it said goodbye"));
  EXPECT_THAT(party[1].events, ElementsAre("up 0")) << "its own handlers are silent";
  party[0].mesh->stop();
  party.io.restart();
  EXPECT_LE(party.io.run_for(std::chrono::seconds{5}), 100u);
  EXPECT_TRUE(party.io.stopped()) << "nothing is left to do";
}

TEST(Mesh, WhoIsDownHasALimitedQueue) {
  Loop io;
  MeshOptions options = options_of(0, {address("127.0.0.1:0"), address("127.0.0.1:0")});
  options.limits.frame_bytes = 4096;
  options.limits.resend_bytes = 10'000;
  const Member lonely{io, options};
  std::size_t taken = 0;
  while (lonely.mesh->send(k1, Bytes(1000))) ++taken;
  EXPECT_EQ(taken, 9u);
  EXPECT_EQ(lonely.mesh->stats().overflows, 1u);
}

TEST(Mesh, ASilentPeerIsDownAndAQuietOneIsNot) {
  const auto impatient = [](MeshOptions& options) { options.limits.ping = Milliseconds{30}; };
  Party party{2, impatient};
  ASSERT_TRUE(party.connect());
  testing::run_for(party.io, Milliseconds{300});
  EXPECT_TRUE(party.are_all_up()) << "they ping";
  EXPECT_EQ(party[0].mesh->stats().connects, 1u);
  EXPECT_GE(party[0].mesh->stats().frames_out, 5u);
  // One whose loop hangs: its sockets are open, but nothing moves.
  Loop other;
  MeshOptions options = options_of(2, {party[0].at(), party[1].at(), address("127.0.0.1:0")});
  Party bigger{2, [&](MeshOptions& o) {
                 impatient(o);
                 o.members.push_back(address("127.0.0.1:0"));
               }};
  options.members = {bigger[0].at(), bigger[1].at(), address("127.0.0.1:0")};
  const Member hung{other, options};
  const auto both = [&] {
    other.poll();
    return bigger[0].mesh->is_up(k2);
  };
  ASSERT_TRUE(bigger.until(both));
  ASSERT_TRUE(bigger.until([&] { return !bigger[0].mesh->is_up(k2); }));
  EXPECT_THAT(bigger[0].reasons, ElementsAre("it has been silent"));
}

}  // namespace
}  // namespace hapax::net
