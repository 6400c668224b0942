// Several groups behind one file, as people and programs use them.
#include <fstream>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include "hapax/hapax.h"
#include "process_testing.h"

namespace hapax::testing {
namespace {

using ::testing::HasSubstr;

class SeveralGroups : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string group : {"eu", "us"}) {
      const auto at = [&](const char* what) { return (folder_ / (group + what)).string(); };
      daemons_.push_back(start({"node", "--engine", "embedded:" + at(".db"), "--group", group,
                                "--new-group", "--listen", "unix:" + at(".m"), "--clients",
                                "unix:" + at(".c"), "--state", at(".s")}));
    }
    std::ofstream{folder_ / "cells"} << "# names  where\n"
                                     << "eu:/ unix:" << (folder_ / "eu.c").string() << "\n"
                                     << "us:/ unix:" << (folder_ / "us.c").string() << "\n"
                                     << "eu-only/ unix:" << (folder_ / "eu.c").string() << "\n";
    for (const std::string name : {"eu:/x", "us:/x"}) {
      ASSERT_TRUE(eventually([&] { return run({"run", name, "--", "true"}).status == 0; }, 30s));
    }
  }
  std::unique_ptr<Process> start(Arguments words, const std::string& input = "") const {
    words.insert(words.begin(), HAPAX_BINARY);
    auto process =
        std::make_unique<Process>(words, Environment{{"HAPAX_ADDRESS", address()}}, folder_);
    if (!input.empty()) process->say(input);
    process->close_input();
    return process;
  }
  struct Said {
    int status;
    std::string out, err;
  };
  Said run(const Arguments& words, const std::string& input = "") const {
    const auto process = start(words, input);
    const int status = process->wait(30s);
    return {status, process->out(), process->err()};
  }
  std::string address() const { return "cells:" + (folder_ / "cells").string(); }

  Folder folder_;
  std::vector<std::unique_ptr<Process>> daemons_;
};

TEST_F(SeveralGroups, ServeTheirNamesAndNoOthers) {
  const auto holder =
      start({"run", "eu:/orders", "--", "sh", "-c", "echo $HAPAX_LOCK; exec sleep 60"});
  ASSERT_TRUE(eventually([&] { return !holder->out().empty(); }));
  EXPECT_EQ(holder->out(), "eu:/orders\n") << "what the job says of it is the same lock";
  EXPECT_EQ(run({"try", "eu:/orders"}).status, 1);
  EXPECT_EQ(run({"run", "us:/orders", "--", "true"}).status, 0) << "another lock, elsewhere";
  EXPECT_THAT(run({"who", "eu:/orders"}).out, HasSubstr("holds"));
  EXPECT_THAT(run({"who", "us:/orders"}).out, HasSubstr("Nobody holds"));
  const auto nobody = run({"run", "ap:/orders", "--", "true"});
  EXPECT_EQ(nobody.status, 64);
  EXPECT_THAT(nobody.err, HasSubstr("has nobody for ap:/orders; it has eu-only/, eu:/, us:/"));
  EXPECT_EQ(run({"run", "orders", "--", "true"}).status, 64);
  EXPECT_EQ(run({"run", "eu:/", "--", "true"}).status, 64);
  EXPECT_THAT(run({"status"}).err, HasSubstr("names several groups: say the --address of one"));

  Client client{address()};
  Mutex taken{client, "eu:/orders"}, free{client, "us:/orders"}, plain{client, "eu-only/orders"};
  EXPECT_FALSE(taken.try_lock());
  EXPECT_TRUE(free.try_lock());
  EXPECT_TRUE(plain.try_lock());
  EXPECT_EQ(plain.name(), "eu-only/orders");
  EXPECT_EQ(client.who("us:/orders").size(), 1u);
  EXPECT_THROW((Mutex{client, "ap:/orders"}), std::system_error);
  EXPECT_THROW((Mutex{client, "eu:/"}), std::system_error);
  EXPECT_THROW(client.who(), std::system_error);
  EXPECT_THROW(client.status(), std::system_error);
}

// What a job says of its lock is good for its file and its fence, too.
TEST_F(SeveralGroups, KeepTheirFilesAndJudgeTheirFences) {
  ASSERT_EQ(run({"file", "put", "eu:/config/db"}, "host=eu1").status, 0);
  ASSERT_EQ(run({"file", "put", "us:/config/db"}, "host=us1").status, 0);
  EXPECT_EQ(run({"file", "get", "eu:/config/db"}).out, "host=eu1");
  EXPECT_EQ(run({"file", "get", "us:/config/db"}).out, "host=us1");
  for (const std::string folder : {"eu:/", "eu:/config"}) {
    const auto list = run({"file", "ls", folder, "--json"});
    EXPECT_THAT(list.out, HasSubstr(R"("path":"eu:/config/db")")) << list.err;
  }
  EXPECT_EQ(run({"file", "get", "ap:/config/db"}).status, 64);
  EXPECT_THAT(run({"file", "ls"}).err, HasSubstr("nobody for names without a cell"));
  const auto job = run({"run", "eu:/orders", "--", "sh", "-c",
                        "echo job | '" HAPAX_BINARY "' file put $HAPAX_LOCK --fence $HAPAX_FENCE &&"
                        "'" HAPAX_BINARY "' fence check $HAPAX_LOCK $HAPAX_FENCE"});
  EXPECT_EQ(job.status, 0) << job.err;
  EXPECT_THAT(job.out, HasSubstr("eu:/orders is held with fence"));
  EXPECT_EQ(run({"file", "rm", "us:/config/db"}).status, 0);

  Client client{address()};
  EXPECT_EQ(File::list(client, "eu:/config").at(0).path, "eu:/config/db");
  EXPECT_EQ((File{client, File::list(client, "eu:/config").at(0).path}.read()->content),
            "host=eu1");
  EXPECT_EQ(File::list(client, "us:/").size(), 0u);
  EXPECT_THROW(File::list(client, ""), std::system_error);
  Mutex mutex{client, "us:/orders"};
  mutex.lock();
  EXPECT_EQ(check_fence(client, "us:/orders", mutex.fence()), FenceStanding::present);
  EXPECT_EQ(check_fence(client, "eu:/orders", mutex.fence()), FenceStanding::past);
}

TEST_F(SeveralGroups, TellWhatHappensThere) {
  const auto events = start({"events", "eu:/"});
  const auto files = start({"file", "watch", "eu:/config"});
  const auto hears = [](const Process& process, const std::string& what) {
    return eventually([&] { return process.out().find(what) != std::string::npos; }, 30s);
  };
  ASSERT_TRUE(hears(*events, "begun")) << events->err();
  ASSERT_TRUE(hears(*files, "begun")) << files->err();
  ASSERT_EQ(run({"file", "put", "us:/config/db"}, "1").status, 0);
  ASSERT_EQ(run({"file", "put", "eu:/config/db"}, "1").status, 0);
  EXPECT_TRUE(hears(*events, "file-added eu:/config/db")) << events->out();
  EXPECT_TRUE(hears(*files, "file-added eu:/config/db")) << files->out();
  EXPECT_EQ(events->out().find("us:/"), std::string::npos);
}

}  // namespace
}  // namespace hapax::testing
