// Members of neighbouring versions: the other end is a test that speaks an earlier one, or a later.
#include <boost/asio/ip/tcp.hpp>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "net/frame.h"
#include "net/greeting.h"
#include "net/testing/party.h"
#include "net/testing/raw_end.h"

namespace hapax::net {
namespace {

using testing::address;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::k0;
using testing::k1;
using testing::Member;
using testing::options_of;
using testing::Party;
using testing::RawEnd;
using testing::run_until;

TEST(CallVersion, StepsDownForTheProcessThatRefusedAndForNoOther) {
  CallVersion calls;
  EXPECT_EQ(calls.now(), 3u);
  EXPECT_TRUE(calls.met(7));
  EXPECT_TRUE(calls.met(8)) << "the newest is for everybody";
  EXPECT_TRUE(calls.step_down());
  EXPECT_EQ(calls.now(), 2u);
  EXPECT_TRUE(calls.met(9));
  EXPECT_TRUE(calls.met(9)) << "also when its connection broke";
  EXPECT_FALSE(calls.met(10)) << "which may speak more";
  EXPECT_EQ(calls.now(), 3u);
  EXPECT_TRUE(calls.met(10));
}

TEST(CallVersion, BeginsAgainWhenAllWereRefused) {
  CallVersion calls;
  EXPECT_TRUE(calls.step_down());
  EXPECT_FALSE(calls.step_down());
  EXPECT_EQ(calls.now(), 3u);
}

Hello hello_in(std::uint32_t version, Seat from, std::uint64_t incarnation) {
  Hello hello;
  hello.version = version;
  hello.group = {'t', 'e', 's', 't'};
  hello.settings = {'o', 'n', 'e'};
  hello.from = from;
  hello.to = from == k0 ? k1 : k0;
  hello.incarnation = incarnation;
  hello.attempt = 1;
  hello.nonce = 1234;
  return hello;
}

TEST(MeshVersions, NeighboursOfOneReleaseSayIt) {
  Party party{2, [](MeshOptions& o) { o.release = number(o.self) == 0 ? "0.9" : "1.0+g1\x1b"; }};
  ASSERT_TRUE(party.connect());
  EXPECT_EQ(party[0].mesh->version_of(k1), 3u);
  EXPECT_EQ(party[1].mesh->version_of(k0), 3u);
  EXPECT_EQ(party[0].mesh->release_of(k1), "1.0+g1\\x1b") << "harmless on a terminal";
  EXPECT_EQ(party[1].mesh->release_of(k0), "0.9");
}

// Member 0 of two, which is called.
struct Called {
  Called() : member(io, options_of(0, {address("127.0.0.1:0"), address("127.0.0.1:0")})) {}

  // What it says to that greeting.
  std::optional<Frame> answer_to(const Hello& hello) {
    caller.emplace(member.at());
    caller->send(hello);
    answer = caller->receive(io);
    return answer ? decode_frame(*answer, hello.version) : std::nullopt;
  }

  Loop io;
  Member member;
  std::optional<RawEnd> caller;
  std::optional<Bytes> answer;
};

TEST(MeshVersions, OneThatCallsInTheVersionBeforeIsAnsweredInIt) {
  Called called;
  const auto answer = called.answer_to(hello_in(2, k1, 99));
  ASSERT_TRUE(answer);
  const Hello hello = std::get<Hello>(answer->content);
  EXPECT_EQ(hello.version, 2u);
  EXPECT_FALSE(decode_frame(*called.answer, 3)) << "no byte more than it had";
  called.caller->send(Confirm{hello.nonce}, 2);
  ASSERT_TRUE(run_until(called.io, [&] { return called.member.mesh->is_up(k1); }));
  EXPECT_EQ(called.member.mesh->version_of(k1), 2u);
  EXPECT_EQ(called.member.mesh->release_of(k1), "");
  Bytes messages;
  write_message(messages, encode(std::uint64_t{1}));
  called.caller->send(Data{1, 0}, 2, messages);
  EXPECT_TRUE(run_until(called.io, [&] { return called.member.heard(k1) == 1; }));
  EXPECT_THAT(called.member.log, IsEmpty());
}

TEST(MeshVersions, WhoNamesAVersionIsHeldToIt) {
  for (const std::uint32_t version : {2u, 3u}) {
    Called called;
    const auto answer = called.answer_to(hello_in(version, k1, 99));
    ASSERT_TRUE(answer);
    const std::uint64_t nonce = std::get<Hello>(answer->content).nonce;
    called.caller->send(Confirm{nonce, std::string{"9.9"}}, version == 2 ? 3 : 2);
    EXPECT_TRUE(called.caller->is_hung_up(called.io));
    EXPECT_EQ(called.member.dropped(Drop::malformed), 1u);
  }
}

TEST(MeshVersions, OthersAreRefusedByName) {
  Called called;
  const auto words = [&](std::uint32_t version) {
    const auto answer = called.answer_to(hello_in(version, k1, 99));
    const Bye bye = std::get<Bye>(answer->content);
    EXPECT_EQ(bye.why, Drop::wrong_version);
    return words_of(bye);
  };
  EXPECT_EQ(words(5),
            "member 1 speaks versions 3 and 2, member 2 speaks 5: upgrade through the release "
            "between");
  EXPECT_EQ(words(4),
            "member 1 speaks versions 3 and 2, member 2 speaks 4: it will call again in the one "
            "before");
}

// Member 1 of two, and in the test's hands the address at which it calls member 0.
struct Calling {
  Calling()
      : acceptor(hapax::testing::strangers(), {boost::asio::ip::address_v4::loopback(), 0}),
        member(io, options_of(
                       1, {address(fmt::format("127.0.0.1:{}", acceptor.local_endpoint().port())),
                           address("127.0.0.1:0")})) {
    acceptor.non_blocking(true);
  }

