// Groups on an engine, as operators run them: real daemons that are killed, sleep, leave and are
// evicted, while `hapax run` holds locks through them.
#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <memory>

#include "process_testing.h"

namespace hapax::testing {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;

class Views : public ::testing::Test {
 protected:
  std::string address(int i) const {
    return "unix:" + (folder_ / ("c" + std::to_string(i))).string();
  }
  std::unique_ptr<Process> start(Arguments words) const {
    words.insert(words.begin(), HAPAX_BINARY);
    return std::make_unique<Process>(words, Environment{}, folder_);
  }
  void start_node(int i) {
    nodes_[i] = start({"node", "--engine", "embedded:" + (folder_ / "group.db").string(), "--group",
                       "test", "--listen", "unix:" + (folder_ / ("m" + std::to_string(i))).string(),
                       "--clients", address(i), "--name", "host" + std::to_string(i), "--ttl", "1s",
                       "--new-group", "--state", (folder_ / ("s" + std::to_string(i))).string()});
  }
  void start_group(int size) {
    for (int i = 1; i <= size; ++i) start_node(i);
    for (int i = 1; i <= size; ++i) {
      ASSERT_TRUE(eventually([&] { return members(i) == size; }, 20s)) << nodes_[i]->err();
    }
  }
  json::object status(int i) const {
    const auto process = start({"status", "--json", "--address", address(i)});
    process->close_input();
    if (process->wait(10s) != 0) return {};
    return json::parse(process->out()).as_object();
  }
  // Of the view, as that daemon sees it; 0 unless it runs with a lease.
  int members(int i) const {
    const json::object s = status(i);
    if (s.empty()) return 0;
    const json::object& view = s.at("view").as_object();
    if (view.at("standing") != "running" || view.at("lease_ms").as_int64() == 0) return 0;
    int count = 0;
    for (const json::value& life : view.at("lives").as_array()) {
      count += life.at("member").as_bool() ? 1 : 0;
    }
    return count;
  }
  // Holds the lock until it is ended; writes its pid.
  std::unique_ptr<Process> hold(int i) const {
    return start(
        {"run", "--address", address(i), "job", "--", "sh", "-c",
         "echo $$ > " + (folder_ / "holder").string() + "; echo $HAPAX_FENCE; exec sleep 60"});
  }
  std::unique_ptr<Process> take(int i) const {
    return start({"run", "--address", address(i), "job", "--", "sh", "-c", "echo $HAPAX_FENCE"});
  }
  bool holds() const {
    return eventually([&] { return pid_in(folder_ / "holder") > 0; }, 10s);
  }

