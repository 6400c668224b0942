#include "audit/file_history.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace hapax::audit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct FileBook {
  std::vector<FileEvent> events;

  FileEvent& add(const char* client, FileOp op, std::int64_t call, std::uint64_t version,
                 const char* content = "", const char* file = "f") {
    return events.emplace_back(
        FileEvent{client, file, op, call, call + 5, true, version, 0, content, false});
  }
  FileEvent& put(const char* client, std::int64_t call, std::uint64_t version,
                 const char* content = "x", const char* file = "f") {
    return add(client, FileOp::put, call, version, content, file);
  }
  FileEvent& get(const char* client, std::int64_t call, std::uint64_t version,
                 const char* content = "x", const char* file = "f") {
    return add(client, FileOp::get, call, version, version == 0 ? "" : content, file);
  }
  FileEvent& cas(const char* client, std::int64_t call, std::uint64_t expected,
                 std::uint64_t version, const char* content = "x") {
    FileEvent& event = add(client, FileOp::cas, call, version, content);
    event.expected = expected;
    return event;
  }
  std::vector<std::string> kinds() const {
    std::vector<std::string> kinds;
    for (const FileFinding& finding : judge_files(events)) {
      kinds.emplace_back(name_of(finding.kind));
    }
    return kinds;
  }
};

TEST(FileHistory, OfACorrectCellHasNoFindings) {
  FileBook book;
  book.get("a", 0, 0);
  book.put("a", 10, 3, "one");
  book.cas("b", 20, 3, 5, "two");
  book.get("a", 21, 3, "one");
  book.get("a", 30, 5, "two");
  book.add("b", FileOp::remove, 40, 9);
  book.get("b", 50, 0);
  book.get("a", 50, 5, "two");  // Others may read what was there before.
  book.cas("b", 60, 0, 11, "three");
  book.get("b", 70, 11, "three").fresh = true;
  EXPECT_THAT(book.kinds(), IsEmpty());
}

TEST(FileHistory, WritesInAnotherOrderThanTheirVersionsAreFound) {
  FileBook book;
  book.put("a", 0, 5);
  book.put("b", 10, 4, "x", "other");
  EXPECT_THAT(book.kinds(), ElementsAre("order"));
  FileBook twice;
  twice.put("a", 0, 5);
  twice.put("b", 2, 5);
  EXPECT_THAT(twice.kinds(), ElementsAre("order"));
}

TEST(FileHistory, ASwapOfWhatWasNotThereIsFound) {
  FileBook book;
  book.put("a", 0, 3);
  book.put("b", 10, 4);
  book.cas("a", 20, 3, 5);
  EXPECT_THAT(book.kinds(), ElementsAre("cas"));
  FileBook made;
  made.put("a", 0, 3);
  made.cas("b", 10, 0, 4);
  EXPECT_THAT(made.kinds(), ElementsAre("cas"));
  made.events[1].ok = false;
  EXPECT_THAT(made.kinds(), IsEmpty()) << "it was refused";
}

TEST(FileHistory, AReaderThatKnewMoreIsFound) {
  FileBook own;
  own.put("a", 0, 3, "old");
  own.put("a", 10, 4, "new");
  own.get("a", 20, 3, "old");
  EXPECT_THAT(own.kinds(), ElementsAre("stale-read"));
  FileBook across;  // What it knows of one file says something of the others.
  across.put("w", 0, 3, "x", "g");
  across.put("w", 10, 4, "x", "f");
  across.get("r", 20, 4, "x", "f");
  across.get("r", 30, 0, "", "g");
  EXPECT_THAT(across.kinds(), ElementsAre("stale-read"));
}

TEST(FileHistory, AFreshReadOfWhatIsOldIsFound) {
  FileBook book;
  book.put("a", 0, 3, "old");
  book.put("a", 10, 4, "new");
  book.get("b", 20, 3, "old");
  EXPECT_THAT(book.kinds(), IsEmpty());
  book.events.back().fresh = true;
  EXPECT_THAT(book.kinds(), ElementsAre("not-fresh"));
}

TEST(FileHistory, WhatNobodyWroteIsFoundUnlessSomebodyMayHave) {
  FileBook book;
  book.put("a", 0, 3, "one");
  book.get("b", 10, 3, "two");
  EXPECT_THAT(book.kinds(), ElementsAre("content"));
  book.events.back().version = 4;
  EXPECT_THAT(book.kinds(), ElementsAre("content"));
  book.put("c", 5, 0, "two").ret.reset();
  EXPECT_THAT(book.kinds(), IsEmpty()) << "its answer was lost";
}

TEST(FileHistory, AWriteThatWasNotedTwiceIsOne) {
  FileBook book;
  book.put("a", 0, 0, "one").ret.reset();  // As it began.
  book.put("a", 0, 3, "one");
  book.put("a", 20, 4, "two");
  book.get("b", 40, 5, "one");
  EXPECT_THAT(book.kinds(), ElementsAre("content")) << "nobody wrote that again";
}

TEST(FileHistory, IsReadFromLines) {
  const auto event = file_event_in(
      R"({"client":"w1","file":"f","op":"cas","call":3,"ret":5,"ok":false,"expected":2,"version":7})");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->op, FileOp::cas);
  EXPECT_EQ(event->expected, 2u);
  EXPECT_FALSE(event->ok);
  EXPECT_FALSE(file_event_in(R"({"client":"w1"})").has_value());
  EXPECT_FALSE(
      file_event_in(R"({"client":"w","file":"f","op":"get","call":3,"ret":1})").has_value());
}

}  // namespace
}  // namespace hapax::audit