  // The next call, and what it says.
  Hello next() {
    end.reset();
    boost::system::error_code none;
    EXPECT_TRUE(run_until(io, [&] {
      RawEnd::Tcp::socket socket{hapax::testing::strangers()};
      acceptor.accept(socket, none);
      if (none) return false;
      end.emplace(std::move(socket));
      return true;
    }));
    const auto said = end->receive(io);
    return std::get<Hello>(decode_frame(said.value(), kGreetingVersion).value().content);
  }
  // As a daemon of the release before answers a version that it does not know.
  void refuse() {
    const std::string words = "it speaks version 3 and we 2";
    end->send(Bye{Drop::wrong_version, {words.begin(), words.end()}}, 2);
  }
  void answer(const Hello& call, std::uint32_t version, std::uint64_t incarnation) {
    Hello hello = hello_in(version, k0, incarnation);
    hello.attempt = call.attempt;
    hello.echo = call.nonce;
    if (version >= 3) hello.release = std::string{"9.9"};
    end->send(hello, version);
  }
  bool is_up() {
    return run_until(io, [&] { return member.mesh->is_up(k0); });
  }
  bool is_down() {
    return run_until(io, [&] { return !member.mesh->is_up(k0); });
  }

  Loop io;
  RawEnd::Tcp::acceptor acceptor;
  Member member;
  std::optional<RawEnd> end;
};

TEST(MeshVersions, AMemberThatRefusesOursIsCalledInTheOneBefore) {
  Calling calling;
  EXPECT_EQ(calling.next().version, 3u);
  calling.refuse();
  const Hello second = calling.next();
  EXPECT_EQ(second.version, 2u);
  calling.answer(second, 2, 50);
  const auto confirm = calling.end->receive(calling.io);
  ASSERT_TRUE(confirm);
  EXPECT_TRUE(decode_frame(*confirm, 2));
  ASSERT_TRUE(calling.is_up());
  EXPECT_EQ(calling.member.mesh->version_of(k0), 2u);
  EXPECT_EQ(calling.member.mesh->release_of(k0), "");
  EXPECT_THAT(calling.member.log, IsEmpty()) << "nothing is wrong";
}

TEST(MeshVersions, ThatIsRememberedForItsProcessAndForNoOther) {
  Calling calling;
  calling.next();
  calling.refuse();
  calling.answer(calling.next(), 2, 50);
  ASSERT_TRUE(calling.is_up());
  calling.end.reset();
  ASSERT_TRUE(calling.is_down());
  const Hello again = calling.next();
  EXPECT_EQ(again.version, 2u) << "it would refuse the other once more";
  calling.answer(again, 2, 50);
  ASSERT_TRUE(calling.is_up());
  calling.end.reset();
  ASSERT_TRUE(calling.is_down());
  // It was upgraded meanwhile, and still understands the call.
  const Hello last = calling.next();
  EXPECT_EQ(last.version, 2u);
  calling.answer(last, 2, 51);
  const Hello newest = calling.next();
  EXPECT_EQ(newest.version, 3u);
  calling.answer(newest, 3, 51);
  ASSERT_TRUE(calling.is_up());
  EXPECT_EQ(calling.member.mesh->version_of(k0), 3u);
  EXPECT_EQ(calling.member.mesh->release_of(k0), "9.9");
  EXPECT_EQ(calling.member.mesh->incarnation_of(k0), 51u);
}

TEST(MeshVersions, OneThatRefusesBothIsNamedAndCalledOn) {
  Calling calling;
  std::vector<std::uint32_t> versions;
  for (int i = 0; i < 4; ++i) {
    versions.push_back(calling.next().version);
    calling.refuse();
  }
  EXPECT_THAT(versions, ElementsAre(3, 2, 3, 2));
  ASSERT_TRUE(run_until(calling.io, [&] { return !calling.member.log.empty(); }));
  EXPECT_THAT(
      calling.member.log,
      ElementsAre(HasSubstr("it refuses us (wrong version): it speaks version 3 and we 2")));
}

TEST(MeshVersions, AnAnswerInAnotherVersionThanTheCallIsRefused) {
  Calling calling;
  const Hello call = calling.next();
  Hello hello = hello_in(2, k0, 50);
  hello.attempt = call.attempt;
  hello.echo = call.nonce;
  calling.end->send(hello, 3);
  const auto last = calling.end->receive(calling.io);
  ASSERT_TRUE(last);
  EXPECT_EQ(std::get<Bye>(decode_frame(*last)->content).why, Drop::violation);
}

}  // namespace
}  // namespace hapax::net