  Folder folder_;
  std::map<int, std::unique_ptr<Process>> nodes_;
};

TEST_F(Views, TakeOverFromADaemonThatIsKilled) {
  start_group(3);
  const auto holder = hold(1);
  ASSERT_TRUE(holds()) << holder->err();
  const auto next = take(2);
  EXPECT_FALSE(eventually([&] { return !next->out().empty(); }, 300ms));
  nodes_[1]->signal(SIGKILL);
  EXPECT_EQ(next->wait(15s), 0) << next->err();
  EXPECT_EQ(holder->wait(5s), 75) << holder->err();  // Lost.
  EXPECT_TRUE(eventually([&] { return is_gone(pid_in(folder_ / "holder")); }));
  EXPECT_GT(std::stod(next->out()), std::stod(holder->out()));  // The view goes first in a fence.
  // It comes back as another life.
  start_node(1);
  EXPECT_TRUE(eventually([&] { return members(2) == 3; }, 20s));
}

TEST_F(Views, EndTheJobOfADaemonThatSleepsBeforeAnybodyElseHasTheLock) {
  start_group(3);
  const auto holder = hold(2);
  ASSERT_TRUE(holds()) << holder->err();
  const pid_t job = pid_in(folder_ / "holder");
  nodes_[2]->signal(SIGSTOP);
  const auto next = start({"run", "--address", address(3), "job", "--", "sh", "-c",
                           "kill -0 " + std::to_string(job) + " 2>/dev/null && echo both"});
  EXPECT_EQ(next->wait(15s), 1) << next->err();  // It is gone: kill fails.
  EXPECT_EQ(next->out(), "");
  EXPECT_EQ(holder->wait(5s), 75);
  nodes_[2]->signal(SIGCONT);
  EXPECT_TRUE(eventually([&] { return members(2) == 3; }, 20s)) << nodes_[2]->err();
  const auto again = take(2);
  EXPECT_EQ(again->wait(15s), 0) << again->err();
}

TEST_F(Views, LetLeadersHandOverAndObserversSeeWhoLeadsNow) {
  start_group(3);
  if (HasFatalFailure()) return;
  const auto observe = [&](int i) {
    return start({"elect", "x", "--observe", "--json", "--address", address(i)});
  };
  const auto campaign = [&](int i, const std::string& value) {
    return start({"elect", "x", "--value", value, "--address", address(i)});
  };
  const auto leads = [](const Process& candidate) {
    return eventually([&] { return candidate.out().starts_with("leads x"); }, 15s);
  };
  // The value that it saw last; or VACANT.
  const auto sees = [](const Process& observer, const std::string& value) {
    const std::string wanted = value == "VACANT" ? "null}" : "\"" + value + "\"";
    return eventually(
        [&] {
          const std::string all = observer.out();
          if (all.empty() || all.back() != '\n') return false;
          const std::size_t line = all.rfind('\n', all.size() - 2) + 1;  // npos + 1 is 0.
          return all.find(wanted, line) != std::string::npos;
        },
        15s);
  };
  const auto observer = observe(1);
  EXPECT_TRUE(sees(*observer, "VACANT"));
  const auto two = campaign(2, "two");
  ASSERT_TRUE(leads(*two)) << two->err();
  EXPECT_TRUE(sees(*observer, "two"));
  const auto waits = [&](const std::string& value) {
    return eventually([&] {
      const auto who = start({"who", "x", "--json", "--address", address(1)});
      return who->wait() == 0 && who->out().find("--value " + value) != std::string::npos;
    });
  };
  const auto ahead = campaign(2, "ahead");
  ASSERT_TRUE(waits("ahead"));
  const auto three = campaign(3, "three");
  ASSERT_TRUE(waits("three"));
  const auto resign = start({"resign", "x", "--to", "three", "--address", address(1)});
  EXPECT_EQ(resign->wait(), 0) << resign->err();
  EXPECT_TRUE(leads(*three)) << two->err();
  EXPECT_EQ(two->wait(), 0) << two->err();
  EXPECT_THAT(two->err(), Not(HasSubstr("not handed over")));
  EXPECT_EQ(ahead->out(), "") << "it was not its turn";
  ahead->signal(SIGINT);
  EXPECT_NE(ahead->wait(), -1);
  EXPECT_TRUE(sees(*observer, "three")) << observer->out();

  // Its member dies: nobody leads when its lease is over.
  nodes_[3]->signal(SIGKILL);
  EXPECT_TRUE(sees(*observer, "VACANT")) << observer->out();
  // It comes back as another life, and a leader there is seen: by those who have been observing all
  // the time, and by those who begin now.
  start_node(3);
  ASSERT_TRUE(eventually([&] { return members(1) == 3 && members(3) == 3; }, 20s));
  const auto again = campaign(3, "again");
  ASSERT_TRUE(leads(*again)) << again->err();
  EXPECT_TRUE(sees(*observer, "again")) << observer->out();
  EXPECT_TRUE(sees(*observe(1), "again"));
  EXPECT_TRUE(sees(*observe(2), "again"));
  // The next view is one that the observer's own member makes: nobody else is left.
  nodes_[2]->signal(SIGKILL);
  ASSERT_TRUE(eventually([&] { return members(1) == 2; }, 20s));
  nodes_[3]->signal(SIGKILL);
  EXPECT_TRUE(sees(*observer, "VACANT")) << observer->out();
}

TEST_F(Views, LetADaemonLeaveAndTheOthersGoOn) {
  start_group(2);
  const auto leave = start({"leave", "--address", address(1)});
  EXPECT_EQ(leave->wait(15s), 0) << leave->err();
  EXPECT_EQ(nodes_[1]->wait(5s), 0);
  EXPECT_TRUE(eventually([&] { return members(2) == 1; }, 5s));
  const auto next = take(2);
  EXPECT_EQ(next->wait(10s), 0) << next->err();
}

// It is told to go elsewhere, and with more than one address it does.
TEST_F(Views, WhoAsksADaemonThatLeavesIsTurnedAway) {
  start_group(2);
  const auto holder = hold(1);
  ASSERT_TRUE(holds()) << holder->err();
  const auto leave = start({"leave", "--wait", "60", "--address", address(1)});
  const auto ask = [&](const std::string& where) {
    return start({"run", "--address", where, "another", "--", "true"});
  };
  std::unique_ptr<Process> away;
  EXPECT_TRUE(eventually([&] { return (away = ask(address(1)))->wait(20s) != 0; }, 20s));
  EXPECT_EQ(away->wait(1s), 75) << away->err();
  EXPECT_EQ(away->err(), "hapax: another: this member leaves its group; ask at another one\n");
  const auto status = start({"status", "--address", address(1)});
  EXPECT_EQ(status->wait(20s), 75) << status->out();
  const auto elsewhere = ask(address(1) + "," + address(2));
  EXPECT_EQ(elsewhere->wait(20s), 0) << elsewhere->err();
  holder->signal(SIGTERM);
  EXPECT_EQ(leave->wait(20s), 0) << leave->err();
}

TEST_F(Views, EvictADaemonThatBeats) {
  start_group(2);
  const auto holder = hold(1);
  ASSERT_TRUE(holds()) << holder->err();
  const auto unsure = start({"evict", "--address", address(2), "host1"});
  unsure->close_input();
  EXPECT_EQ(unsure->wait(10s), 64);
  EXPECT_THAT(unsure->err(), HasSubstr("--yes"));
  const auto evict = start({"evict", "--address", address(2), "host1", "--yes"});
  EXPECT_EQ(evict->wait(10s), 0) << evict->err();
  EXPECT_EQ(holder->wait(15s), 75) << holder->err();
  const auto next = take(2);
  EXPECT_EQ(next->wait(15s), 0) << next->err();
  EXPECT_TRUE(eventually([&] { return members(2) == 2; }, 20s));  // Back as somebody else.
}

// One line, and it ends: nobody should have to find it in a log.
TEST_F(Views, ASecondDaemonWithASeatOrAnAddressOfAnotherSaysWhose) {
  start_group(2);
  const auto second = [&](const Arguments& more) {
    Arguments words{"node",     "--engine", "embedded:" + (folder_ / "group.db").string(),
                    "--group",  "test",     "--clients",
                    address(3), "--name",   "copy",
                    "--ttl",    "1s"};
    words.insert(words.end(), more.begin(), more.end());
    auto process = start(words);
    EXPECT_EQ(process->wait(20s), 69) << process->err();
    return process->err();
  };
  const std::string member = "unix:" + (folder_ / "m").string();
  EXPECT_THAT(second({"--listen", member + "3", "--seat", "2"}),
              HasSubstr("hapax: seat 2 is taken by host"));
  EXPECT_THAT(second({"--listen", member + "2"}),
              HasSubstr("hapax: somebody listens on " + member));
  EXPECT_EQ(members(1), 2);
  nodes_[1]->signal(SIGKILL);
  ASSERT_NE(nodes_[1]->wait(10s), -1);
  start_node(1);
  EXPECT_TRUE(eventually([&] { return members(1) == 2 && members(2) == 2; }, 20s))
      << nodes_[1]->err();
}

TEST_F(Views, RefuseWhatMakesNoSense) {
  const auto refused = [&](Arguments words, const char* why) {
    words.insert(words.begin(), {"node", "--check-config"});
    const auto process = start(words);
    EXPECT_EQ(process->wait(10s), 64) << why;
    EXPECT_THAT(process->err(), HasSubstr(why));
  };
  refused({"--engine", "embedded:x", "--listen", "127.0.0.1:7"}, "--insecure");
  refused({"--engine", "nosuch:x", "--listen", "unix:7"}, "--engine");
  refused({"--engine", "embedded:x", "--listen", "unix:7", "--self", "1"}, "--self");
  refused({"--engine", "embedded:x", "--listen", "unix:7", "--ttl", "100ms"}, "500ms");
  refused({"--engine", "embedded:x", "--listen", "unix:7", "--ttl", "soon"}, "--ttl");
  refused({"--engine", "embedded:x", "--listen", "unix:7", "--seat", "65"}, "--seat");
  refused({"--engine", "embedded:x", "--listen", "192.0.2.1:7"}, "TLS");
}

TEST_F(Views, OpenNothingToCheckAConfiguration) {
  const Folder empty;
  const std::string file = (empty / "group.db").string();
  const auto shown = start({"node", "--check-config", "--engine", "embedded:" + file, "--listen",
                            "unix:" + (empty / "member").string(), "--clients",
                            "unix:" + (empty / "clients").string()});
  EXPECT_EQ(shown->wait(10s), 0) << shown->err();
  EXPECT_THAT(shown->out(), HasSubstr("embedded:" + file));
  EXPECT_TRUE(std::filesystem::is_empty(empty.path()));
}

}  // namespace
}  // namespace hapax::testing
