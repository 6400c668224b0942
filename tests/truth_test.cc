// What hapax says when something is down, on real daemons: which thing, since when, and never that
// somebody else has the lock if nobody can know.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

#include "etcd_testing.h"
#include "hapax/hapax.h"
#include "nobody_testing.h"

namespace hapax::testing {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;

struct Said {
  int status;
  std::string out, err;
};

class Truth : public ::testing::Test {
 protected:
  std::string address(int i) const { return "unix:" + (folder_ / fmt::format("c{}", i)).string(); }
  std::unique_ptr<Process> start(int i, Arguments words) const {
    words.insert(words.begin(), HAPAX_BINARY);
    return std::make_unique<Process>(words, Environment{{"HAPAX_ADDRESS", address(i)}}, folder_);
  }
  // Asked of member `i`, to its end.
  Said ask(int i, const Arguments& words) const {
    const auto process = start(i, words);
    process->close_input();
    const int status = process->wait(30s);
    return {status, process->out(), process->err()};
  }
  void start_node(int i, const std::string& engine, const std::string& ttl) {
    nodes_[i] = start(i, {"node", "--engine", engine, "--listen",
                          "unix:" + (folder_ / fmt::format("m{}", i)).string(), "--clients",
                          address(i), "--name", fmt::format("host{}", i), "--ttl", ttl,
                          "--new-group", "--state", folder_ / fmt::format("s{}", i)});
  }
  void start_listed(int i, bool is_new = true) {
    Arguments words{"node",
                    "--self",
                    std::to_string(i),
                    "--members",
                    members(),
                    "--state",
                    folder_ / fmt::format("s{}", i),
                    "--clients",
                    address(i)};
    // Asks everybody, each time.
    words.insert(words.end(), {"--default-algorithm", "ricart-agrawala"});
    if (is_new) words.push_back("--new-group");
    nodes_[i] = start(i, words);
  }
  std::string members() const {
    const auto at = [&](int i) { return "unix:" + (folder_ / fmt::format("m{}", i)).string(); };
    return at(1) + "," + at(2) + "," + at(3);
  }
  std::string embedded() const { return "embedded:" + (folder_ / "group.db").string(); }
  // As many are members, connected, and grant.
  bool is_complete(int i, std::uint32_t size) const {
    try {
      const auto status = hapax::Client{address(i)}.status();
      return status.size == size && status.obstacle.empty() && status.away.empty();
    } catch (const std::system_error&) {
      return false;
    }
  }
  void await_group(int size) {
    for (int i = 1; i <= size; ++i) {
      ASSERT_TRUE(eventually([&] { return is_complete(i, static_cast<std::uint32_t>(size)); }, 30s))
          << nodes_[i]->err();
    }
  }
  std::unique_ptr<Process> hold(int i, const std::string& name) const {
    auto holder = start(i, {"run", name, "--", "sh", "-c", "echo inside; exec sleep 100"});
    EXPECT_TRUE(eventually([&] { return holder->out() == "inside\n"; }, 20s)) << holder->err();
    return holder;
  }

  Folder folder_;
  std::map<int, std::unique_ptr<Process>> nodes_;
};

TEST_F(Truth, WithoutALeaseNobodyIsSaidToHaveTheLock) {
  if (!EtcdServer::is_here(folder_)) GTEST_SKIP() << "no etcd to test against";
  EtcdServer etcd{folder_};
  ASSERT_TRUE(etcd.start("data"));
  start_node(1, etcd.url(), "2s");
  await_group(1);
  const std::string down = "etcd at " + etcd.url().substr(7) + " does not answer since ";
  const auto holder = hold(1, "held");
  etcd.kill();
  EXPECT_EQ(holder->wait(20s), 75);
  EXPECT_THAT(holder->err(), HasSubstr("held is lost, and the command was ended: "));
  EXPECT_THAT(holder->err(), HasSubstr(down));
  hapax::Client client{address(1)};
  ASSERT_TRUE(eventually([&] { return !client.status().obstacle.empty(); }, 20s));

  const std::string free = "free: no lease: " + down;
  for (const Arguments& words :
       {Arguments{"run", "-n", "free", "--", "touch", (folder_ / "ran").string()},
        Arguments{"run", "-w", "0.3", "-E", "9", "free", "--", "touch", (folder_ / "ran").string()},
        Arguments{"try", "free"}, Arguments{"try", "--json", "free"},
        Arguments{"lock", "-n", "free"}, Arguments{"elect", "-w", "0.3", "free"}}) {
    const Said said = ask(1, words);
    EXPECT_EQ(said.status, 75) << words[0] << said.out << said.err;
    EXPECT_THAT(said.err, HasSubstr(free)) << words[0];
    EXPECT_EQ(said.out, "") << words[0];
  }
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
  EXPECT_THAT(ask(1, {"why", "free"}).out,
              HasSubstr("free cannot be granted at host1: no lease: " + down));
  EXPECT_THAT(ask(1, {"why", "free"}).out, Not(HasSubstr("held by nobody")));
  const auto why = json::parse(ask(1, {"why", "--json", "free"}).out).as_object();
  EXPECT_THAT(std::string{why.at("obstacle").as_string()}, HasSubstr("no lease: " + down));

  hapax::Mutex mutex{client, "free"};
  try {
    (void)mutex.try_lock();
    ADD_FAILURE() << "false means that somebody else has it";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), hapax::Errc::unavailable);
  }

  // Who waits without end is told, and served in the end.
  const auto patient = start(1, {"run", "free", "--", "echo", "served"});
  EXPECT_TRUE(eventually(
      [&] { return patient->err().find("waits for free: no lease") != std::string::npos; }, 20s))
      << patient->err();
  ASSERT_TRUE(etcd.start("data"));
  EXPECT_EQ(patient->wait(30s), 0) << patient->err();
  EXPECT_EQ(patient->out(), "served\n");
}

