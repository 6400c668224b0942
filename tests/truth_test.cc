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
#include "process_testing.h"

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
  EtcdServer etcd{folder_};
  if (!etcd.start("data")) GTEST_SKIP() << "no etcd to test against";
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

}  // namespace
}  // namespace hapax::testing
