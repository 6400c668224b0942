#include "membership/commit_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "engine/fake.h"
#include "loop/loop.h"

namespace hapax {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

// Lets each commit take as long as the list says, over and over, on a clock of its own.
class TardyEngine final : public engine::Engine {
 public:
  TardyEngine(Loop& io, engine::FakeServer& server, std::vector<int> takes_ms)
      : inner_(engine::open_fake(io, server)), takes_ms_(std::move(takes_ms)) {}

  void read(std::vector<std::string> prefixes, engine::ReadCallback callback) override {
    inner_->read(std::move(prefixes), std::move(callback));
  }
  void commit(std::vector<engine::Condition> conditions, std::vector<engine::Write> writes,
              engine::CommitCallback callback) override {
    const milliseconds takes{takes_ms_[commits_++ % takes_ms_.size()]};
    inner_->commit(std::move(conditions), std::move(writes),
                   [this, takes, callback = std::move(callback)](engine::Outcome outcome,
                                                                 engine::Revision revision) {
                     now += takes;
                     callback(outcome, revision);
                   });
  }
  std::unique_ptr<engine::Watch> watch(std::string prefix, engine::Revision from,
                                       engine::WatchHandler handler) override {
    return inner_->watch(std::move(prefix), from, std::move(handler));
  }
  engine::Health health() const override { return inner_->health(); }

  Instant now{};

 private:
  std::unique_ptr<engine::Engine> inner_;
  std::vector<int> takes_ms_;
  std::size_t commits_ = 0;
};

struct Measured {
  Span typical;
  std::uint64_t commits;
};

Measured measure(std::vector<int> takes_ms, milliseconds quick_enough,
                 std::function<engine::Fate()> fate = {}) {
  Loop io;
  engine::FakeServer server;
  server.fate = std::move(fate);
  TardyEngine slow{io, server, std::move(takes_ms)};
  CommitProbe probe{
      slow, {[&] { return slow.now; }, [&](auto then) { io.post(then); }}, quick_enough};
  probe.start();
  for (int i = 0; i < 1000 && !probe.typical(); ++i) {
    io.restart();
    io.run_one();
  }
  return {probe.typical().value(), server.commits};
}

TEST(CommitProbe, TakesTheMedianSoThatAHiccupDoesNotCount) {
  const Measured measured = measure({4, 900, 3, 900, 5}, milliseconds{50});
  EXPECT_EQ(measured.typical, milliseconds{5});
  EXPECT_EQ(measured.commits, CommitProbe::kCommits) << "one round is enough";
}

TEST(CommitProbe, LooksAgainBeforeItCallsAnEngineSlow) {
  const Measured measured =
      measure({90, 90, 90, 90, 90, 10, 10, 10, 10, 10, 90, 90, 90, 90, 90}, milliseconds{50});
  EXPECT_EQ(measured.typical, milliseconds{10});
  EXPECT_EQ(measured.commits, 2 * CommitProbe::kCommits);
}

TEST(CommitProbe, SaysWhatASlowEngineTakes) {
  const Measured measured = measure({120, 130, 140}, milliseconds{50});
  EXPECT_EQ(measured.typical, milliseconds{130});
  EXPECT_EQ(measured.commits, CommitProbe::kRounds * CommitProbe::kCommits);
}

TEST(CommitProbe, DoesNotCountCommitsWithoutAnAnswer) {
  int calls = 0;
  const Measured measured = measure({10'000, 7}, milliseconds{50}, [&] {
    return calls++ % 2 == 0 ? engine::Fate::request_lost : engine::Fate::answered;
  });
  EXPECT_EQ(measured.typical, milliseconds{7});
}

TEST(CheckBeats, RefusesATtlThatBeatsCannotKeepUpWith) {
  const LeaseTimes half{milliseconds{500}};
  EXPECT_TRUE(check_beats(half, milliseconds{10}));
  EXPECT_TRUE(check_beats(half, half.slowest_commit()));
  const auto refused = check_beats(half, milliseconds{130});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("takes 130 ms"));
  EXPECT_THAT(refused.error().message, HasSubstr("--ttl 900ms"));
}

TEST(CheckBeats, NamesATtlThatWorks) {
  for (int ms = 0; ms < 3000; ms += 7) {
    const Span commit = milliseconds{ms};
    const LeaseTimes shortest{LeaseTimes::shortest_for(commit)};
    EXPECT_TRUE(check_beats(shortest, commit)) << ms;
    EXPECT_GE(shortest.ttl, kShortestTtl);
    if (shortest.ttl == kShortestTtl) continue;
    EXPECT_FALSE(check_beats(LeaseTimes{shortest.ttl - milliseconds{101}}, commit)) << ms;
  }
}

// Between two beats a member that keeps up is never in jeopardy, that is, has half its lease left.
TEST(CheckBeats, WhoKeepsUpIsNotInJeopardy) {
  for (const int ttl_ms : {500, 1000, 5000, 60'000}) {
    const LeaseTimes times{milliseconds{ttl_ms}};
    const Span least = times.lease() - times.beat_every() - times.slowest_commit();
    EXPECT_GE(least, times.ttl / 2) << ttl_ms;
    EXPECT_LT(times.slowest_commit(), times.engine_limit());
  }
}

}  // namespace
}  // namespace hapax
