// An engine that forgets, under real daemons: its records are removed, or restored from an older
// copy, while somebody is inside. Nobody else enters before that one has left, and fences grow.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

#include "etcd_testing.h"
#include "hapax/fence.h"
#include "process_testing.h"

namespace hapax::testing {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

class ForgetfulEngine : public ::testing::Test {
 protected:
  std::string address(int i) const { return "unix:" + (folder_ / fmt::format("c{}", i)).string(); }
  std::unique_ptr<Process> start(Arguments words) const {
    words.insert(words.begin(), HAPAX_BINARY);
    return std::make_unique<Process>(words, Environment{}, folder_);
  }
  void start_node(int i) {
    const auto file = [&](const char* stem) {
      return (folder_ / (stem + std::to_string(i))).string();
    };
    nodes_[i] =
        start({"node", "--engine", engine_, "--listen", "unix:" + file("m"), "--clients",
               address(i), "--name", file("host").substr(folder_.path().string().size() + 1),
               "--ttl", "2s", "--state", file("s")});
    ASSERT_TRUE(eventually([&] { return runs(i); }, 30s)) << nodes_[i]->err();
  }
  json::object view(int i) const {
    const auto process = start({"status", "--json", "--address", address(i)});
    process->close_input();
    if (process->wait(10s) != 0) return {};
    return json::parse(process->out()).as_object().at("view").as_object();
  }
  bool runs(int i) const {
    const json::object v = view(i);
    return !v.empty() && v.at("standing") == "running" && v.at("lease_ms").as_int64() > 0;
  }
  std::string engine_said(int i) const { return json::serialize(view(i)); }

  // A job that says again and again what time it is, for `seconds` unless it is ended.
  std::unique_ptr<Process> run(int i, const std::string& name, int seconds) const {
    const std::string stem = (folder_ / name).string();
    return start({"run", "--address", address(i), "--kill-after", "0.1", "job", "--", "sh", "-c",
                  fmt::format("date +%s%N > {0}.began; echo $HAPAX_FENCE > {0}.fence; "
                              "for i in $(seq {1}); do date +%s%N > {0}.$i; sleep 0.05; done",
                              stem, seconds * 20)});
  }
  // When it was last heard of.
  unsigned long long last_of(const std::string& name) const {
    unsigned long long last = std::stoull(said(name + ".began"));
    for (int i = 1; said(fmt::format("{}.{}", name, i)).ends_with('\n'); ++i) {
      last = std::stoull(said(fmt::format("{}.{}", name, i)));
    }
    return last;
  }
  std::string said(const std::string& file) const { return contents_of(folder_ / file); }
  bool is_said(const std::string& file) const {
    return eventually([&] { return said(file).ends_with('\n'); }, 30s);
  }
  Fence fence_of(const std::string& name) const {
    std::uint64_t epoch = 0;
    std::uint64_t turn = 0;
    EXPECT_EQ(std::sscanf(said(name + ".fence").c_str(), "%lu.%lu", &epoch, &turn), 2);
    return {Epoch{epoch}, Turn{turn}};
  }
  // The second is let in after the first has ended, with a higher fence.
  void expect_one_after_the_other(const std::string& first, const std::string& second) const {
    ASSERT_TRUE(is_said(second + ".fence"));
    std::this_thread::sleep_for(200ms);  // If it goes on, it says so.
    EXPECT_LT(last_of(first), std::stoull(said(second + ".began")));
    EXPECT_LT(fence_of(first), fence_of(second));
  }

  Folder folder_;
  std::string engine_ = "embedded:" + (folder_ / "group.db").string();
  std::map<int, std::unique_ptr<Process>> nodes_;
};

TEST_F(ForgetfulEngine, WhoseFileIsRemovedIsNotBegunAnewBeforeLeasesAreOver) {
  start_node(1);
  const auto first = run(1, "first", 60);
  ASSERT_TRUE(is_said("first.fence")) << first->err();
  for (const char* name : {"group.db", "group.db-wal", "group.db-shm"}) fs::remove(folder_ / name);
  start_node(2);
  const auto second = run(2, "second", 0);
  expect_one_after_the_other("first", "second");
}

TEST_F(ForgetfulEngine, WhoseFileIsCopiedBackGoesOnWithHigherFences) {
  start_node(1);
  nodes_[1]->signal(SIGTERM);
  ASSERT_EQ(nodes_[1]->wait(), 0);
  fs::copy_file(folder_ / "group.db", folder_ / "copy.db");
  start_node(1);
  const auto first = run(1, "first", 0);
  ASSERT_EQ(first->wait(), 0) << first->err();
  nodes_[1]->signal(SIGTERM);
  ASSERT_EQ(nodes_[1]->wait(), 0);
  fs::copy_file(folder_ / "copy.db", folder_ / "group.db", fs::copy_options::overwrite_existing);
  start_node(1);
  EXPECT_THAT(engine_said(1), HasSubstr("went back"));
  EXPECT_THAT(nodes_[1]->err(), HasSubstr("restored from an older copy"));
  const auto second = run(1, "second", 0);
  expect_one_after_the_other("first", "second");
}

TEST_F(ForgetfulEngine, OfEtcdIsRestoredUnderItsMembers) {
  if (!EtcdServer::is_here(folder_)) GTEST_SKIP() << "no etcd to test against";
  EtcdServer etcd{folder_};
  engine_ = etcd.url();
  ASSERT_TRUE(etcd.start("data"));
  start_node(1);
  ASSERT_TRUE(etcd.save());
  start_node(2);
  const auto first = run(2, "first", 60);
  ASSERT_TRUE(is_said("first.fence")) << first->err();
  etcd.kill();
  ASSERT_TRUE(etcd.restore_to("restored"));
  ASSERT_TRUE(etcd.start("restored"));
  const auto second = run(1, "second", 0);
  expect_one_after_the_other("first", "second");
  for (const int i : {1, 2}) {
    EXPECT_TRUE(eventually([&] { return runs(i); }, 30s)) << nodes_[i]->err();
    EXPECT_THAT(engine_said(i), HasSubstr("went back"));
  }
  etcd.kill();
  ASSERT_TRUE(etcd.start("empty", "another-cluster"));
  const auto third = run(2, "third", 0);
  expect_one_after_the_other("second", "third");
}

}  // namespace
}  // namespace hapax::testing
