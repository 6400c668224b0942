// Files of a group, as scripts use them: real daemons on an engine, one of which is killed.
#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include "process_testing.h"

namespace hapax::testing {
namespace {

namespace file_json = boost::json;
using ::testing::HasSubstr;

class GroupWithFiles : public ::testing::Test {
 protected:
  std::string place(int i) const {
    return "unix:" + (folder_ / ("c" + std::to_string(i))).string();
  }
  std::unique_ptr<Process> start(Arguments words, const Environment& environment = {}) const {
    words.insert(words.begin(), HAPAX_BINARY);
    return std::make_unique<Process>(words, environment, folder_);
  }
  void start_daemons() {
    for (int i = 1; i <= 2; ++i) {
      const std::string number = std::to_string(i);
      daemons_.push_back(start({"node", "--engine", "embedded:" + (folder_ / "group.db").string(),
                                "--listen", "unix:" + (folder_ / ("m" + number)).string(),
                                "--clients", place(i), "--name", "db" + number, "--ttl", "1500ms",
                                "--state", (folder_ / ("s" + number)).string(), "--new-group"}));
      ASSERT_TRUE(eventually([&] { return run({"members"}, "", i).status == 0; }, 30s))
          << daemons_.back()->err();
    }
    ASSERT_TRUE(eventually([&] { return are_in_one_view(); }, 30s));
  }
  bool are_in_one_view() const {
    for (int i = 1; i <= 2; ++i) {
      const Ran status = run({"status", "--json"}, "", i);
      if (status.status != 0) return false;
      const auto seen = file_json::parse(status.out);
      if (seen.at("size").to_number<int>() != 2) return false;
    }
    return true;
  }
  struct Ran {
    int status = -1;
    std::string out;
    std::string err;
  };
  Ran run(const Arguments& words, const std::string& input = "", int daemon = 1,
          const std::string& editor = "false") const {
    const auto process =
        start(words, {{"HAPAX_ADDRESS", place(daemon)}, {"EDITOR", editor}, {"VISUAL", editor}});
    if (!input.empty()) process->say(input);
    process->close_input();
    const int status = process->wait(60s);
    return {status, process->out(), process->err()};
  }
  std::string version_of(const std::string& path) const {
    const Ran got = run({"file", "get", path, "--json", "--fresh"});
    return std::to_string(file_json::parse(got.out).at("version").to_number<std::uint64_t>());
  }

