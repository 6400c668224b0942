#include "sim/event_queue.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace hapax {
namespace {

struct Event {
  Nanos at = 0;
  std::uint32_t id = 0;

  friend bool operator==(const Event&, const Event&) = default;
};
std::ostream& operator<<(std::ostream& out, const Event& event) {
  return out << event.id << '@' << event.at;
}

std::vector<Event> take_all(EventQueue<Event>& queue) {
  std::vector<Event> taken;
  for (Event event; queue.take(event);) taken.push_back(event);
  return taken;
}

TEST(EventQueue, EmptyGivesNothing) {
  EventQueue<Event> queue{kMillisecond};
  Event event;
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.take(event));
}

TEST(EventQueue, EventsOfOneTimeComeInTheOrderOfPushing) {
  EventQueue<Event> queue{kMillisecond};
  std::vector<Event> pushed;
  for (std::uint32_t id = 0; id < 100; ++id) pushed.push_back({kMillisecond, id});
  for (const Event& event : pushed) queue.push(event.at, event.id);
  EXPECT_EQ(queue.size(), 100u);
  EXPECT_EQ(take_all(queue), pushed);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, EarlierEventsComeFirstWhereverTheyWereKept) {
  EventQueue<Event> queue{kMillisecond};
  queue.push(3600 * kSecond, 4u);
  queue.push(kMillisecond + 1, 2u);
  queue.push(kMillisecond, 1u);
  queue.push(0, 0u);
  queue.push(kSecond, 3u);
  EXPECT_EQ(
      take_all(queue),
      (std::vector<Event>{
          {0, 0}, {kMillisecond, 1}, {kMillisecond + 1, 2}, {kSecond, 3}, {3600 * kSecond, 4}}));
}

// The first one waits in the heap, the second one comes into the slot when that is in reach.
TEST(EventQueue, WhatWasPushedLongBeforeComesBeforeWhatWasPushedForTheSameTimeLater) {
  EventQueue<Event> queue{kMillisecond};
  queue.push(kSecond, 0u);
  queue.push(kSecond - kMillisecond, 1u);
  Event event;
  ASSERT_TRUE(queue.take(event));
  EXPECT_EQ(event.id, 1u);
  queue.push(kSecond, 2u);
  EXPECT_EQ(take_all(queue), (std::vector<Event>{{kSecond, 0}, {kSecond, 2}}));
}

TEST(EventQueue, TakesEventsForNowWhileNowIsBeingRead) {
  EventQueue<Event> queue{kMillisecond};
  for (const std::uint32_t id : {0u, 1u}) queue.push(kMillisecond, id);
  queue.push(kMillisecond + 1, 3u);
  Event event;
  ASSERT_TRUE(queue.take(event));
  queue.push(kMillisecond, 2u);
  queue.push(kMillisecond + 1, 4u);
  EXPECT_EQ(
      take_all(queue),
      (std::vector<Event>{
          {kMillisecond, 1}, {kMillisecond, 2}, {kMillisecond + 1, 3}, {kMillisecond + 1, 4}}));
}

// So many in one slot that they are spread over buckets: many in a few of them, or a few in each.
TEST(EventQueue, ManyOfOneSlotComeByTimeAndThenInTheOrderOfPushing) {
  for (const Nanos different : {3, 1'000, 1'000'000, 50'000'000}) {
    EventQueue<Event> queue{kSecond};
    std::vector<Event> pushed;
    for (std::uint32_t id = 0; id < 5'000; ++id) {
      pushed.push_back({kSecond + Nanos{id} * 7919 % different, id});
      queue.push(pushed.back().at, id);
    }
    std::stable_sort(pushed.begin(), pushed.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    EXPECT_EQ(take_all(queue), pushed);
  }
}

TEST(EventQueue, PeekShowsWhatIsAtHand) {
  EventQueue<Event> queue{kMillisecond};
  for (const std::uint32_t id : {0u, 1u, 2u}) queue.push(kMillisecond, id);
  Event event;
  ASSERT_TRUE(queue.take(event));
  ASSERT_NE(queue.peek(1), nullptr);
  EXPECT_EQ(queue.peek(1)->id, 2u);
  EXPECT_EQ(queue.peek(2), nullptr);
}

TEST(EventQueueDeathTest, ThePastIsClosed) {
  EventQueue<Event> queue{kMillisecond};
  queue.push(kSecond, 0u);
  Event event;
  ASSERT_TRUE(queue.take(event));
  EXPECT_DEATH(queue.push(kMillisecond, 1u), "broken invariant");
}

// Against a list that is sorted anew for every event taken. Distances are short, long, far beyond
// the wheel, and zero; many are equal.
RC_GTEST_PROP(EventQueue, GivesWhatAStableSortGives, ()) {
  const auto typical = *rc::gen::element<Nanos>(1, 100, 1'000, kMillisecond, kSecond);
  const auto distance = rc::gen::oneOf(
      rc::gen::just<Nanos>(0), rc::gen::just(typical), rc::gen::inRange<Nanos>(0, 4),
      rc::gen::inRange<Nanos>(0, 3 * typical), rc::gen::inRange<Nanos>(0, 40 * typical),
      rc::gen::element<Nanos>(63 * typical, 64 * typical, 65 * typical, 128 * typical),
      rc::gen::inRange<Nanos>(0, 1000 * typical));
  const auto steps = *rc::gen::container<std::vector<std::pair<bool, Nanos>>>(
      rc::gen::pair(rc::gen::weightedElement<bool>({{3, true}, {2, false}}), distance));
  EventQueue<Event> queue{typical};
  std::vector<Event> reference;
  Nanos now = 0;
  std::uint32_t next_id = 0;
  const auto take_both = [&] {
    Event event;
    if (reference.empty()) {
      RC_ASSERT(!queue.take(event));
      return;
    }
    std::stable_sort(reference.begin(), reference.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    RC_ASSERT(queue.take(event));
    RC_ASSERT(event == reference.front());
    now = event.at;
    reference.erase(reference.begin());
  };
  for (const auto& [push, after] : steps) {
    if (push) {
      queue.push(now + after, next_id);
      reference.push_back({now + after, next_id++});
    } else {
      take_both();
    }
    RC_ASSERT(queue.size() == reference.size());
  }
  while (!reference.empty()) take_both();
  RC_ASSERT(queue.empty());
}

}  // namespace
}  // namespace hapax
