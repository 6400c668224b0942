// `hapax run` and its sisters as people and scripts use them: real daemons, real processes.
#include <algorithm>
#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <memory>

#include "http_testing.h"
#include "process_testing.h"
#include "run_testing.h"
#include "terminal_testing.h"

namespace hapax::testing {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST_F(Run, PassesTheStatusOfTheCommandThrough) {
  start_group();
  for (const int status : {0, 1, 3, 64, 75, 255}) {
    const std::string script = "exit " + std::to_string(status);
    const Finished finished = hapax({"run", "x", "--", "sh", "-c", script});
    EXPECT_EQ(finished.status, status) << finished.err;
    EXPECT_EQ(finished.err, "");
  }
  for (const int signal : {SIGTERM, SIGKILL, SIGUSR1, SIGSEGV}) {
    const std::string script = "kill -" + std::to_string(signal) + " $$";
    EXPECT_EQ(hapax({"run", "x", "--", "sh", "-c", script}).status, 128 + signal);
  }
}

TEST_F(Run, TakesTheCommandInFlocksWays) {
  start_group();
  EXPECT_EQ(hapax({"run", "x", "echo", "-n", "--", "a"}).out, "-- a");
  EXPECT_EQ(hapax({"run", "x", "--", "echo", "-n", "--", "a"}).out, "-- a");
  EXPECT_EQ(hapax({"run", "-n", "x", "printf", "%s", "-w"}).out, "-w");
  EXPECT_EQ(hapax({"run", "x", "-w", "5", "-o", "--", "echo", "b"}).out, "b\n");
  EXPECT_EQ(hapax({"run", "x", "-c", "echo $((20 + 22)); exit 7"}).out, "42\n");
  EXPECT_EQ(hapax({"run", "x", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(hapax({"run", "run", "--", "echo", "run", "who"}).out, "run who\n");
  EXPECT_THAT(hapax({"run", "-v", "x", "--", "true"}).err, HasSubstr("fence"));
}

TEST_F(Run, SaysWhichCommandItCannotRun) {
  start_group();
  file("plain", "no program");
  expect_refused({"run", "x", "--", "no-such-command-at-all"}, 127, "command not found");
  expect_refused({"run", "x", "--", folder_ / "plain"}, 126, "Permission denied");
  expect_refused({"run", "x", "--", folder_.path()}, 126, "Permission denied");
  EXPECT_EQ(hapax({"run", "-n", "x", "--", "true"}).status, 0) << "it was given back";
}

TEST_F(Run, SaysWhichSettingsItCannotRead) {
  expect_refused({"node", "--config", folder_.path()}, 64, "--config: cannot read ");
  expect_refused({"node", "--config", "/no/such"}, 64, "/no/such: No such file or directory");
}

TEST_F(Run, SaysWhichAddressIsNone) {
  environment_[0].second = "nonsense";
  expect_refused({"run", "x", "--", "true"}, 64, "$HAPAX_ADDRESS: 'nonsense' has no port");
  expect_refused({"status"}, 64, "$HAPAX_ADDRESS: 'nonsense' has no port");
  expect_refused({"run", "--address", "db1", "x", "--", "true"}, 64,
                 "--address: 'db1' has no port");
}

TEST_F(Run, TakesAPathForAUnixSocket) {
  start_group();
  environment_[0].second = folder_ / "usual.sock";
  EXPECT_EQ(hapax({"run", "x", "--", "echo", "here"}).out, "here\n");
  EXPECT_EQ(hapax({"status"}).status, 0);
}

TEST_F(Run, PassesStandardInput) {
  start_group();
  const auto process = start({"run", "x", "--", "cat"});
  process->say("hello\nworld\n");
  process->close_input();
  EXPECT_EQ(process->wait(), 0);
  EXPECT_EQ(process->out(), "hello\nworld\n");
}

TEST_F(Run, TellsTheCommandWhatItHolds) {
  start_group();
  const std::string script =
      "echo \"$HAPAX_LOCK|$HAPAX_FENCE|$HAPAX_DEADLINE|$HAPAX_SESSION|$(date +%s)\"";
  const std::string out = hapax({"run", "orders/42", "--", "sh", "-c", script}).out;
  EXPECT_THAT(out, MatchesRegex("orders/42\\|[0-9]+\\.[0-9]+\\|[0-9]+\\.[0-9][0-9][0-9]\\|"
                                "hapax/1/[0-9]+\\|[0-9]+\n"));
  const auto first = out.find('|', out.find('|') + 1);
  const double deadline = std::stod(out.substr(first + 1));
  const double now = std::stod(out.substr(out.rfind('|') + 1));
  EXPECT_GE(deadline, now);
  EXPECT_LE(deadline, now + 5);
}

TEST_F(Run, FencesGrow) {
  start_group();
  long last = 0;
  for (int i = 0; i < 5; ++i) {
    const std::string out = hapax({"run", "x", "-c", "echo $HAPAX_FENCE"}).out;
    const long turn = std::stol(out.substr(out.find('.') + 1));
    EXPECT_LT(last, turn);
    last = turn;
  }
}

TEST_F(Run, WaitsNoLongerThanWanted) {
  start_group();
  const auto holder = hold("x");
  expect_refused({"lock", "-n", "x"}, 1, "hapax who");
  EXPECT_EQ(hapax({"run", "-n", "x", "--", "true"}).status, 1);
  EXPECT_EQ(hapax({"run", "--nonblock", "-E", "99", "x", "--", "true"}).status, 99);
  EXPECT_EQ(hapax({"run", "-w", "0", "x", "--", "true"}).status, 1);
  const auto start_time = Clock::now();
  EXPECT_EQ(hapax({"run", "-w", "0.4", "-E", "7", "x", "--", "true"}).status, 7);
  EXPECT_GE(Clock::now() - start_time, 400ms);
  EXPECT_LT(Clock::now() - start_time, 3s);
  EXPECT_EQ(hapax({"try", "x"}).status, 1);
  EXPECT_EQ(hapax({"try", "other"}).status, 0);
  const auto waiter = start({"run", "-w", "15", "x", "--", "echo", "mine"});
  ASSERT_TRUE(await_waiters("x", 1));
  holder->close_input();
  EXPECT_EQ(holder->wait(), 0);
  EXPECT_EQ(waiter->wait(), 0) << waiter->err();
  EXPECT_EQ(waiter->out(), "mine\n");
  EXPECT_EQ(hapax({"try", "x"}).status, 0);
}

TEST_F(Run, ASignalEndsTheWaitAtOnce) {
  start_group();
  const auto holder = hold("x");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto waiter = start({"run", "x", "--", "touch", folder_ / "ran"});
    ASSERT_TRUE(await_waiters("x", 1));
    const auto sent = Clock::now();
    waiter->signal(signal);
    EXPECT_EQ(waiter->wait(), 128 + signal);
    EXPECT_LT(Clock::now() - sent, 1s);
  }
  holder->signal(SIGINT);
  EXPECT_EQ(holder->wait(), 0) << "^C is how `hapax lock` ends";
  EXPECT_EQ(hapax({"try", "x"}).status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
}

TEST_F(Run, TenAtOnceRunOneAtATime) {
  start_group();
  file("count", "0\n");
  const std::string script =
      "mkdir inside || echo torn >> torn; read n < count; sleep 0.02; "
      "echo $((n + 1)) > count; rmdir inside";
  std::vector<std::unique_ptr<Process>> jobs;
  for (int i = 0; i < 10; ++i) {
    const std::string member = "/member-" + std::to_string(i % 3 + 1) + ".sock";
    jobs.push_back(start({"run", "--address", "unix:" + (folder_ / "clients").string() + member,
                          "x", "-c", "cd '" + folder_.path().string() + "' && " + script}));
  }
  for (const auto& job : jobs) EXPECT_EQ(job->wait(), 0) << job->err();
  EXPECT_EQ(contents_of(folder_ / "count"), "10\n");
  EXPECT_FALSE(fs::exists(folder_ / "torn"));
}

TEST_F(Run, WhatTheCommandLeavesBehindEndsWithIt) {
  start_group();
  const std::string script =
      "cd '" + folder_.path().string() +
      "'; sleep 1000 & echo $! > child; (trap '' TERM; sleep 1000) & echo $! > stubborn; "
      "setsid sh -c 'echo $$ > daemon; sleep 1000' & while ! test -s daemon; do sleep 0.01; done";
  EXPECT_EQ(hapax({"run", "--kill-after", "0.2", "x", "-c", script}).status, 0);
  for (const char* name : {"child", "stubborn", "daemon"}) {
    ASSERT_GT(pid_in(folder_ / name), 0) << name;
    EXPECT_TRUE(is_gone(pid_in(folder_ / name))) << name;
  }
}

TEST_F(Run, SignalsGoToTheWholeGroup) {
  start_group();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    fs::remove(folder_ / "child");
    const auto job = start({"run", "x", "--", "sh", "-c",
                            "sleep 1000 & echo $! > '" + (folder_ / "child").string() + "'; wait"});
    ASSERT_TRUE(eventually([&] { return pid_in(folder_ / "child") > 0; })) << job->err();
    job->signal(signal);
    EXPECT_EQ(job->wait(), 128 + signal);
    EXPECT_TRUE(is_gone(pid_in(folder_ / "child")));
  }
}

TEST_F(Run, KilledItTakesTheJobWithIt) {
  start_group();
  const auto job = start({"run", "x", "--", "sh", "-c",
                          "sleep 1000 & echo $! > '" + (folder_ / "child").string() + "'; wait"});
  ASSERT_TRUE(eventually([&] { return pid_in(folder_ / "child") > 0; }));
  job->signal(SIGKILL);
  EXPECT_EQ(hapax({"run", "-w", "15", "x", "--", "sh", "-c",
                   "! kill -0 " + std::to_string(pid_in(folder_ / "child")) + " 2>/dev/null || " +
                       "grep -q 'State:.*Z' /proc/" + std::to_string(pid_in(folder_ / "child")) +
                       "/status"})
                .status,
            0)
      << "the next one has the lock, and the last one's child still runs";
}

TEST_F(Run, LostWithItsDaemonTheJobIsEnded) {
  start_nodes();
  const std::string script = "trap '' TERM; sleep 1000 & echo $! > '" +
                             (folder_ / "child").string() + "'; while true; do sleep 0.1; done";
  const auto job = start({"run", "x", "--", "sh", "-c", script});
  ASSERT_TRUE(eventually([&] { return pid_in(folder_ / "child") > 0; })) << job->err();
  const auto killed = Clock::now();
  nodes_[0]->signal(SIGKILL);
  EXPECT_EQ(job->wait(), 75);
  EXPECT_LT(Clock::now() - killed, 4s);
  EXPECT_GE(Clock::now() - killed, 900ms) << "SIGTERM comes first";
  EXPECT_TRUE(is_gone(pid_in(folder_ / "child")));
  EXPECT_EQ(job->err(),
            "hapax: x is lost, and the command was ended: its daemon is gone or silent\n");
}

TEST_F(Run, ASilentDaemonIsAsGoodAsGone) {
  start_nodes();
  const auto job = start({"run", "x", "--", "sh", "-c", "echo $$; exec sleep 1000"});
  ASSERT_TRUE(eventually([&] { return !job->out().empty(); })) << job->err();
  const auto stopped = Clock::now();
  nodes_[0]->signal(SIGSTOP);
  EXPECT_EQ(job->wait(), 75);
  EXPECT_LT(Clock::now() - stopped, 5s);
  EXPECT_TRUE(is_gone(std::stoi(job->out())));
  nodes_[0]->signal(SIGCONT);
}

TEST_F(Run, OnATerminalTheCommandIsInTheForeground) {
  start_group();
  const std::string facts = folder_ / "facts";
  // Its own group, and that of the terminal's foreground.
  const std::string script = "cut -d' ' -f5,8 /proc/$$/stat > '" + facts +
                             "'; read line; echo \"$line\" >> '" + facts + "'; exec sleep 1000";
  Terminal terminal{{HAPAX_BINARY, "run", "x", "--", "sh", "-c", script}, environment_};
  ASSERT_TRUE(eventually([&] { return contents_of(facts).find('\n') != std::string::npos; }));
  long own = 0, front = -1;
  std::ifstream{facts} >> own >> front;
  EXPECT_EQ(own, front);
  terminal.type("typed\n");
  ASSERT_TRUE(eventually([&] { return contents_of(facts).find("typed\n") != std::string::npos; }));
  // A shell on its way to exec may swallow it.
  ASSERT_TRUE(eventually(
      [&] { return contents_of("/proc/" + std::to_string(own) + "/comm") == "sleep\n"; }));
  terminal.type("\x03");
  EXPECT_EQ(terminal.wait(), 130);
}

TEST_F(Run, SuspendedItComesBackToTheForeground) {
  start_group();
  const std::string facts = folder_ / "facts";
  const std::string job = "'" HAPAX_BINARY "' run x -- sh -c 'echo started >> " + facts +
                          "; read line; echo got $line >> " + facts + "'";
  // A shell with job control: ^Z, then fg.
  environment_.push_back({"PS1", "what next? "});
  Terminal terminal{{"bash", "--norc", "-i"}, environment_};
  ASSERT_TRUE(terminal.shows("what next? "));
  terminal.type(job + "; echo stopped >> " + facts + "\n");
  ASSERT_TRUE(eventually([&] { return contents_of(facts).find("started") != std::string::npos; }));
  terminal.type("\x1a");
  ASSERT_TRUE(eventually([&] { return contents_of(facts).find("stopped") != std::string::npos; }));
  EXPECT_EQ(hapax({"try", "x"}).status, 1) << "it is held as long as the job is stopped";
  ASSERT_TRUE(terminal.shows("what next? "));
  terminal.type("fg\n");
  EXPECT_TRUE(eventually([&] {
    terminal.type("line\n");  // What the job does not read is for the shell, which does not mind.
    std::this_thread::sleep_for(100ms);
    return contents_of(facts).find("got line") != std::string::npos;
  })) << contents_of(facts);
  terminal.type("exit\n");
}

TEST_F(Run, WhoSaysWhoHoldsAndWhoWaits) {
  start_group();
  EXPECT_EQ(hapax({"who"}).out, "Nobody holds any lock or waits for it.\n");
  const auto holder = hold("orders/42");
  const auto waiter = start({"run", "orders/42", "--", "true"});
  ASSERT_TRUE(await_waiters("orders/42", 1));
  const json::object who = object_of({"who", "orders/42", "--json"});
  const json::object& lock = who.at("locks").at(0).as_object();
  EXPECT_EQ(lock.at("lock"), "orders/42");
  EXPECT_EQ(lock.at("algorithm"), "carvalho-roucairol");
  EXPECT_EQ(lock.at("holder").at("pid").to_number<int>(), holder->pid());
  EXPECT_EQ(lock.at("holder").at("member").to_number<int>(), 1);
  EXPECT_THAT(std::string{lock.at("holder").at("fence").as_string()},
              MatchesRegex("[0-9]+\\.[0-9]+"));
  EXPECT_THAT(std::string{lock.at("holder").at("command").as_string()}, HasSubstr("lock orders"));
  EXPECT_EQ(lock.at("waiters").at(0).at("pid").to_number<int>(), waiter->pid());
  const std::string table = hapax({"who"}).out;
  EXPECT_THAT(table, HasSubstr("holds"));
  EXPECT_THAT(table, HasSubstr("waits, 1"));
  EXPECT_THAT(table, HasSubstr(std::to_string(holder->pid())));
  const std::string why = hapax({"why", "orders/42"}).out;
  EXPECT_THAT(why, HasSubstr("orders/42 is held by"));
  EXPECT_THAT(why, HasSubstr("  1. "));
  EXPECT_THAT(why, ::testing::Not(HasSubstr("DEADLOCK")));
  holder->close_input();
  EXPECT_EQ(waiter->wait(), 0);
}

TEST_F(Run, WhyNamesADeadlock) {
  start_group();
  const auto nested = [&](const std::string& outer, const std::string& inner) {
    const std::string other = (folder_ / inner).string();
    return start({"run", outer, "--", "sh", "-c",
                  "touch '" + (folder_ / outer).string() + "'; while ! test -e '" + other +
                      "'; do sleep 0.01; done; '" HAPAX_BINARY "' run " + inner + " -- true"});
  };
  const auto one = nested("a", "b");
  const auto two = nested("b", "a");
  ASSERT_TRUE(await_waiters("a", 1));
  ASSERT_TRUE(await_waiters("b", 1));
  const std::string why = hapax({"why", "b"}).out;
  EXPECT_THAT(why, HasSubstr("DEADLOCK: a → b → a"));
  EXPECT_THAT(why, HasSubstr("it holds a"));
  const json::object object = object_of({"why", "a", "--json"});
  EXPECT_EQ(json::serialize(object.at("deadlocks")), R"([["a","b"]])");
  EXPECT_EQ(json::serialize(object.at("holder").at("waits_for")), R"(["b"])");
  one->signal(SIGTERM);
  EXPECT_EQ(two->wait(), 0) << two->err();
}

TEST_F(Run, WhyTakesNoBrothersForADeadlock) {
  start_group();
  // Two commands of one job, one of which waits for the other.
  const std::string inner = "'" HAPAX_BINARY "' run a -- ";
  const auto job = start({"run", "outer", "-c",
                          "cd '" + folder_.path().string() + "'; " + inner +
                              "sh -c 'touch in; while ! test -e go; do sleep 0.01; done' & "
                              "while ! test -e in; do sleep 0.01; done; " +
                              inner + "true; wait"});
  ASSERT_TRUE(await_waiters("a", 1));
  EXPECT_THAT(hapax({"why", "a"}).out, ::testing::Not(HasSubstr("DEADLOCK")));
  file("go", "");
  EXPECT_EQ(job->wait(), 0) << job->err();
}

// As scripts start it, `hapax lock x &`: nothing comes from standard input.
TEST_F(Run, WatchTellsWhatChanges) {
  start_group();
  const auto watcher = start({"watch", "x"});
  const auto json_watcher = start({"watch", "x", "--json"});
  ASSERT_TRUE(eventually([&] { return watcher->out().find("x VACANT\n") != std::string::npos; }));
  const auto holder = hold("x");
  ASSERT_TRUE(eventually([&] { return watcher->out().find("x held by") != std::string::npos; }));
  holder->close_input();
  ASSERT_TRUE(
      eventually([&] { return watcher->out().rfind("VACANT") > watcher->out().find("held by"); }));
  watcher->signal(SIGINT);
  EXPECT_EQ(watcher->wait(), 0);
  const std::string out = watcher->out();
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3) << out;
  json_watcher->signal(SIGTERM);
  EXPECT_EQ(json_watcher->wait(), 0);
  EXPECT_THAT(json_watcher->out(), HasSubstr("\"holder\":null"));
}

TEST_F(Run, StatusShowsTheGroup) {
  start_group();
  EXPECT_EQ(hapax({"try", "x"}).status, 0);
  const json::object status = object_of({"status", "--json"});
  EXPECT_EQ(status.at("size").to_number<int>(), 3);
  EXPECT_EQ(status.at("member").to_number<int>(), 1);
  EXPECT_EQ(status.at("entries").to_number<int>(), 1);
  for (const json::value& member : status.at("members").as_array()) {
    EXPECT_TRUE(member.at("up").as_bool());
  }
  EXPECT_THAT(hapax({"status"}).out, HasSubstr("of 3 members; member-1 answers (seat 1)"));
  const std::string third = "unix:" + (folder_ / "clients").string() + "/member-3.sock";
  EXPECT_THAT(hapax({"status", "--address", third}).out,
              HasSubstr("of 3 members; member-3 answers (seat 3)"));
}

TEST_F(Run, UpCleansUpBehindItself) {
  start_group();
  expect_refused({"up", "2"}, 69, "somebody listens on " + address() + " already; stop it");
  up_->signal(SIGINT);
  EXPECT_EQ(up_->wait(), 0);
  EXPECT_EQ(up_->err(), "");
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    EXPECT_TRUE(entry.path().filename().string().starts_with("process-")) << entry.path();
  }
  start_group();
}

TEST_F(Run, WithoutADaemonItSaysHowToStartOne) {
  const std::string advice = "no daemon answers at " + address() +
                             " (No such file or directory); start one with `hapax up 3`";
  for (const Arguments& words :
       {Arguments{"run", "x", "--", "true"}, Arguments{"lock", "x"}, Arguments{"try", "x"},
        Arguments{"who"}, Arguments{"why", "x"}, Arguments{"watch", "x"}, Arguments{"status"}}) {
    expect_refused(words, 69, advice);
  }
}

TEST_F(Run, MistakesAreOneLineAndSixtyFour) {
  expect_refused({"run"}, 64, "NAME");
  expect_refused({"run", "x"}, 64, "there is no command");
  expect_refused({"run", "x", "--"}, 64, "there is no command");
  expect_refused({"run", "", "--", "true"}, 64, "name");
  expect_refused({"run", "tab\there", "--", "true"}, 64, "control");
  expect_refused({"run", "\xff", "--", "true"}, 64, "UTF-8");
  expect_refused({"run", std::string(513, 'a'), "--", "true"}, 64, "512");
  expect_refused({"run", "-w", "soon", "x", "--", "true"}, 64, "'soon'");
  expect_refused({"run", "-w", "-1", "x", "--", "true"}, 64, "-1");
  expect_refused({"run", "-E", "256", "x", "--", "true"}, 64, "0 … 255");
  expect_refused({"run", "-n", "-w", "1", "x", "--", "true"}, 64, "excludes");
  expect_refused({"run", "--kill-after", "4", "x", "--", "true"}, 64, "use 0 … 2 seconds");
  expect_refused({"run", "--bogus", "x", "--", "true"}, 64, "--bogus");
  expect_refused({"run", "x", "-c", "true", "--", "true"}, 64, "-c");
  expect_refused({"run", "--address", "nowhere", "x", "--", "true"}, 64, "host:port");
  expect_refused({"run", "--address", "example.org:1", "x", "--", "true"}, 64, "without TLS");
  expect_refused({"lock"}, 64, "NAME");
  expect_refused({"try", "x", "y"}, 64, "y");
  expect_refused({"who", "--bogus"}, 64, "--bogus");
  expect_refused({"watch", "\n"}, 64, "control");
  expect_refused({"up", "0"}, 64, "use 1 … 64 members");
  expect_refused({"up", "3", "--default-algorithm", "magic"}, 64, "magic");
  expect_refused({"up", "3", "--algorithm", "orders"}, 64, "PATTERN=ALGORITHM");
  expect_refused({"node"}, 64, "--members is missing");
  expect_refused({"node", "--members", "a:1,b:2"}, 64, "--self is missing");
  expect_refused({"node", "--members", "a:1,b:2", "--self", "3"}, 64, "1 … 2");
  expect_refused({"node", "--members", "a:1,b:2", "--self", "1"}, 64, "TLS");
  expect_refused({"node", "--members", "unix:1", "--self", "1", "--ca", "x"}, 64, "--cert");
  expect_refused({"node", "--members", "unix:1", "--self", "1", "--metrics", "0.0.0.0:1"}, 64,
                 "127.0.0.1");
  expect_refused({"node", "--config", "/no/such/file"}, 64, "/no/such/file");
}

TEST_F(Run, AFileIsOverriddenByTheEnvironmentAndThatByFlags) {
  file("hapax.toml",
       "self = 1\nmembers = [\"127.0.0.1:7401\", \"127.0.0.1:7402\"]\ninsecure = true\n"
       "group = \"from-file\"\nalgorithm = [\"orders/*=maekawa\"]\nclients = [\"unix:/tmp/f\"]\n");
  environment_.push_back({"HAPAX_GROUP", "from-environment"});
  environment_.push_back({"HAPAX_SELF", "2"});
  environment_.push_back({"HAPAX_CONFIG", folder_ / "hapax.toml"});
  const Finished shown = hapax({"node", "--group", "from-flag", "--check-config"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("self = 2\n"));
  EXPECT_THAT(shown.out, HasSubstr("from-flag"));
  EXPECT_THAT(shown.out, HasSubstr("orders/*=maekawa"));
  EXPECT_THAT(shown.out, HasSubstr("carvalho-roucairol"));
  file("again.toml", shown.out);
  EXPECT_EQ(
      hapax({"node", "--config", folder_ / "again.toml", "--group", "from-flag", "--check-config"})
          .out,
      shown.out)
      << "what is printed is read back";
  file("wrong.toml", "self = 1\nmember = []\n");
  expect_refused({"node", "--config", folder_ / "wrong.toml", "--check-config"}, 64, "line 2");
  file("broken.toml", "self = \n");
  expect_refused({"node", "--config", folder_ / "broken.toml", "--check-config"}, 64, "line 1");
}

TEST_F(Run, ANodeShowsItsMetricsAndStopsGracefully) {
  const auto node =
      start({"node", "--self", "1", "--members", "unix:" + (folder_ / "member-1").string(),
             "--metrics", "127.0.0.1:0", "--new-group", "--state", folder_ / "state-1"});
  std::string log;
  ASSERT_TRUE(eventually([&] {
    log = node->err();
    return log.find("serves clients") != std::string::npos;
  })) << log;
  const std::string before = "http://127.0.0.1:";
  const auto port =
      static_cast<std::uint16_t>(std::stoi(log.substr(log.find(before) + before.size())));
  EXPECT_EQ(hapax({"try", "x"}).status, 0);
  EXPECT_THAT(http_get(port, "/metrics"), HasSubstr("hapax_entries_total 1\n"));
  EXPECT_THAT(http_get(port, "/healthz"), HasSubstr("200 OK"));
  EXPECT_THAT(http_get(port, "/nothing"), HasSubstr("404"));
  EXPECT_THAT(log, MatchesRegex("20[0-9-]+T[0-9:.]+Z (.|\n)*"));
  node->signal(SIGTERM);
  EXPECT_EQ(node->wait(), 0) << node->err();
  EXPECT_FALSE(fs::exists(folder_ / "usual.sock"));
  EXPECT_FALSE(fs::exists(folder_ / "member-1"));
}

TEST_F(Run, ManualPagesComeFromTheHelp) {
  for (const std::string command : {"run", "node", "up", "lock", "who"}) {
    const Finished page = hapax({"man", command});
    EXPECT_EQ(page.status, 0);
    EXPECT_TRUE(page.out.starts_with(".TH \"hapax-" + command + "\" 1")) << page.out;
    EXPECT_THAT(page.out, HasSubstr(".SH OPTIONS"));
  }
  EXPECT_THAT(hapax({"man", "run"}).out, HasSubstr("75   the lock was lost"));
  EXPECT_THAT(hapax({"man"}).out, HasSubstr("hapax\\-run"));
}

}  // namespace
}  // namespace hapax::testing