  const Folder folder_;
  std::vector<std::unique_ptr<Process>> daemons_;
};

TEST_F(GroupWithFiles, IsUsedByScripts) {
  start_daemons();
  const Ran absent = run({"file", "get", "config/db"});
  EXPECT_EQ(absent.status, 1);
  EXPECT_EQ(absent.err, "hapax: there is no file config/db\n");
  const Ran put = run({"file", "put", "config/db"}, "host=db1\n");
  EXPECT_EQ(put.status, 0) << put.err;
  EXPECT_EQ(put.out, version_of("config/db") + "\n");
  EXPECT_TRUE(eventually([&] {
    return run({"file", "get", "config/db"}, "", 2).out == "host=db1\n";
  }));

  const Ran swapped =
      run({"file", "cas", "config/db", "--version", version_of("config/db")}, "x", 2);
  EXPECT_EQ(swapped.status, 0) << swapped.err;
  const Ran late = run({"file", "cas", "config/db", "--version", "1"}, "y");
  EXPECT_EQ(late.status, 1);
  EXPECT_THAT(late.err, HasSubstr("config/db: the file has another version"));
  EXPECT_EQ(run({"file", "get", "config/db", "--fresh"}).out, "x");

  const Ran edited = run({"file", "edit", "config/db"}, "", 1, "sed -i s/x/z/");
  EXPECT_EQ(edited.status, 0) << edited.err;
  EXPECT_EQ(run({"file", "get", "config/db", "--fresh"}).out, "z");
  const Ran list = run({"file", "ls", "config", "--json", "--fresh"});
  EXPECT_EQ(file_json::parse(list.out).at("files").at(0).at("bytes").to_number<int>(), 1);
  EXPECT_THAT(run({"file", "put", "a//b"}, "x").err, HasSubstr("between its slashes"));
  // Nobody wrote anything into it, or more than fits; or somebody else was faster.
  EXPECT_EQ(run({"file", "edit", "new"}, "", 1, "true").out, "unchanged\n");
  EXPECT_EQ(run({"file", "get", "new", "--fresh"}).status, 1);
  const std::string faster = "echo theirs | '" HAPAX_BINARY "' file put new; echo mine >";
  for (const std::string& editor : {std::string{"head -c 300000 /dev/zero >"}, faster}) {
    const Ran kept = run({"file", "edit", "new"}, "", 1, editor);
    EXPECT_NE(kept.status, 0) << editor;
    const std::size_t at = kept.err.find("your text is in ");
    ASSERT_NE(at, std::string::npos) << kept.err;
    const fs::path text = kept.err.substr(at + 16, kept.err.find('\n', at) - at - 16);
    EXPECT_TRUE(fs::exists(text)) << kept.err;
    EXPECT_TRUE(fs::remove(text));
  }
  EXPECT_EQ(run({"file", "rm", "new"}).status, 0);

  // The holder of the lock writes its file; who held it before does not.
  const Ran job = run({"run", "config/db", "--", "sh", "-c",
                       "echo $HAPAX_FENCE; echo held | '" HAPAX_BINARY
                       "' file put config/db --fence $HAPAX_FENCE"});
  EXPECT_EQ(job.status, 0) << job.err;
  const std::string fence = job.out.substr(0, job.out.find('\n'));
  const Ran after = run({"file", "put", "config/db", "--fence", fence}, "late");
  EXPECT_EQ(after.status, 1);
  EXPECT_THAT(after.err, HasSubstr("nobody holds config/db now"));
  EXPECT_EQ(run({"fence", "check", "config/db", fence}).status, 1);
  EXPECT_EQ(run({"file", "get", "config/db", "--fresh"}).out, "held\n");
  EXPECT_EQ(run({"file", "rm", "config/db"}).status, 0);
  EXPECT_EQ(run({"file", "rm", "config/db"}).status, 1);
}

// Nothing happens, and so nothing is printed: they notice nevertheless.
TEST_F(GroupWithFiles, WhoTellsEndsWhenNobodyReads) {
  start_daemons();
  for (const std::string tells :
       {"events", "file watch", "watch orders", "elect orders --observe", "elect --observe"}) {
    Process pipe{{"sh", "-c", "'" HAPAX_BINARY "' " + tells + " | head -n 1"},
                 {{"HAPAX_ADDRESS", place(1)}},
                 folder_};
    EXPECT_EQ(pipe.wait(20s), 0) << tells << ": " << pipe.err();
    EXPECT_NE(pipe.out(), "") << tells;
  }
}

TEST_F(GroupWithFiles, TellsWhatHappens) {
  start_daemons();
  const auto all = start({"events", "--json", "--address", place(1) + "," + place(2)});
  const auto some = start({"file", "watch", "config", "--address", place(2)});
  const auto hears = [](const Process& process, const std::string& what) {
    return eventually([&] { return process.out().find(what) != std::string::npos; }, 30s);
  };
  ASSERT_TRUE(hears(*all, R"("event":"begun")")) << all->err();
  ASSERT_TRUE(hears(*some, " begun")) << some->err();
  run({"file", "put", "config/db"}, "1", 2);
  run({"file", "put", "other"}, "1", 2);
  EXPECT_TRUE(hears(*all, R"("event":"file-added","name":"config/db","version":)")) << all->out();
  const auto job = start({"run", "orders", "--address", place(2), "--", "sleep", "1000"});
  EXPECT_TRUE(hears(*all, R"("event":"lock-taken","name":"orders","fence":")")) << all->out();
  job->signal(SIGTERM);
  EXPECT_TRUE(hears(*all, R"("event":"lock-vacant","name":"orders")")) << all->out();
  daemons_[0]->signal(SIGKILL);
  EXPECT_TRUE(hears(*all, R"("event":"expired")")) << all->out();
  run({"file", "put", "config/db"}, "2", 2);
  EXPECT_TRUE(hears(*all, R"("event":"file-changed","name":"config/db")")) << all->out();
  EXPECT_TRUE(hears(*some, "file-changed config/db version ")) << some->out();
  EXPECT_EQ(some->out().find("other"), std::string::npos);
  EXPECT_EQ(all->out().find("resync"), std::string::npos) << "nothing was left out";
}

TEST_F(GroupWithFiles, LosesEphemeralOnesWithTheirDaemon) {
  start_daemons();
  const auto worker = start({"file", "put", "workers/1", "--ephemeral", "--address", place(2)});
  worker->say("here");
  worker->close_input();
  const auto content = [&] { return run({"file", "get", "workers/1"}).out; };
  ASSERT_TRUE(eventually([&] { return content() == "here"; })) << worker->err();
  daemons_[1]->signal(SIGKILL);
  EXPECT_EQ(worker->wait(), 75);
  EXPECT_THAT(worker->err(), HasSubstr("the daemon is gone, and the file goes with it"));
  EXPECT_TRUE(eventually([&] { return content().empty(); }, 30s));

  const auto other = start({"file", "put", "workers/2", "--ephemeral", "--address", place(1)});
  other->close_input();
  ASSERT_TRUE(eventually([&] { return run({"file", "get", "workers/2"}).status == 0; }));
  other->signal(SIGTERM);
  EXPECT_EQ(other->wait(), 0);
  EXPECT_TRUE(eventually([&] { return run({"file", "get", "workers/2"}).status == 1; }));
}

}  // namespace
}  // namespace hapax::testing
