#include "loop/loop_watch.h"

#include <gtest/gtest.h>
#include <vector>

namespace hapax {
namespace {

using namespace std::chrono_literals;

TEST(LoopWatch, SaysEachLongTurnButNotTooOften) {
  std::vector<LoopWatch::Span> said;
  LoopWatch watch{[&](LoopWatch::Span turn) { said.push_back(turn); }};
  const LoopWatch::Instant start{};
  watch.note(49ms, start);
  watch.note(5s, start);
  watch.note(6s, start + 9s);
  watch.note(60ms, start + 11s);  // Not the longest so far, and too long all the same.
  EXPECT_EQ(said, (std::vector<LoopWatch::Span>{5s, 60ms}));
  EXPECT_EQ(watch.longest(), 6s);
}

}  // namespace
}  // namespace hapax
