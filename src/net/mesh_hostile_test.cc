// Strangers at the door while members talk: nobody is harmed, everything is counted.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/prng.h"
#include "base/testing/folder.h"
#include "net/frame.h"
#include "net/greeting.h"
#include "net/testing/party.h"
#include "net/testing/raw_end.h"

namespace hapax::net {
namespace {

using testing::address;
using Client = testing::RawEnd;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::k0;
using testing::k1;
using testing::k2;
using testing::Member;
using testing::options_of;
using testing::Party;
using Tcp = boost::asio::ip::tcp;

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

Hello hello_of(Seat from, Seat to) {
  Hello hello;
  hello.group = {'t', 'e', 's', 't'};
  hello.settings = bytes_of("one");
  hello.from = from;
  hello.to = to;
  hello.incarnation = 99;
  hello.attempt = 1;
  hello.nonce = 1234;
  return hello;
}

// Member 0 of two, alone.
struct Door {
  explicit Door(MeshLimits limits = {}) {
    MeshOptions options = options_of(0, {address("127.0.0.1:0"), address("127.0.0.1:0")});
    options.limits = limits;
    member = std::make_unique<Member>(io, options);
  }
  Client client() { return Client{member->at()}; }
  Bye bye_for(const Hello& hello) {
    Client stranger = client();
    stranger.send(hello);
    const std::optional<Bytes> answer = stranger.receive(io);
    EXPECT_TRUE(answer);
    return answer ? std::get<Bye>(decode_frame(*answer)->content) : Bye{};
  }