TEST_F(Truth, AMemberThatIsAwayMayHoldALockUntilItsLeaseEnds) {
  for (int i = 1; i <= 3; ++i) start_node(i, embedded(), "6s");
  await_group(3);
  const auto gone = hold(1, "job");
  const auto busy = hold(3, "busy");
  nodes_[1]->signal(SIGKILL);
  const std::string away = "member host1 is away and may hold it; free in about ";
  ASSERT_TRUE(eventually(
      [&] {
        return ask(2, {"why", "job"}).out.starts_with("job: " + away);
      },
      5s))
      << ask(2, {"why", "job"}).out;
  const auto why = json::parse(ask(2, {"why", "--json", "job"}).out).as_object();
  ASSERT_EQ(why.at("away").as_array().size(), 1u);
  EXPECT_EQ(why.at("away").at(0).at("name"), "member host1");
  EXPECT_LE(why.at("away").at(0).at("free_in_ms").as_int64(), 7'000);
  const Said tried = ask(2, {"run", "-n", "job", "--", "true"});
  EXPECT_EQ(tried.status, 75) << tried.err;
  EXPECT_THAT(tried.err, HasSubstr("job: " + away));
  // Somebody is known to hold this one.
  EXPECT_EQ(ask(2, {"run", "-n", "busy", "--", "true"}).status, 1);
  EXPECT_THAT(ask(2, {"why", "busy"}).out, HasSubstr("busy is held by"));
  EXPECT_EQ(ask(2, {"run", "job", "--", "true"}).status, 0);
  EXPECT_TRUE(eventually(
      [&] {
        return ask(2, {"why", "job"}).out.find("held by nobody") != std::string::npos;
      },
      10s));
}

// Here since they trust different authorities.
TEST_F(Truth, WhoCannotReachAMemberThatLivesSaysWhom) {
  for (int i = 1; i <= 2; ++i) {
    const std::string certs = folder_ / fmt::format("certs-{}", i);
    ASSERT_EQ(ask(i, {"certs", "--dir", certs, "--members", "127.0.0.1,127.0.0.1"}).status, 0);
    const std::string own = certs + fmt::format("/member-{}", i);
    nodes_[i] = start(i, {"node",
                          "--engine",
                          embedded(),
                          "--listen",
                          fmt::format("127.0.0.1:{}", free_port()),
                          "--clients",
                          address(i),
                          "--name",
                          fmt::format("host{}", i),
                          "--ttl",
                          "1s",
                          "--new-group",
                          "--state",
                          folder_ / fmt::format("s{}", i),
                          "--ca",
                          certs + "/ca.pem",
                          "--cert",
                          own + ".pem",
                          "--key",
                          own + ".key"});
    if (i == 1) await_group(1);
  }
  EXPECT_TRUE(eventually(
      [&] {
        return ask(2, {"status"}).out.find("it joins when it is connected to host1 (") !=
               std::string::npos;
      },
      20s))
      << ask(2, {"status"}).out;
}

TEST_F(Truth, InAFixedListItIsSaidWhoIsWaitedFor) {
  for (int i = 1; i <= 3; ++i) start_listed(i);
  await_group(3);
  nodes_[3]->signal(SIGKILL);
  const std::string away =
      "member 3 is away and may hold it; nobody is removed from a fixed list: start it again";
  ASSERT_TRUE(eventually(
      [&] {
        return ask(1, {"why", "x"}).out == "x: " + away + "\n";
      },
      10s))
      << ask(1, {"why", "x"}).out;
  const Said tried = ask(1, {"run", "-n", "x", "--", "true"});
  EXPECT_EQ(tried.status, 75);
  EXPECT_THAT(tried.err, HasSubstr("x: " + away));
  const auto waits = start(1, {"run", "x", "--", "echo", "served"});
  EXPECT_TRUE(eventually([&] {
    return ask(2, {"why", "x"}).out.find(", for member 3\n") != std::string::npos;
  }));
  EXPECT_TRUE(
      eventually([&] { return waits->err().find("waits for x: " + away) != std::string::npos; }));
  start_listed(3, false);
  EXPECT_EQ(waits->wait(40s), 0) << waits->err();
}

// --- TLS and sockets ---

class Strangers : public Truth {
 protected:
  void make_certs(const std::string& folder) const {
    const Said made = ask(
        1, {"certs", "--dir", folder_ / folder, "--members", "localhost", "--clients", "alice"});
    ASSERT_EQ(made.status, 0) << made.err;
  }
  void start_daemon() {
    const std::string ours = folder_ / "ours";
    nodes_[1] = start(
        1, {"node", "--self", "1", "--members", "unix:" + (folder_ / "m1").string(), "--clients",
            at_, "--clients", address(1), "--state", folder_ / "s1", "--new-group", "--ca",
            ours + "/ca.pem", "--cert", ours + "/member-1.pem", "--key", ours + "/member-1.key"});
    ASSERT_TRUE(eventually(
        [&] { return nodes_[1]->err().find("serves clients") != std::string::npos; }, 20s))
        << nodes_[1]->err();
  }
  Said run_as(const std::string& authority, const std::string& stem) const {
    const std::string files = folder_ / stem;
    return ask(1, {"run", "--address", at_, "--ca", folder_ / authority, "--cert", files + ".pem",
                   "--key", files + ".key", "x", "--", "echo", "ran"});
  }
  void expect_refused(const Said& said, int status, const std::string& told,
                      const std::string& logged) {
    EXPECT_EQ(said.status, status) << said.err;
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.err, HasSubstr(told));
    EXPECT_THAT(said.err, Not(HasSubstr("hapax up")));
    EXPECT_TRUE(eventually([&] {
      return nodes_[1]->err().find("refused a client from 127.0.0.1: " + logged) !=
             std::string::npos;
    })) << nodes_[1]->err();
  }

  const std::string at_ = fmt::format("127.0.0.1:{}", free_port());
};

