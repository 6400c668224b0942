#include "audit/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "audit/read.h"

namespace hapax::audit {
namespace {

using ::testing::HasSubstr;

const std::string kAcquire =
    R"({"client":"w1","op":"acquire","lock":"a","call":10,"ret":20,"ok":true,"fence":"3.17")";

std::string refusal(const std::string& line) {
  History history;
  const auto added = history.add_line(line);
  EXPECT_TRUE(history.events().empty()) << line;
  return added ? "taken" : added.error().message;
}

TEST(History, TakesAnEventWithAllThatItKnows) {
  History history;
  ASSERT_TRUE(history.add_line(kAcquire + R"(,"valid_until":99,"member":2,"gate":"file"})"));
  const Event& event = history.events().front();
  EXPECT_EQ(history.name_of(event.client), "w1");
  EXPECT_EQ(history.name_of(event.lock), "a");
  EXPECT_EQ(event.op, Op::acquire);
  EXPECT_TRUE(event.ok);
  EXPECT_EQ(event.call, 10);
  EXPECT_EQ(event.ret, 20);
  EXPECT_EQ(event.fence, (Fence{Epoch{3}, Turn{17}}));
  EXPECT_EQ(event.valid_until, 99);
  EXPECT_EQ(event.value, std::nullopt);
}

TEST(History, SaysWhatIsWrongWithALine) {
  EXPECT_THAT(refusal("nonsense"), HasSubstr("no JSON"));
  EXPECT_THAT(refusal("[1,2]"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal(kAcquire + "} {}"), HasSubstr("no JSON"));
  EXPECT_THAT(refusal(kAcquire + R"(,"deep":[[[[[[1]]]]]]})"), HasSubstr("no JSON"));
  EXPECT_THAT(refusal(R"({"client":"w","op":"steal","lock":"a","call":1})"), HasSubstr("\"op\""));
  EXPECT_THAT(refusal(R"({"client":"","op":"release","lock":"a","call":1})"),
              HasSubstr("\"client\""));
  EXPECT_THAT(refusal(R"({"client":7,"op":"release","lock":"a","call":1})"),
              HasSubstr("\"client\""));
  EXPECT_THAT(refusal(R"({"client":"w","op":"release","call":1})"), HasSubstr("\"lock\""));
  EXPECT_THAT(refusal(R"({"client":"w","op":"release","lock":"a"})"), HasSubstr("\"call\""));
  EXPECT_THAT(refusal(R"({"client":"w","op":"release","lock":"a","call":-1})"),
              HasSubstr("\"call\""));
  EXPECT_THAT(refusal(R"({"client":"w","op":"release","lock":"a","call":1.5})"),
              HasSubstr("\"call\""));
  EXPECT_THAT(refusal(R"({"client":"w","op":"release","lock":"a","call":18446744073709551615})"),
              HasSubstr("\"call\""));
  EXPECT_THAT(refusal(R"({"client":"w","op":"release","lock":"a","call":5,"ret":4})"),
              HasSubstr("before"));
  EXPECT_THAT(refusal(R"({"client":"w","op":"acquire","lock":"a","call":5,"ret":6})"),
              HasSubstr("\"ok\""));
  EXPECT_THAT(refusal(R"({"client":"w","op":"acquire","lock":"a","call":5,"ret":6,"ok":true})"),
              HasSubstr("\"fence\""));
  for (const char* fence : {"\"1\"", "\"1.\"", "\".1\"", "\"1.2.3\"", "\"-1.2\"", "\" 1.2\"", "12",
                            "\"18446744073709551616.0\""}) {
    EXPECT_THAT(refusal(R"({"client":"w","op":"read","lock":"a","call":5,"ret":6,"ok":true,)"
                        R"("fence":)" +
                        std::string{fence} + "}"),
                HasSubstr("\"fence\""));
  }
  EXPECT_THAT(refusal(R"({"client":")" + std::string(History::kLongestName + 1, 'x') +
                      R"(","op":"release","lock":"a","call":1})"),
              HasSubstr("\"client\""));
}

TEST(History, AnEventThatEndedReplacesItsBeginning) {
  History history;
  ASSERT_TRUE(history.add_line(R"({"client":"w1","op":"acquire","lock":"a","call":10})"));
  ASSERT_TRUE(
      history.add_line(R"({"client":"w2","op":"acquire","lock":"a","call":10,"ret":null})"));
  ASSERT_TRUE(history.add_line(kAcquire + "}"));
  const auto events = history.in_order();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].ret, 20);
  EXPECT_EQ(events[1].ret, std::nullopt);
}

TEST(ReadHistory, SkipsALastLineThatACrashCutOff) {
  const std::string whole = kAcquire + "}\n";
  for (std::size_t cut = 1; cut < kAcquire.size(); ++cut) {
    std::istringstream stream{whole + kAcquire.substr(0, cut)};
    History history;
    const auto cut_off = read_history(stream, "h", history);
    ASSERT_TRUE(cut_off);
    EXPECT_EQ(*cut_off, 1u);
    EXPECT_EQ(history.events().size(), 1u);
  }
  std::istringstream stream{whole + kAcquire + "}"};
  History history;
  ASSERT_TRUE(read_history(stream, "h", history));
  EXPECT_EQ(history.events().size(), 2u);
}

TEST(ReadHistory, NamesFileAndLineOfWhatMakesNoSense) {
  const auto complaint = [](const std::string& text) {
    std::istringstream stream{text};
    History history;
    const auto read = read_history(stream, "h.jsonl", history);
    return read ? "taken" : read.error().message;
  };
  EXPECT_THAT(complaint(kAcquire + "}\n" + kAcquire + "\n" + kAcquire + "}\n"),
              HasSubstr("h.jsonl, line 2: this is no JSON"));
  EXPECT_THAT(complaint("\n"), HasSubstr("line 1"));
  EXPECT_THAT(complaint(kAcquire + "}\n" + std::string(kLongestLine + 1, ' ') + "\n"),
              HasSubstr("line 2: longer than"));
  EXPECT_THAT(complaint(std::string(10 * kLongestLine, ' ')), HasSubstr("line 1: longer than"));
  EXPECT_EQ(complaint(""), "taken");
}

}  // namespace
}  // namespace hapax::audit
