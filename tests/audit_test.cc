#include <gmock/gmock.h>
#include <string>

#include "cli_testing.h"

namespace hapax::testing {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

class AuditCommand : public Cli {};

const std::string kHistory =
    R"({"client":"w1","op":"acquire","lock":"a","call":1,"ret":2,"ok":true,"fence":"1.1"})"
    "\n"
    R"({"client":"w1","op":"release","lock":"a","call":9,"ret":10})"
    "\n";

TEST_F(AuditCommand, OfAGoodHistory) {
  const std::string one = file("one.jsonl", kHistory);
  const json::object report = object_of("audit " + one + " --json");
  EXPECT_TRUE(report.at("fine").as_bool());
  EXPECT_EQ(report.at("entries"), 1);
  EXPECT_THAT(hapax("audit " + one).out, HasSubstr("No findings."));
  EXPECT_EQ(shell("'" HAPAX_BINARY "' audit - <" + one).status, 0);
}

TEST_F(AuditCommand, MergesHistoriesAndFinds) {
  const std::string one = file("one.jsonl", kHistory);
  const std::string two =
      file("two.jsonl",
           R"({"client":"w2","op":"acquire","lock":"a","call":1,"ret":5,"ok":true,"fence":"1.2"})"
           "\n"
           R"({"client":"w2","op":"release","lock":"a","call":6,"re)");  // Cut off.
  const std::string three = file("three.jsonl", R"({"client":"w2","op":"end","call":7})");
  EXPECT_EQ(hapax("audit " + two).status, 0);
  const json::object report = object_of("audit --json " + one + " " + two + " " + three, 1);
  EXPECT_EQ(report.at("counts").at("overlap"), 1);
  EXPECT_EQ(report.at("cut_off_lines"), 1);
  EXPECT_THAT(hapax("audit " + one + " " + two + " " + three).out, HasSubstr("both held it"));
}

TEST_F(AuditCommand, SaysWhereAHistoryIsNone) {
  const Finished finished = hapax("audit " + file("bad.jsonl", kHistory + "nonsense\n"));
  EXPECT_EQ(finished.status, 64);
  EXPECT_THAT(finished.err, HasSubstr("bad.jsonl, line 3: this is no JSON"));
  EXPECT_EQ(hapax("audit").status, 64);
  EXPECT_EQ(hapax("audit " + folder() + "/none").status, 64);
  EXPECT_EQ(hapax("audit " + file("empty.jsonl", "")).status, 64);
}

}  // namespace
}  // namespace hapax::testing