TEST_F(Strangers, AreToldWhatIsWrongWithACertificateAtBothEnds) {
  make_certs("ours");
  make_certs("theirs");
  start_daemon();
  EXPECT_EQ(run_as("ours/ca.pem", "ours/client-alice").out, "ran\n");
  expect_refused(run_as("theirs/ca.pem", "theirs/client-alice"), 69,
                 "its certificate member-1 is of another authority (",
                 "it refuses our certificate member-1, which is of another authority");
  expect_refused(run_as("ours/ca.pem", "theirs/client-alice"), 77,
                 "it refuses our certificate client-alice, which is of another authority",
                 "its certificate client-alice is of another authority (");
  expect_refused(run_as("ours/ca.pem", "ours/member-1"), 77,
                 "your certificate is made out to member-1, and not to a client",
                 "its certificate is made out to member-1, and not to a client");
  const Said plain = ask(1, {"run", "--address", at_, "--insecure", "x", "--", "true"});
  EXPECT_EQ(plain.status, 69);
  EXPECT_THAT(plain.err, HasSubstr("it may want TLS: --ca, --cert and --key"));
}

TEST_F(Strangers, AreToldThatTheyMayNotConnectToASocket) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  make_certs("ours");
  start_daemon();
  fs::permissions(folder_.path(), fs::perms{0755});
  Process other{
      by_nobody({hapax_for_nobody(folder_), "status", "--address", address(1)}),
      Environment{{"HAPAX_SERVER_USER", "root"}}, folder_};
  EXPECT_EQ(other.wait(), 77);
  EXPECT_THAT(other.err(), HasSubstr("no permission to connect to " + address(1) +
                                     ": it is of root (uid 0), mode 0600, and you are nobody"));
  EXPECT_THAT(other.err(), HasSubstr("--socket-group or --socket-mode"));
}

// --- what administrators do ---

