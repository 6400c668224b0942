#include "news/view_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax {
namespace {

using namespace std::chrono_literals;

std::string named(Life life) { return number(life) < 10 ? "db1" : "db2"; }
std::string nothing(Life) { return ""; }

TEST(ViewNewsTest, SaysWhoCameAndHowLongThereWasNoView) {
  ViewNews news{1s};
  const auto first = news.begun(1500ms, {Epoch{1}, {Life{1}, Life{11}}}, named, nothing);
  EXPECT_EQ(first.without, 500ms);
  EXPECT_EQ(first.text,
            "view 1 of 2 members begins, after 0.500 s without one: db1 came; db2 came");
  news.stopped(3s);
  news.stopped(4s);
  const auto next = news.begun(5s, {Epoch{2}, {Life{1}, Life{11}}}, named, nothing);
  EXPECT_EQ(next.without, 2s) << "since it stopped, not since it was said last";
  EXPECT_EQ(next.text,
            "view 2 of 2 members begins, after 2.000 s without one: the same members, afresh");
}

TEST(ViewNewsTest, SaysWhoWentAndWhenItWasHeardOf) {
  ViewNews news{0s};
  (void)news.begun(1s, {Epoch{1}, {Life{1}, Life{11}}}, named, nothing);
  news.heard(Life{11}, 2s);
  news.stopped(6900ms);
  EXPECT_EQ(news.begun(7s, {Epoch{2}, {Life{1}}}, named, [](Life) { return "evicted"; }).text,
            "view 2 of 1 member begins, after 0.100 s without one: db2 is gone, evicted, last "
            "heard of 5.0 s ago");
}

TEST(ViewNewsTest, WhoIsStartedAgainIsBack) {
  ViewNews news{0s};
  (void)news.begun(1s, {Epoch{1}, {Life{1}, Life{11}}}, named, nothing);
  EXPECT_EQ(news.begun(1s, {Epoch{2}, {Life{1}, Life{12}}}, named, nothing).text,
            "view 2 of 2 members begins, after 0.000 s without one: db2 is back, as another life");
}

}  // namespace
}  // namespace hapax
