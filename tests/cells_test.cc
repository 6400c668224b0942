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
  std::unique_ptr<Process> start(Arguments words) const {
    words.insert(words.begin(), HAPAX_BINARY);
    auto process =
        std::make_unique<Process>(words, Environment{{"HAPAX_ADDRESS", address()}}, folder_);
    process->close_input();
    return process;
  }
  struct Said {
    int status;
    std::string out, err;
  };
  Said run(const Arguments& words) const {
    const auto process = start(words);
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

}  // namespace
}  // namespace hapax::testing
