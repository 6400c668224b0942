#include "recorded/recorded_trace.h"

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "core/lock_name.h"
#include "locks/lock_table.h"
#include "wire/codec.h"
#include "world/play.h"

namespace hapax {
namespace {

constexpr const char* kLock = "orders/42";

// Members of a view, links between them, and a snapshot as daemons take it: a mark on each link.
class RecordedGroup {
 public:
  RecordedGroup(const std::string& algorithm, std::uint32_t size, std::uint32_t seed)
      : size_(size), random_(seed), recording_(size), begun_(size, false), busy_(size, false) {
    Policy policy;
    if (!policy.set_default(algorithm)) ADD_FAILURE() << algorithm;
    for (std::uint32_t i = 0; i < size; ++i) {
      tables_.emplace_back(Membership{Epoch{7}, size, NodeId{i}}, policy);
    }
  }

  void go_on(int steps) {
    for (int i = 0; i < steps; ++i) {
      if (random_() % 3 == 0 || !deliver_any()) act(random_() % size_);
    }
  }
  void begin(std::uint32_t who) {
    class Log : public LockObserver {
     public:
      Log(std::vector<LockStep>& steps, const std::uint64_t& now) : steps_(steps), now_(now) {}
      void on_step(LockStep&& step) override {
        step.time_us = now_;
        steps_.push_back(std::move(step));
      }

     private:
      std::vector<LockStep>& steps_;
      const std::uint64_t& now_;
    };
    begun_[who] = true;
    session::MemberRecording& own = recording_[who];
    const auto start = tables_[who].observe(kLock, std::make_shared<Log>(own.steps, now_));
    ASSERT_TRUE(start) << start.error().message;
    own.member = who;
    own.name = "db" + std::to_string(who);
    own.epoch = Epoch{7};
    own.place = NodeId{who};
    own.size = size_;
    own.start = *start;
    for (std::uint32_t to = 0; to < size_; ++to) {
      if (to != who) links_[{who, to}].push_back(std::nullopt);
    }
  }
  session::Recording recording() const { return {kLock, 0, 1000, recording_}; }

 private:
  using Link = std::pair<std::uint32_t, std::uint32_t>;

  void carry_out(std::uint32_t who) {
    for (const Outbox::Send& send : out_.sends()) {
      const auto bytes = out_.bytes(send);
      links_[{who, number(send.to)}].push_back(Bytes{bytes.begin(), bytes.end()});
    }
    for (const Grant& grant : out_.grants()) held_[who] = grant.waiter;
    out_.clear();
  }
  void act(std::uint32_t who) {
    ++now_;
    if (const auto held = held_.extract(who)) {
      busy_[who] = false;
      ASSERT_TRUE(tables_[who].release(kLock, held.mapped(), out_));
    } else if (!busy_[who]) {
      busy_[who] = true;
      ASSERT_TRUE(tables_[who].acquire(kLock, WaiterId{++last_}, out_));
    }
    carry_out(who);
  }
  bool deliver_any() {
    std::vector<Link> full;
    for (const auto& [link, letters] : links_) {
      if (!letters.empty()) full.push_back(link);
    }
    if (full.empty()) return false;
    ++now_;
    const auto [from, to] = full[random_() % full.size()];
    auto& letters = links_[{from, to}];
    const std::optional<Bytes> letter = std::move(letters.front());
    letters.pop_front();
    if (!letter) {
      if (!begun_[to]) begin(to);
      recording_[to].steps.push_back({LockStep::Kind::mark, NodeId{from}, {}, 0, {}, now_});
      return true;
    }
    tables_[to].receive(NodeId{from}, *letter, out_);
    carry_out(to);
    return true;
  }

