// Elections with real processes: three daemons over Unix sockets, programs that campaign, resign,
// hand over and are killed, and observers at all members.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "hapax/hapax.h"
#include "process_testing.h"

namespace {

using namespace hapax::testing;
using ::testing::HasSubstr;

constexpr std::uint32_t kCandidates = 3;

class Elections : public ::testing::Test {
 protected:
  std::string clients_of(std::uint32_t i) const {
    return "unix:" + (folder_ / fmt::format("clients-{}", i + 1)).string();
  }
  void start_daemons(const Arguments& options, const std::vector<Arguments>& own = {}) {
    std::string members;
    for (std::uint32_t i = 0; i < kCandidates; ++i) {
      members += fmt::format("{}unix:{}/member-{}", i == 0 ? "" : ",", folder_.path().string(), i);
    }
    for (std::uint32_t i = 0; i < kCandidates; ++i) {
      Arguments words{HAPAX_BINARY,
                      "node",
                      "--self",
                      std::to_string(i + 1),
                      "--members",
                      members,
                      "--clients",
                      clients_of(i),
                      "--new-group",
                      "--state",
                      folder_ / fmt::format("state-{}", i + 1)};
      words.insert(words.end(), options.begin(), options.end());
      if (i < own.size()) words.insert(words.end(), own[i].begin(), own[i].end());
      daemons_.push_back(std::make_unique<Process>(words, Environment{}, folder_));
    }
    for (std::uint32_t i = 0; i < kCandidates; ++i) {
      ASSERT_TRUE(eventually([&] { return sees_all(i); })) << daemons_[i]->err();
    }
  }
  bool sees_all(std::uint32_t i) const {
    try {
      const auto status = hapax::Client{clients_of(i)}.status();
      return status.standing == "running";
    } catch (const std::system_error&) {
      return false;  // Not there yet.
    }
  }
  // A command of hapax that talks to member `i`.
  std::unique_ptr<Process> at(std::uint32_t i, const Arguments& arguments) const {
    Arguments words{HAPAX_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return std::make_unique<Process>(words, Environment{{"HAPAX_ADDRESS", clients_of(i)}}, folder_);
  }
  std::unique_ptr<Process> candidate(std::uint32_t i, const std::string& value) const {
    return at(i, {"elect", "x", "--stdin", "--value", value});
  }
  static bool leads(const Process& process) { return process.out().starts_with("leads x, fence"); }
  // So many wait for x.
  bool has_waiters(std::size_t count) const {
    hapax::Client client{clients_of(0)};
    const auto locks = client.who("x");
    return !locks.empty() && locks[0].waiters.size() == count;
  }
  // What an observer has seen, in order: values, or VACANT.
  static std::vector<std::string> seen_by(const Process& observer) {
    std::vector<std::string> seen;
    std::istringstream lines{observer.out()};
    for (std::string line; std::getline(lines, line);) {
      if (lines.eof()) break;  // Not all of it is written yet.
      const auto leader = boost::json::parse(line).at("leader");
      seen.push_back(leader.is_null() ? "VACANT" : std::string{leader.at("value").as_string()});
    }
    return seen;
  }

  Folder folder_;
  std::vector<std::unique_ptr<Process>> daemons_;
};

TEST_F(Elections, OneLeadsOthersStandByAndObserversSeeItAll) {
  start_daemons({});
  if (HasFatalFailure()) return;
  std::vector<std::unique_ptr<Process>> observers;
  for (std::uint32_t i = 0; i < kCandidates; ++i) {
    observers.push_back(at(i, {"elect", "x", "--observe", "--json"}));
  }
  const auto all_see = [&](const std::string& value) {
    return eventually([&] {
      for (const auto& observer : observers) {
        const auto seen = seen_by(*observer);
        if (seen.empty() || seen.back() != value) return false;
      }
      return true;
    });
  };
  EXPECT_TRUE(all_see("VACANT"));
  const auto a = candidate(0, "a");
  ASSERT_TRUE(eventually([&] { return leads(*a); })) << a->err();
  EXPECT_TRUE(all_see("a"));
  const auto b = candidate(1, "b");
  ASSERT_TRUE(eventually([&] { return has_waiters(1); }));
  const auto c = candidate(2, "c");
  ASSERT_TRUE(eventually([&] { return has_waiters(2); }));

  // The program that leads is killed: another one leads.
  a->signal(SIGKILL);
  ASSERT_TRUE(eventually([&] { return leads(*b) || leads(*c); }));
  Process& second = leads(*b) ? *b : *c;
  Process& third = leads(*b) ? *c : *b;
  const std::string second_value = leads(*b) ? "b" : "c";
  const std::string third_value = leads(*b) ? "c" : "b";
  EXPECT_TRUE(all_see(second_value));
  EXPECT_FALSE(leads(third));

  // A fourth comes, and is handed over to past the one in front.
  const auto d = candidate(0, "d");
  ASSERT_TRUE(eventually([&] { return has_waiters(2); }));
  EXPECT_EQ(at(2, {"resign", "x", "--to", "d"})->wait(), 0);
  EXPECT_TRUE(eventually([&] { return leads(*d); })) << second.err();
  EXPECT_EQ(second.wait(), 0) << "stepping down is a good end";
  EXPECT_FALSE(leads(third));
  EXPECT_TRUE(all_see("d"));

  // ^C resigns.
  d->signal(SIGINT);
  EXPECT_EQ(d->wait(), 0);
  EXPECT_TRUE(eventually([&] { return leads(third); }));
  EXPECT_TRUE(all_see(third_value));
  third.close_input();
  EXPECT_EQ(third.wait(), 0);
  EXPECT_TRUE(all_see("VACANT"));
  for (const auto& observer : observers) {
    std::vector<std::string> leaders = seen_by(*observer);
    std::erase(leaders, "VACANT");
    EXPECT_EQ(leaders, (std::vector<std::string>{"a", second_value, "d", third_value}));
    observer->signal(SIGTERM);
    EXPECT_EQ(observer->wait(), 0);
  }
}

TEST_F(Elections, ACommandRunsOnlyWhileLeading) {
  start_daemons({});
  if (HasFatalFailure()) return;
  const auto job = [&](std::uint32_t i, const std::string& name) {
    return at(i, {"elect", "x", "--value", name, "--", "sh", "-c",
                  fmt::format("echo $$ $HAPAX_FENCE >{0}.tmp; mv {0}.tmp {0}; exec sleep 100",
                              (folder_ / name).string())});
  };
  const auto first = job(0, "first");
  ASSERT_TRUE(eventually([&] { return fs::exists(folder_ / "first"); })) << first->err();
  const auto second = job(1, "second");
  ASSERT_TRUE(eventually([&] { return has_waiters(1); }));
  EXPECT_FALSE(fs::exists(folder_ / "second"));
  EXPECT_EQ(at(2, {"resign", "x"})->wait(), 0);
  EXPECT_EQ(first->wait(), 75);
  EXPECT_THAT(first->err(), HasSubstr("asked to step down"));
  EXPECT_TRUE(is_gone(pid_in(folder_ / "first")));
  ASSERT_TRUE(eventually([&] { return fs::exists(folder_ / "second"); })) << second->err();
  // The daemon of the leader goes: so does the command.
  daemons_[1]->signal(SIGKILL);
  EXPECT_EQ(second->wait(), 75);
  EXPECT_TRUE(eventually([&] { return is_gone(pid_in(folder_ / "second")); }));
}

TEST_F(Elections, BadInputIsOneLineAndNobodyLeadsIsSaid) {
  start_daemons({});
  if (HasFatalFailure()) return;
  const auto refused = [&](const Arguments& arguments, int status, const std::string& advice) {
    const auto process = at(0, arguments);
    EXPECT_EQ(process->wait(), status);
    const std::string err = process->err();
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    EXPECT_THAT(err, HasSubstr(advice));
  };
  refused({"elect", "--value", "v"}, 64, "hapax elect NAME");
  refused({"elect", "a\nb"}, 64, "control characters");
  refused({"elect", "x", "--value", std::string(513, 'v')}, 64, "512 bytes");
  refused({"elect", "x", "--observe", "--", "true"}, 64, "--observe only watches");
  refused({"elect", "x", "--"}, 64, "no command behind --");
  refused({"elect", "x", "-w", "soon"}, 64, "seconds");
  refused({"elect", "x", "--", "/no/such/command"}, 127, "/no/such/command");
  refused({"resign"}, 64, "NAME");
  refused({"resign", "x"}, 1, "nobody leads x");
  refused({"resign", "x", "--to", "a\tb"}, 64, "--to");
  refused({"stats", "--every", "0"}, 64, "seconds");
  refused({"node", "--self", "1", "--members", "unix:1", "--election", "lots"}, 64,
          "bully, ring-election, chang-roberts");
  const auto leader = candidate(1, "a");
  ASSERT_TRUE(eventually([&] { return leads(*leader); }));
  refused({"elect", "x", "-w", "0.1"}, 1, "somebody else leads x");
}

class LeaderBy : public Elections, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Elections, LeaderBy,
                         ::testing::Values("bully", "ring-election", "chang-roberts"),
                         [](const auto& test) {
                           std::string name{test.param};
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Contention by `central`; and who leads, which has nothing to do with it.
TEST_P(LeaderBy, IsTheHighestInReachWhileCentralLetsInOneAtATime) {
  start_daemons({"--default-algorithm", "central", "--election", GetParam()});
  if (HasFatalFailure()) return;
  constexpr int kEntries = 20;
  std::vector<std::unique_ptr<Process>> contenders;
  for (std::uint32_t i = 0; i < 2 * kCandidates; ++i) {
    const std::string count = (folder_ / "count").string();
    contenders.push_back(at(
        i % kCandidates, {"run", "one", "--", "sh", "-c",
                          fmt::format("for i in $(seq {1}); do n=$(cat {0} 2>/dev/null || echo 0); "
                                      "echo $((n + 1)) >{0}; done; echo $HAPAX_FENCE >>{0}.fences",
                                      count, kEntries)}));
  }
  for (const auto& contender : contenders) EXPECT_EQ(contender->wait(), 0) << contender->err();
  int count = 0;
  std::ifstream{folder_ / "count"} >> count;
  EXPECT_EQ(count, static_cast<int>(contenders.size()) * kEntries);
  std::ifstream fences{folder_ / "count.fences"};
  std::vector<int> turns;
  for (std::string fence; fences >> fence;) turns.push_back(std::stoi(fence.substr(2)));
  EXPECT_EQ(turns.size(), contenders.size());
  EXPECT_TRUE(std::is_sorted(turns.begin(), turns.end()));
  for (std::uint32_t i = 0; i < kCandidates; ++i) {
    const auto status = hapax::Client{clients_of(i)}.status();
    EXPECT_EQ(status.election, GetParam());
    EXPECT_TRUE(
        eventually([&] { return hapax::Client{clients_of(i)}.status().leader == kCandidates; }));
  }
  // It changes with the reach.
  daemons_[kCandidates - 1]->signal(SIGKILL);
  EXPECT_TRUE(
      eventually([&] { return hapax::Client{clients_of(0)}.status().leader == kCandidates - 1; }));
}

}  // namespace
