#include "live/feed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax::live {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Reader : public EventStream {
 public:
  explicit Reader(uid_t user) : caller_{.user = user} {}
  const Caller& caller() const override { return caller_; }
  void tell(std::string_view event, const std::string& json) override {
    events.emplace_back(event, json);
  }
  void end() override { has_ended = true; }
  std::vector<std::string> of(std::string_view event) const {
    std::vector<std::string> found;
    for (const auto& [name, json] : events) {
      if (name == event) found.push_back(json);
    }
    return found;
  }
  std::vector<std::pair<std::string, std::string>> events;
  bool has_ended = false;

 private:
  Caller caller_;
};

// User 0 may read everything, others what begins with their number.
class FeedTest : public ::testing::Test {
 protected:
  FeedTest()
      : feed_(std::make_shared<Feed>(Feed::Host{
            .ask_status =
                [this](auto tell) {
                  ++asked_;
                  tell(GroupStatus{});
                  return true;
                },
            .ask_locks =
                [this](auto tell) {
                  tell(SeenLocks{locks_, {}, 0});
                  return true;
                },
            .figures = [] { return "{}"; },
            .may_read =
                [](const Caller& caller, const std::string& lock) {
                  return caller.user == 0u || lock.starts_with(fmt::format("{}", *caller.user));
                },
            .may_look = [this](const Caller& caller) { return caller.user != dismissed_; },
            .may_read_all = [](const Caller& caller) { return caller.user == 0u; },
            .after = [this](auto, auto then) { next_ = std::move(then); },
            .now = [this] { return now_; },
            .lineage = [](const Person& p) { return std::vector{p.pid}; }})) {}

  std::shared_ptr<Reader> join(uid_t user) {
    auto reader = std::make_shared<Reader>(user);
    feed_->join(reader);
    return reader;
  }
  void hold(const std::string& name, std::uint32_t pid = 1,
            std::vector<std::uint32_t> waiters = {}) {
    LockInfo lock{name, "central", Person{}, {}, {}};
    lock.holder->pid = pid;
    for (const std::uint32_t waiter : waiters) lock.waiters.emplace_back().pid = waiter;
    locks_.push_back(lock);
  }
  void second() {
    now_ += 1s;
    for (LockInfo& lock : locks_) {
      lock.holder->since += 1s;
      for (Person& waiter : lock.waiters) waiter.since += 1s;
    }
    std::exchange(next_, nullptr)();
  }

  std::vector<LockInfo> locks_;
  Time now_ = 1'000s;
  std::function<void()> next_;
  int asked_ = 0;
  uid_t dismissed_ = 99;
  std::shared_ptr<Feed> feed_;
};

TEST_F(FeedTest, NobodyIsAskedWhileNobodyWatches) {
  EXPECT_EQ(asked_, 0);
  const auto reader = join(0);
  EXPECT_EQ(asked_, 1);
  second();
  EXPECT_EQ(asked_, 2);
  feed_->leave(*reader);
  second();
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(next_, nullptr);
  join(0);
  EXPECT_EQ(asked_, 3);
}

TEST_F(FeedTest, TellsAllOnceAndThenWhatChanges) {
  hold("a");
  const auto reader = join(0);
  EXPECT_THAT(reader->of("locks"), ElementsAre(HasSubstr("\"lock\":\"a\"")));
  second();
  EXPECT_THAT(reader->of("locks"), ::testing::SizeIs(1)) << "nothing has changed";
  hold("b");
  second();
  EXPECT_THAT(reader->of("locks").back(), HasSubstr("\"lock\":\"b\""));
  EXPECT_THAT(reader->of("locks").back(), Not(HasSubstr("\"lock\":\"a\"")));
  locks_.clear();
  second();
  EXPECT_THAT(reader->of("locks").back(), HasSubstr("\"gone\":[\"a\",\"b\"]"));
}