  std::uint32_t size_;
  std::mt19937 random_;
  std::vector<LockTable> tables_;
  std::vector<session::MemberRecording> recording_;
  std::vector<bool> begun_, busy_;
  std::map<Link, std::deque<std::optional<Bytes>>> links_;
  std::map<std::uint32_t, WaiterId> held_;
  Outbox out_;
  std::uint64_t now_ = 0;
  std::uint64_t last_ = 0;
};

session::Recording recorded(const std::string& algorithm, std::uint32_t size, std::uint32_t seed) {
  RecordedGroup group{algorithm, size, seed};
  group.go_on(static_cast<int>(17 * seed));
  group.begin(seed % size);
  group.go_on(400);
  return group.recording();
}

// Wherever the recording begins in a busy run, with whatever is under way, the trace comes out as
// it was.
TEST(RecordedTrace, RepeatsWhatMembersDid) {
  for (const Operations* algorithm : algorithms()) {
    if (algorithm->shared || algorithm->info.token_rests || algorithm->info.can_deadlock) continue;
    const std::string name{algorithm->info.name};
    bool begins_in_the_middle = false;
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
      const auto trace = trace_of(recorded(name, 2 + seed % 4, seed));
      ASSERT_TRUE(trace) << name << ' ' << seed << ": " << trace.error().message;
      EXPECT_GT(trace->steps, 100u) << name;
      EXPECT_LT(trace->beyond, 100u) << name;
      const std::string text = trace->script.text();
      begins_in_the_middle |= text.find(" under-way=") != std::string::npos;
      const auto again = Script::parse(text);
      ASSERT_TRUE(again);
      EXPECT_EQ(again->blocks.size(), trace->steps + 1);
      EXPECT_EQ(play(*again)->text(), text);
      EXPECT_EQ(text.find("error:"), std::string::npos) << text;
      EXPECT_EQ(text.find("VIOLATED"), std::string::npos) << text;
      EXPECT_NE(text.find("is inside with fence 7."), std::string::npos) << text;
    }
    EXPECT_TRUE(begins_in_the_middle) << name;
  }
}

TEST(RecordedTrace, BeginsPlainlyWhereTheLockIsLikeNew) {
  RecordedGroup group{"ricart-agrawala", 3, 1};
  group.begin(0);
  group.go_on(100);
  const auto trace = trace_of(group.recording());
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->script.blocks[0].commands,
            (std::vector<std::string>{"nodes ricart-agrawala db0 db1 db2 holder=db" +
                                      std::to_string(number(home_of(kLock, 3))) + " epoch=7"}));
}

// What does not come out as recorded is no trace.
TEST(RecordedTrace, IsNotMadeOfWhatDoesNotFitTogether) {
  const session::Recording good = recorded("ricart-agrawala", 3, 4);
  ASSERT_TRUE(trace_of(good));
  session::Recording other = good;
  other.members[1].epoch = Epoch{8};
  EXPECT_EQ(trace_of(other).error().message, "the view changed meanwhile; record once more");
  other = good;
  other.members.pop_back();
  EXPECT_FALSE(trace_of(other));
  other = good;
  other.members[2].start.state = {0xff};
  EXPECT_FALSE(trace_of(other));
  other = good;
  for (LockStep& step : other.members[0].steps) {
    if (step.kind == LockStep::Kind::receive) step.message.back() ^= 1;
  }
  EXPECT_NE(trace_of(other).error().message.find("does not fit together"), std::string::npos);
  other = good;
  for (LockStep& step : other.members[0].steps) {
    if (step.entered) step.entered = next(*step.entered);
  }
  EXPECT_NE(trace_of(other).error().message.find("entered otherwise"), std::string::npos);
  other = good;
  std::erase_if(other.members[0].steps,
                [](const LockStep& step) { return step.kind == LockStep::Kind::mark; });
  EXPECT_NE(trace_of(other).error().message.find("was not told"), std::string::npos);
}

TEST(RecordedTrace, TakesNoBytesThatAreNone) {
  EXPECT_FALSE(trace_of_bytes("nothing"));
  const Bytes bytes = encode(recorded("central", 2, 2));
  EXPECT_TRUE(trace_of_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

}  // namespace
}  // namespace hapax