  Loop io;
  std::unique_ptr<Member> member;
};

TEST(MeshDoor, AMemberIsLetInByTheProtocolAsWritten) {
  Door door;
  Client member = door.client();
  member.send(hello_of(k1, k0));
  const auto answer = member.receive(door.io);
  ASSERT_TRUE(answer);
  const Hello hello = std::get<Hello>(decode_frame(*answer)->content);
  EXPECT_EQ(hello.echo, 1234u);
  EXPECT_EQ(hello.from, k0);
  EXPECT_EQ(hello.received, 0u);
  member.send(Confirm{hello.nonce});
  ASSERT_TRUE(testing::run_until(door.io, [&] { return door.member->mesh->is_up(k1); }));
}

TEST(MeshDoor, RefusesOtherGroupsSettingsAndVersionsWithAReason) {
  Door door;
  Hello hello = hello_of(k1, k0);
  hello.group = {'x'};
  EXPECT_EQ(door.bye_for(hello).why, Drop::wrong_group);
  hello = hello_of(k1, k0);
  for (const char* settings : {"", "two\x1b[31m"}) {
    hello.settings = bytes_of(settings);
    const Bye bye = door.bye_for(hello);
    EXPECT_EQ(bye.why, Drop::other_settings);
    EXPECT_THAT(words_of(bye), HasSubstr("member 1 with one"));
  }
  EXPECT_THAT(door.member->mesh->trouble_with(k1),
              HasSubstr("member 2 was started with two\\x1b[31m; member 1 with one"));
  hello = hello_of(k1, k0);
  hello.version = 1;
  const Bye old = door.bye_for(hello);
  EXPECT_EQ(old.why, Drop::wrong_version);
  EXPECT_EQ(words_of(old),
            "member 1 speaks versions 3 and 2, member 2 speaks 1: upgrade through the release "
            "between");
  EXPECT_EQ(door.member->dropped(Drop::wrong_group), 1u);
  EXPECT_EQ(door.member->dropped(Drop::other_settings), 2u);
  EXPECT_EQ(door.member->dropped(Drop::wrong_version), 1u);
  EXPECT_EQ(door.member->log.size(), 3u) << "once each";
}

TEST(MeshDoor, StrangersLearnNothing) {
  Door door;
  std::vector<Hello> strangers{hello_of(k2, k0), hello_of(k0, k0), hello_of(k1, k1)};
  for (const Hello& hello : strangers) {
    Client stranger = door.client();
    stranger.send(hello);
    EXPECT_TRUE(stranger.is_hung_up(door.io));
  }
  EXPECT_EQ(door.member->dropped(Drop::stranger), 3u);
  EXPECT_EQ(door.member->log.size(), 1u);
}

TEST(MeshDoor, ARecordedConversationCannotBePlayedAgain) {
  Door door;
  Client member = door.client();
  member.send(hello_of(k1, k0));
  const auto answer = member.receive(door.io);
  ASSERT_TRUE(answer);
  const Confirm confirm{std::get<Hello>(decode_frame(*answer)->content).nonce};
  member.send(confirm);
  ASSERT_TRUE(testing::run_until(door.io, [&] { return door.member->mesh->is_up(k1); }));
  Client same = door.client();
  same.send(hello_of(k1, k0));
  EXPECT_TRUE(same.is_hung_up(door.io));
  EXPECT_EQ(door.member->dropped(Drop::replay), 1u);
  Client later = door.client();
  Hello guess = hello_of(k1, k0);
  guess.attempt = 2;
  later.send(guess);
  ASSERT_TRUE(later.receive(door.io));
  later.send(confirm);
  EXPECT_TRUE(later.is_hung_up(door.io));
  EXPECT_EQ(door.member->dropped(Drop::replay), 2u);
  EXPECT_TRUE(door.member->mesh->is_up(k1)) << "and the member was not disturbed";
}

TEST(MeshDoor, AMemberThatIsStartedTwiceIsToldSoAndTheFirstIsNotDisturbed) {
  Door door;
  Client member = door.client();
  member.send(hello_of(k1, k0));
  const auto answer = member.receive(door.io);
  ASSERT_TRUE(answer);
  member.send(Confirm{std::get<Hello>(decode_frame(*answer)->content).nonce});
  ASSERT_TRUE(testing::run_until(door.io, [&] { return door.member->mesh->is_up(k1); }));
  for (const std::uint64_t incarnation : {98u, 100u}) {
    Hello twin = hello_of(k1, k0);
    twin.incarnation = incarnation;
    const Bye bye = door.bye_for(twin);
    EXPECT_EQ(bye.why, Drop::taken);
    EXPECT_THAT(words_of(bye), HasSubstr("member 2 is connected already, from 127.0.0.1:"));
  }
  EXPECT_TRUE(door.member->mesh->is_up(k1));
}

// Its last connection was slow to arrive.
TEST(MeshDoor, AProcessThatTheNextHasOvertakenIsNotGoneBackTo) {
  Door door;
  std::vector<Client> clients;
  std::vector<Confirm> confirms;
  for (const std::uint64_t incarnation : {99u, 100u}) {
    Hello hello = hello_of(k1, k0);
    hello.incarnation = incarnation;
    clients.push_back(door.client());
    clients.back().send(hello);
    const auto answer = clients.back().receive(door.io);
    ASSERT_TRUE(answer);
    confirms.push_back({std::get<Hello>(decode_frame(*answer)->content).nonce});
  }
  clients[1].send(confirms[1]);
  ASSERT_TRUE(testing::run_until(door.io, [&] { return door.member->mesh->is_up(k1); }));
  clients[0].send(confirms[0]);
  EXPECT_TRUE(clients[0].is_hung_up(door.io));
  EXPECT_TRUE(door.member->mesh->is_up(k1));
  EXPECT_EQ(door.member->mesh->incarnation_of(k1), 100u);
  EXPECT_EQ(door.member->dropped(Drop::replay), 1u);
}

TEST(MeshDoor, DropsWhatIsTooLargeOrNoFrame) {
  Door door;
  const std::vector<Bytes> bytes{
      {0x01, 0x08, 0, 0},         // 2049 before the greeting is over.
      {0xff, 0xff, 0xff, 0xff},   // Four gigabytes.
      {'G', 'E', 'T', ' ', '/'},  // A browser.
      {0, 0, 0, 0},               // Nothing.
      {1, 0, 0, 0, 9},            // An unknown record.
      {2, 0, 0, 0, 3, 0},         // An Ack before the greeting.
      {4, 0, 0, 0, 2, 1, 0, 0},   // Data before the greeting.
      {2, 0, 0, 0, 1, 0},         // A Confirm before the greeting.
      {3, 0, 0, 0, 4, 0, 0},      // A goodbye before the greeting.
  };
  for (const Bytes& sent : bytes) {
    Client stranger = door.client();
    stranger.send(sent);
    EXPECT_TRUE(stranger.is_hung_up(door.io));
  }
  EXPECT_EQ(door.member->dropped(Drop::oversized), 3u);
  EXPECT_EQ(door.member->dropped(Drop::malformed), 6u);
  EXPECT_EQ(door.member->log.size(), 2u);
}

TEST(MeshDoor, AMemberThatBreaksTheProtocolIsHungUpOn) {
  for (const bool is_gap : {true, false}) {
    Door door;
    Client member = door.client();
    member.send(hello_of(k1, k0));
    const auto answer = member.receive(door.io);
    ASSERT_TRUE(answer);
    member.send(Confirm{std::get<Hello>(decode_frame(*answer)->content).nonce});
    Bytes frame;
    if (is_gap) {
      write_frame(frame, Data{2, 0}, Bytes{1, 1});
    } else {
      write_frame(frame, Ack{1});
    }
    member.send(frame);
    const auto last = member.receive(door.io);
    ASSERT_TRUE(last);
    EXPECT_EQ(std::get<Bye>(decode_frame(*last)->content).why, Drop::violation);
    EXPECT_FALSE(door.member->mesh->is_up(k1));
    EXPECT_EQ(door.member->dropped(Drop::violation), 1u);
    EXPECT_EQ(door.member->heard(k1), 0u);
  }
}

TEST(MeshDoor, WhoDoesNotSpeakIsShownTheDoor) {
  MeshLimits limits;
  limits.handshake = Milliseconds{50};
  Door door{limits};
  Client silent = door.client();
  Client half = door.client();
  half.send(Bytes{20, 0, 0});
  Client unconfirmed = door.client();
  unconfirmed.send(hello_of(k1, k0));
  ASSERT_TRUE(unconfirmed.receive(door.io));
  for (Client* client : {&silent, &half, &unconfirmed}) EXPECT_TRUE(client->is_hung_up(door.io));
  EXPECT_EQ(door.member->dropped(Drop::handshake_timeout), 3u);
  EXPECT_EQ(door.member->log.size(), 1u);
}

TEST(MeshDoor, TheOldestOfTooManyGoes) {
  MeshLimits limits;
  limits.pending = 4;
  Door door{limits};
  std::vector<Client> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(door.client());
  ASSERT_TRUE(
      testing::run_until(door.io, [&] { return door.member->dropped(Drop::too_many) == 6; }));
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(clients[static_cast<std::size_t>(i)].is_hung_up(door.io));
  clients.back().send(hello_of(k1, k0));
  EXPECT_TRUE(clients.back().receive(door.io)) << "the last ones stay";
}

TEST(MeshDoor, TheOldestOfTooManyThatClaimTheSameNameGoes) {
  MeshLimits limits;
  limits.per_identity = 2;
  Door door{limits};
  std::vector<Client> clients;
  for (std::uint64_t i = 0; i < 5; ++i) {
    clients.push_back(door.client());
    Hello hello = hello_of(k1, k0);
    hello.attempt = i + 1;
    clients.back().send(hello);
    EXPECT_TRUE(clients.back().receive(door.io));
  }
  EXPECT_EQ(door.member->dropped(Drop::too_many), 3u);
}

std::size_t resident_kib() {
  std::ifstream file{"/proc/self/statm"};
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

Bytes random_frame(Prng& prng) {
  Bytes bytes(4 + prng.below(200));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(prng.next());
  if (prng.below(2) == 0) {  // A length that fits, so that the body is looked at.
    bytes[0] = static_cast<std::uint8_t>(bytes.size() - 4);
    bytes[1] = bytes[2] = bytes[3] = 0;
    if (bytes.size() > 4) bytes[4] = static_cast<std::uint8_t>(prng.below(6));
  }
  return bytes;
}

TEST(MeshUnderAttack, HonestTrafficIsUnharmed) {
  Party party{2};
  ASSERT_TRUE(party.connect());
  Prng prng{7};
  const std::size_t before = resident_kib();
  std::vector<Client> half_open;
  for (int i = 0; i < 100; ++i) {
    half_open.emplace_back(party[0].at());
    if (i % 2 == 0) half_open.back().send(Bytes{200, 3, 0, 0, 0});
    party.io.poll();
  }
  std::uint64_t said = 0;
  for (int i = 0; i < 2000; ++i) {
    Client stranger{party[i % 2 == 0 ? 0 : 1].at()};
    stranger.send(random_frame(prng));
    party[0].say(k1, 20);
    party[1].say(k0, 20);
    ++said;
    party.io.poll();
  }
  ASSERT_TRUE(
      party.until([&] { return party[0].heard(k1) == said && party[1].heard(k0) == said; }));
  for (const std::uint32_t i : {0u, 1u}) {
    EXPECT_EQ(party[i].disorder, 0u);
    EXPECT_EQ(party[i].mesh->stats().connects, 1u) << "never even interrupted";
    EXPECT_GT(party[i].dropped(Drop::malformed), 100u);
    EXPECT_GT(party[i].dropped(Drop::oversized), 100u);
    EXPECT_LE(party[i].log.size(), kDrops);
  }
  EXPECT_GE(party[0].dropped(Drop::too_many), 68u) << "100 half-open ones, 32 allowed";
#ifndef HAPAX_SANITIZED
  EXPECT_LT(resident_kib(), before + 16 * 1024);
#else
  EXPECT_GT(before, 0u);
#endif
}

TEST(MeshUnderAttack, AMemberFindsItsWayInThroughAFlood) {
  Loop io;
  Member low{io, options_of(0, {address("127.0.0.1:0"), address("127.0.0.1:0")})};
  std::vector<Client> flood;
  for (int i = 0; i < 200; ++i) flood.emplace_back(low.at());
  Member high{io, options_of(1, {low.at(), address("127.0.0.1:0")})};
  const auto more = [&] {
    flood.erase(flood.begin());
    flood.emplace_back(low.at());
    return high.mesh->is_up(k0) && low.mesh->is_up(k1);
  };
  EXPECT_TRUE(testing::run_until(io, more));
}

TEST(MeshUnderAttack, MembersOfTwoGroupsOrSettingsNeverMix) {
  Loop io;
  Member low{io, options_of(0, {address("127.0.0.1:0"), address("127.0.0.1:0")})};
  MeshOptions options = options_of(1, {low.at(), address("127.0.0.1:0")});
  options.group = "other";
  Member other{io, options};
  ASSERT_TRUE(testing::run_until(io, [&] { return low.dropped(Drop::wrong_group) >= 2; }));
  options.group = "test";
  options.settings = "two";
  Member later{io, options};
  ASSERT_TRUE(testing::run_until(io, [&] { return low.dropped(Drop::other_settings) >= 2; }));
  EXPECT_FALSE(low.mesh->is_up(k1));
  EXPECT_FALSE(other.mesh->is_up(k0));
  ASSERT_EQ(other.log.size(), 1u) << "told once, however often it tries";
  EXPECT_THAT(other.log[0], HasSubstr("refuses us (wrong group)"));
  ASSERT_EQ(later.log.size(), 1u);
  EXPECT_THAT(
      later.log[0],
      HasSubstr("refuses us (other settings): member 2 was started with two; member 1 with one"));
}

// Its file's mode keeps other users out; should that be changed, we still look who comes.
TEST(MeshDoor, OtherUsersOfThisMachineAreHungUpOn) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const hapax::testing::Folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  const Address door{"", 0, (folder / "door").string()};
  Loop io;
  MeshOptions options = options_of(0, {door, address("unix:/nowhere")});
  options.is_insecure = false;
  Member member{io, options};
  std::filesystem::permissions(door.path, std::filesystem::perms{0666});
  const pid_t child = fork();
  if (child == 0) {
    if (setresuid(65534, 65534, 65534) != 0) _exit(2);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::strncpy(where.sun_path, door.path.c_str(), sizeof where.sun_path - 1);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) _exit(3);
    char byte = 0;
    _exit(read(fd, &byte, 1) == 0 ? 0 : 4);  // It is hung up on, without a word.
  }
  int status = -1;
  EXPECT_TRUE(testing::run_until(io, [&] { return waitpid(child, &status, WNOHANG) == child; }));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(member.dropped(Drop::stranger), 1u);
}

}  // namespace
}  // namespace hapax::net
