#include "files/event_log.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace hapax {
namespace {

using session::AskEvents;
using session::EventCursor;
using session::EventsTold;
using session::Happened;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using EventKind = Happened::Kind;

// As people would write it: file_changed a 12 → "~a12".
std::string short_of(const Happened& e) {
  switch (e.kind) {
    case EventKind::begun:
      return "begun";
    case EventKind::resync:
      return "resync";
    case EventKind::file_added:
      return "+" + e.name + std::to_string(e.revision);
    case EventKind::file_changed:
      return "~" + e.name + std::to_string(e.revision);
    case EventKind::file_removed:
      return "-" + e.name + std::to_string(e.revision);
    case EventKind::lock_taken:
      return e.name + " taken " + to_string(*e.fence);
    case EventKind::lock_vacant:
      return e.name + " vacant " + to_string(*e.fence);
    case EventKind::leader:
      return e.name + " led by " + (e.fence ? e.text : "nobody");
    case EventKind::jeopardy:
      return "jeopardy";
    case EventKind::safe:
      return "safe";
    case EventKind::expired:
      return "expired";
  }
  return "?";
}

struct Reader {
  std::string path{};
  bool only_files = false;
  EventCursor cursor{};

  std::vector<std::string> hear(const EventLog& log) {
    const EventsTold told = log.since({1, path, cursor, only_files, 0});
    cursor = told.now;
    std::vector<std::string> heard;
    for (const Happened& event : told.events) heard.push_back(short_of(event));
    return heard;
  }
};

Happened changed(const std::string& path, std::uint64_t revision) {
  return {EventKind::file_changed, path, {}, "", revision};
}
Fence fence(std::uint64_t turn) { return {Epoch{1}, Turn{turn}}; }

TEST(EventLog, TellsEachReaderWhatIsNewToIt) {
  EventLog log{7};
  log.begin_files(10);
  Reader all;
  Reader some{.path = "a"};
  EXPECT_THAT(all.hear(log), ElementsAre("begun"));
  EXPECT_THAT(some.hear(log), ElementsAre("begun"));
  log.add(changed("a", 11));
  log.add(changed("b", 12));
  EXPECT_THAT(all.hear(log), ElementsAre("~a11", "~b12"));
  EXPECT_THAT(all.hear(log), IsEmpty());
  EXPECT_THAT(some.hear(log), ElementsAre("~a11"));
  EXPECT_THAT(some.hear(log), IsEmpty());
  log.add(changed("a/x", 13));
  EXPECT_THAT(some.hear(log), ElementsAre("~a/x13"));
}

TEST(EventLog, LeavesNothingOutForWhoComesFromAnotherDaemon) {
  EventLog one{1}, two{2};
  Reader reader;
  one.begin_files(10);
  two.begin_files(11);
  reader.hear(one);
  one.add(changed("a", 12));
  EXPECT_THAT(reader.hear(one), ElementsAre("~a12"));
  two.add(changed("a", 12));
  two.add(changed("b", 14));
  EXPECT_THAT(reader.hear(two), ElementsAre("begun", "~b14"));
  EXPECT_THAT(reader.hear(two), IsEmpty());
}

TEST(EventLog, SaysSoIfItMayHaveLeftSomethingOut) {
  EventLog one{1}, two{2};
  Reader reader;
  one.begin_files(10);
  reader.hear(one);
  two.begin_files(20);  // It does not know what was between.
  two.add(changed("a", 21));
  EXPECT_THAT(reader.hear(two), ElementsAre("resync"));
  two.add(changed("a", 22));
  EXPECT_THAT(reader.hear(two), ElementsAre("~a22"));
  two.begin_files(30);  // A gap of its own.
  two.add(changed("a", 31));
  EXPECT_THAT(reader.hear(two), ElementsAre("resync", "~a31"));
}

TEST(EventLog, TellsWhoIsTooSlowToLookAnew) {
  EventLog log{1};
  log.begin_files(10);
  Reader slow;
  slow.hear(log);
  for (std::uint64_t i = 0; i < 2 * EventLog::kMost; ++i) log.add(changed("a", 11 + i));
  EXPECT_THAT(slow.hear(log), ElementsAre("resync"));
  log.add(changed("b", 99'999));
  EXPECT_THAT(slow.hear(log), ElementsAre("~b99999"));
}

TEST(EventLog, TellsMuchInSeveralAnswers) {
  EventLog log{1};
  log.begin_files(10);
  Reader reader;
  reader.hear(log);
  for (std::uint64_t i = 0; i < 2 * EventLog::kMostAtOnce; ++i) log.add(changed("a", 11 + i));
  EXPECT_EQ(reader.hear(log).size(), EventLog::kMostAtOnce);
  EXPECT_EQ(reader.hear(log).size(), EventLog::kMostAtOnce);
  EXPECT_THAT(reader.hear(log), IsEmpty());
}

TEST(EventLog, TellsOfLocksHowTheyAreAndThenHowTheyChange) {
  EventLog log{1};
  log.begin_files(1);
  log.see_locks({{"a", fence(1)}, {"b", fence(1)}}, false);
  Reader reader;
  EXPECT_THAT(reader.hear(log), ElementsAre("begun", "a taken 1.1", "b taken 1.1"));
  log.see_locks({{"a", fence(2)}}, true);
  EXPECT_THAT(reader.hear(log), ElementsAre("a taken 1.2")) << "b's member may be silent";
  log.see_locks({{"a", fence(2)}}, false);
  EXPECT_THAT(reader.hear(log), ElementsAre("b vacant 1.1"));
  log.see_locks({{"a", fence(1)}}, false);
  EXPECT_THAT(reader.hear(log), IsEmpty()) << "told late";
  Reader files{.path = "", .only_files = true};
  EXPECT_THAT(files.hear(log), ElementsAre("begun"));
}

TEST(EventLog, TellsOfOneElectionAndOfTheSession) {
  EventLog log{1};
  log.begin_files(1);
  Reader reader{.path = "master"};
  Reader other{.path = "other"};
  reader.hear(log);
  other.hear(log);
  log.see_leader("master", fence(1), "host-7");
  log.see_leader("master", fence(1), "host-7");
  log.see_standing(EventKind::jeopardy);
  log.see_standing(EventKind::expired);
  log.see_leader("master", std::nullopt, "");
  log.see_standing(EventKind::safe);
  EXPECT_THAT(reader.hear(log), ElementsAre("master led by host-7", "jeopardy", "expired",
                                            "master led by nobody", "safe"));
  EXPECT_THAT(other.hear(log), ElementsAre("jeopardy", "expired", "safe"));
}

}  // namespace
}  // namespace hapax
