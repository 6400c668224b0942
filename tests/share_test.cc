// Readers, writers and units from the command line: real daemons, real processes.
#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include "process_testing.h"

namespace hapax::testing {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

// Three members, and a client address of each.
class Share : public ::testing::Test {
 protected:
  Share() : environment_{{"HAPAX_ADDRESS", address(1)}, {"XDG_RUNTIME_DIR", folder_.path()}} {
    std::string members;
    for (int i = 1; i <= 3; ++i) {
      members += "unix:" + (folder_ / ("member-" + std::to_string(i))).string() + ",";
    }
    for (int i = 1; i <= 3; ++i) {
      nodes_.push_back(
          start({"node", "--self", std::to_string(i), "--members", members, "--clients", address(i),
                 "--algorithm", "reports/*=readers-writers", "--algorithm", "pool/*=semaphore-ra:4",
                 "--new-group", "--state", folder_ / ("state-" + std::to_string(i))}));
    }
    EXPECT_TRUE(eventually([&] {
      const auto status = start({"status", "--json"});
      return status->wait() == 0 && status->out().find("false") == std::string::npos;
    })) << nodes_[0]->err();
  }

  std::string address(int member) const {
    return "unix:" + (folder_ / ("clients-" + std::to_string(member))).string();
  }
  std::unique_ptr<Process> start(Arguments words) const {
    words.insert(words.begin(), HAPAX_BINARY);
    return std::make_unique<Process>(words, environment_, folder_);
  }
  // At that member, until told otherwise.
  std::unique_ptr<Process> lock(int member, const std::string& name, const Arguments& flags) const {
    Arguments words{"lock", "--stdin", name, "--address", address(member)};
    words.insert(words.end(), flags.begin(), flags.end());
    return start(words);
  }
  static bool holds(const Process& process) {
    return process.out().find("fence") != std::string::npos;
  }
  static bool comes_to_hold(const Process& process) {
    return eventually([&] { return holds(process); });
  }
  bool is_free(const std::string& name, const Arguments& flags = {}) const {
    Arguments words{"try", name, "--address", address(2)};
    words.insert(words.end(), flags.begin(), flags.end());
    return start(words)->wait() == 0;
  }
  json::object who(const std::string& name) const {
    const auto process = start({"who", name, "--json"});
    EXPECT_EQ(process->wait(), 0) << process->err();
    const json::value value = json::parse(process->out());
    const json::array& locks = value.at("locks").as_array();
    return locks.empty() ? json::object{} : locks[0].as_object();
  }

  Folder folder_;
  Environment environment_;
  std::vector<std::unique_ptr<Process>> nodes_;
};

TEST_F(Share, TwoReadersAtOnceAndAWriterWaits) {
  const auto one = lock(1, "reports/x", {"-s"});
  const auto two = lock(2, "reports/x", {"--shared"});
  ASSERT_TRUE(comes_to_hold(*one)) << one->err();
  ASSERT_TRUE(comes_to_hold(*two)) << two->err();
  EXPECT_TRUE(is_free("reports/x", {"-s"}));
  EXPECT_FALSE(is_free("reports/x"));
  EXPECT_FALSE(is_free("reports/x", {"-x"}));
  EXPECT_EQ(who("reports/x").at("sharers").as_array().size(), 2u);
  EXPECT_TRUE(who("reports/x").at("holder").is_null());

  const auto writer = lock(3, "reports/x", {});
  ASSERT_TRUE(eventually([&] { return who("reports/x").at("waiters").as_array().size() == 1; }));
  EXPECT_FALSE(holds(*writer));
  const auto late = lock(1, "reports/x", {"-s"});
  ASSERT_TRUE(eventually([&] { return who("reports/x").at("waiters").as_array().size() == 2; }));
  EXPECT_FALSE(holds(*late)) << "the writer asked before it";
  one->close_input();
  EXPECT_EQ(one->wait(), 0);
  EXPECT_FALSE(holds(*writer));
  two->close_input();
  EXPECT_TRUE(comes_to_hold(*writer)) << writer->err();
  EXPECT_EQ(who("reports/x").at("holder").at("pid").to_number<int>(), writer->pid());
  EXPECT_FALSE(holds(*late));
  writer->close_input();
  EXPECT_TRUE(comes_to_hold(*late));
}

TEST_F(Share, RunTakesFlocksFlags) {
  const auto reader = lock(1, "reports/y", {"-s"});
  ASSERT_TRUE(comes_to_hold(*reader));
  const auto run = [&](const Arguments& flags) {
    Arguments words{"run", "-n"};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"reports/y", "--", "true"});
    return start(words)->wait();
  };
  EXPECT_EQ(run({"-s"}), 0);
  EXPECT_EQ(run({"--shared"}), 0);
  EXPECT_EQ(run({"-x"}), 1);
  EXPECT_EQ(run({"-e"}), 1);
  EXPECT_EQ(run({}), 1);
  const auto both = start({"run", "-s", "-x", "reports/y", "--", "true"});
  EXPECT_EQ(both->wait(), 64);
}

TEST_F(Share, FourRunAtOnceWhereThereAreFourUnits) {
  std::vector<std::unique_ptr<Process>> jobs;
  for (int i = 0; i < 4; ++i) {
    jobs.push_back(start({"run", "--address", address(1 + i % 3), "pool/x", "--", "cat"}));
  }
  ASSERT_TRUE(eventually([&] {
    const json::object lock = who("pool/x");
    return !lock.empty() && lock.at("sharers").as_array().size() == 4;
  }));
  EXPECT_EQ(who("pool/x").at("algorithm").as_string(), "semaphore-ra");
  EXPECT_FALSE(is_free("pool/x"));
  const auto fifth = start({"run", "pool/x", "--", "echo", "mine"});
  ASSERT_TRUE(eventually([&] { return who("pool/x").at("waiters").as_array().size() == 1; }));
  EXPECT_EQ(fifth->out(), "");
  jobs[2]->close_input();
  EXPECT_EQ(fifth->wait(), 0) << fifth->err();
  EXPECT_EQ(fifth->out(), "mine\n");
  const auto table = start({"who", "pool/x"});
  EXPECT_EQ(table->wait(), 0);
  EXPECT_THAT(table->out(), HasSubstr("shares"));
}

TEST_F(Share, WhatCannotBeSharedSaysWhichAlgorithmToSet) {
  const auto refused = [&](const Arguments& words, const std::string& advice) {
    const auto process = start(words);
    EXPECT_EQ(process->wait(), 64);
    EXPECT_THAT(process->err(), HasSubstr(advice));
    const std::string err = process->err();
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  };
  refused({"run", "-s", "orders", "--", "true"}, "--algorithm 'orders=readers-writers'");
  refused({"lock", "-s", "pool/x"}, "semaphore of 4");
  refused({"try", "-x", "pool/x"}, "semaphore of 4");
  refused({"up", "1", "--algorithm", "pool/*=semaphore-ra"}, "semaphore-ra:4");
}

// A process that is killed gives back what it held.
TEST_F(Share, WhoDiesLeavesNoUnitBehind) {
  std::vector<std::unique_ptr<Process>> holders;
  for (int i = 0; i < 4; ++i) {
    holders.push_back(lock(1, "pool/y", {}));
    ASSERT_TRUE(comes_to_hold(*holders.back()));
  }
  EXPECT_FALSE(is_free("pool/y"));
  holders[1]->signal(SIGKILL);
  EXPECT_EQ(holders[1]->wait(), 128 + SIGKILL);
  EXPECT_TRUE(eventually([&] { return is_free("pool/y"); }));
}

}  // namespace
}  // namespace hapax::testing