TEST_F(FeedTest, ManyLocksComeInBatchesAsTheyAreTaken) {
  for (std::size_t i = 0; i < 2 * Feed::kBatch + 1; ++i) hold(fmt::format("{:04}", i));
  const auto reader = join(0);
  EXPECT_THAT(reader->of("locks"), ::testing::SizeIs(1));
  locks_.front().holder->pid = 99;  // Of what it knows, …
  locks_.back().holder->pid = 99;   // … and of what it does not know yet.
  second();
  EXPECT_THAT(reader->of("locks").back(), HasSubstr("\"pid\":99"));
  EXPECT_THAT(reader->of("locks").back(), Not(HasSubstr("\"lock\":\"0500\"")));
  feed_->go_on(*reader);
  EXPECT_THAT(reader->of("locks").back(), HasSubstr("\"is_all\":false"));
  feed_->go_on(*reader);
  EXPECT_THAT(reader->of("locks").back(), HasSubstr("\"lock\":\"0500\""));
  EXPECT_THAT(reader->of("locks").back(), HasSubstr("\"is_all\":true"));
  const std::size_t before = reader->events.size();
  feed_->go_on(*reader);
  EXPECT_EQ(reader->events.size(), before);
}

TEST_F(FeedTest, WhenVeryMuchChangesItIsToldInBatches) {
  const auto reader = join(0);
  hold("before");
  second();
  locks_.clear();
  for (std::size_t i = 0; i < 2 * Feed::kBatch + 1; ++i) hold(fmt::format("{:04}", i));
  const std::size_t before = reader->of("locks").size();
  second();
  feed_->go_on(*reader);
  feed_->go_on(*reader);
  const auto told = reader->of("locks");
  ASSERT_EQ(told.size(), before + 4);
  EXPECT_THAT(told[before], HasSubstr("\"gone\":[\"before\"]"));
  EXPECT_THAT(told[before + 1], HasSubstr("\"lock\":\"0000\""));
  EXPECT_THAT(told.back(), HasSubstr("\"lock\":\"0500\""));
  EXPECT_THAT(told.back(), HasSubstr("\"is_all\":true"));
}

TEST_F(FeedTest, EachIsToldWhatItMayRead) {
  hold("1/a", 1, {2});
  hold("2/b", 2, {1});
  const auto all = join(0), one = join(1);
  second();
  EXPECT_THAT(all->of("waits").back(), HasSubstr("\"cycles\":[[\"1/a\",\"2/b\"]]"));
  locks_.clear();
  feed_->note("view 2 begins; broke 2/b", LogLevel::info);
  second();
  EXPECT_THAT(all->of("log"), ::testing::SizeIs(1));
  bool saw_its_own = false;
  for (const auto& [event, json] : one->events) {
    EXPECT_THAT(json, Not(HasSubstr("2/b"))) << event;
    saw_its_own |= json.find("1/a") != std::string::npos;
  }
  EXPECT_TRUE(saw_its_own);
}

TEST_F(FeedTest, WhoMayLookNoLongerIsSentAway) {
  const auto all = join(0), one = join(1);
  dismissed_ = 1;
  second();
  EXPECT_TRUE(one->has_ended);
  EXPECT_FALSE(all->has_ended);
  EXPECT_EQ(feed_->streams(), 1u);
}

TEST_F(FeedTest, TheLogIsToldToWhoComesLater) {
  for (std::size_t i = 0; i < 2 * Feed::kMostLines; ++i) {
    feed_->note(fmt::format("line {}", i), LogLevel::warning);
  }
  feed_->note("a client is here", LogLevel::debug);
  const auto reader = join(0);
  const auto lines = reader->of("log");
  ASSERT_EQ(lines.size(), Feed::kMostLines);
  EXPECT_EQ(lines.back(), "{\"time\":1000000,\"level\":\"warning\",\"text\":\"line 399\"}");
  EXPECT_THAT(join(1)->of("log"), IsEmpty());
}

// Whoever takes nothing is ended in the middle of what is told to all.
TEST_F(FeedTest, AStreamMayEndWhileItIsTold) {
  class Fickle final : public Reader {
   public:
    explicit Fickle(Feed& feed) : Reader(0), feed_(feed) {}
    void tell(std::string_view event, const std::string&) override {
      if (event != "begin") feed_.leave(*this);
    }

   private:
    Feed& feed_;
  };
  hold("a");
  feed_->join(std::make_shared<Fickle>(*feed_));
  const auto reader = join(0);
  feed_->join(std::make_shared<Fickle>(*feed_));
  hold("b");
  feed_->note("line", LogLevel::info);
  second();
  EXPECT_EQ(feed_->streams(), 1u);
  EXPECT_THAT(reader->of("locks").back(), HasSubstr("\"lock\":\"b\""));
}

}  // namespace
}  // namespace hapax::live
