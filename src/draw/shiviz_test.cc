#include "draw/shiviz.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "draw/testing/traces.h"

namespace hapax {
namespace {

// ECMAScript in the library knows no named groups.
std::regex without_names(std::string pattern) {
  return std::regex{std::regex_replace(pattern, std::regex{R"(\?<\w+>)"}, "")};
}

class ShivizOf : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ShivizOf, EveryLineIsAnEventThatTheExpressionOfTheHeaderReads) {
  std::istringstream log{shiviz_log(testing::scenes_of(GetParam()))};
  std::string line;
  ASSERT_TRUE(std::getline(log, line));
  const std::string head = "# Log parsing regular expression: ";
  ASSERT_TRUE(line.starts_with(head));
  const std::regex event = without_names(line.substr(head.size()));
  EXPECT_FALSE(std::regex_match(line, event)) << "the header is no event";
  std::map<std::string, std::int64_t> counts;
  std::size_t events = 0;
  while (std::getline(log, line)) {
    if (line.starts_with("# ")) continue;
    if (std::regex_search(line, without_names(std::string{kShivizDelimiter}))) {
      counts.clear();
      continue;
    }
    std::smatch match;
    ASSERT_TRUE(std::regex_match(line, match, event)) << line;
    const std::string host = match[1];
    const auto clock = boost::json::parse(match[2].str()).as_object();
    // ShiViz asks for it: a host counts its own events one by one, and knows of no event to come.
    EXPECT_EQ(clock.at(host).to_number<std::int64_t>(), ++counts[host]) << line;
    for (const auto& [other, seen] : clock) {
      EXPECT_LE(seen.to_number<std::int64_t>(), counts[std::string{other}]) << line;
    }
    EXPECT_NE(match[3], "") << line;
    ++events;
  }
  EXPECT_GT(events, 0u);
}

INSTANTIATE_TEST_SUITE_P(Traces, ShivizOf, ::testing::ValuesIn(testing::trace_files()),
                         testing::test_name);

TEST(Shiviz, AReceiverKnowsWhatTheSenderKnew) {
  const auto scenes =
      testing::scenes_of_text("nodes ricart-agrawala A B\nrequest A\ndeliver A->B\n----\n");
  EXPECT_NE(shiviz_log(scenes).find("B {\"A\": 1, \"B\": 1} receives REQUEST(clock=1) from A"),
            std::string::npos);
}

}  // namespace
}  // namespace hapax