TEST_F(Truth, WhoIsEvictedComesBackAndWhoIsBannedDoesNot) {
  for (int i = 1; i <= 2; ++i) {  // So that each has its number as its seat.
    start_node(i, embedded(), "1s");
    await_group(i);
  }
  const auto logs = [&](int i, const std::string& line) {
    return eventually([&] { return nodes_[i]->err().find(line) != std::string::npos; }, 20s);
  };
  Said said = ask(1, {"evict", "host2", "--yes"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("it will come back as another life unless it is stopped"));
  EXPECT_TRUE(logs(2, "evicted by host1: beats of life")) << nodes_[2]->err();
  EXPECT_TRUE(logs(2, "it comes back as another life, unless it is stopped"));
  EXPECT_TRUE(logs(2, "this life is over"));
  await_group(2);

  said = ask(1, {"evict", "host2", "--ban", "--yes"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("stays out until `hapax evict host2 --unban`"));
  EXPECT_TRUE(logs(2, "banned, too: it stays out until that is lifted")) << nodes_[2]->err();
  EXPECT_TRUE(logs(2, "host2, seat 2, is banned from group hapax by host1")) << nodes_[2]->err();
  EXPECT_TRUE(eventually([&] { return is_complete(1, 1); }, 20s));
  EXPECT_THAT(ask(1, {"members"}).out, HasSubstr("banned: host2, seat 2, by host1"));
  EXPECT_THAT(ask(2, {"try", "x"}).err, HasSubstr("x: no lease: host2, seat 2, is banned"));
  said = ask(2, {"evict", "host2", "--unban"});
  EXPECT_EQ(said.status, 69);
  EXPECT_THAT(said.err, HasSubstr("it is this member that is banned: ask at another one"));
  // Not even when it is started again, nor when all are.
  nodes_[2]->signal(SIGKILL);
  nodes_[1]->signal(SIGTERM);
  EXPECT_EQ(nodes_[1]->wait(), 0);
  start_node(1, embedded(), "1s");
  EXPECT_TRUE(eventually([&] { return is_complete(1, 1); }, 30s)) << nodes_[1]->err();
  start_node(2, embedded(), "1s");
  EXPECT_EQ(nodes_[2]->wait(), 69);
  EXPECT_THAT(nodes_[2]->err(), HasSubstr("host2, seat 2, is banned from group hapax by host1, and "
                                          "stays out until `hapax evict host2 --unban`"));
  EXPECT_EQ(ask(1, {"evict", "nobody", "--unban"}).status, 69);
  said = ask(1, {"evict", "host2", "--unban"});
  EXPECT_EQ(said.status, 0) << said.err;
  start_node(2, embedded(), "1s");
  await_group(2);
}

TEST_F(Truth, ABrokenLockGoesOnAndItsHolderIsTold) {
  for (int i = 1; i <= 2; ++i) start_node(i, embedded(), "2s");
  await_group(2);
  EXPECT_EQ(ask(1, {"break", "job", "--yes"}).status, 1) << "nobody holds it";
  const auto stuck = hold(2, "job");
  const auto next = start(1, {"run", "job", "--", "sh", "-c", "echo $HAPAX_FENCE"});
  const auto fence = [&] {
    const auto who = json::parse(ask(1, {"who", "job", "--json"}).out);
    return std::stod(std::string{who.at("locks").at(0).at("holder").at("fence").as_string()});
  };
  const double first = fence();
  const Said unsure = ask(1, {"break", "job"});
  EXPECT_EQ(unsure.status, 64);
  EXPECT_THAT(unsure.err, HasSubstr("say --yes if you mean it"));
  // Held at the other member.
  const Said broken = ask(1, {"break", "job", "--yes"});
  EXPECT_EQ(broken.status, 0) << broken.err;
  EXPECT_THAT(broken.out, HasSubstr("job is broken: it was held by "));
  EXPECT_EQ(stuck->wait(20s), 75);
  EXPECT_THAT(stuck->err(), HasSubstr("job is lost, and the command was ended: the lock was broken "
                                      "by "));
  EXPECT_EQ(next->wait(20s), 0) << next->err();
  EXPECT_GT(std::stod(next->out()), first);
  EXPECT_THAT(nodes_[1]->err(), HasSubstr("asked to break job by "));
  EXPECT_THAT(nodes_[2]->err(), HasSubstr("broke job, as asked for by "));
  EXPECT_EQ(ask(2, {"run", "-n", "job", "--", "true"}).status, 0);
}

TEST_F(Truth, NobodyStepsDownForWhoeverIsNotThere) {
  for (int i = 1; i <= 3; ++i) start_listed(i);
  await_group(3);
  const auto leader = start(1, {"elect", "x", "--value", "one"});
  ASSERT_TRUE(eventually([&] { return leader->out().starts_with("leads x"); }, 20s))
      << leader->err();
  const Said nobody = ask(2, {"resign", "x", "--to", "nobody"});
  EXPECT_EQ(nobody.status, 1);
  EXPECT_THAT(
      nobody.err,
      HasSubstr("nobody is known to campaign for x with the value nobody; one still leads"));
  EXPECT_FALSE(leader->has_ended());
  EXPECT_EQ(leader->err(), "");
  const auto second = start(3, {"elect", "x", "--value", "two"});
  ASSERT_TRUE(eventually([&] { return ask(2, {"resign", "x", "--to", "two"}).status == 0; }, 20s));
  EXPECT_TRUE(eventually([&] { return second->out().starts_with("leads x"); }, 20s));
}

}  // namespace
}  // namespace hapax::testing
