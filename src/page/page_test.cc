#include <boost/json.hpp>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "page/interface.h"

// What the browser gives.
void page_progress(double, double, double, double) {}
double page_now() { return 0; }

namespace {

// Asks as the page does; an answer that refuses begins with "refused: ".
std::string ask(int (*function)(), std::string_view question) {
  std::memcpy(page_room(question.size()), question.data(), question.size());
  const int refused = function();
  return (refused == 0 ? "" : "refused: ") + std::string{page_answer(), page_answer_size()};
}

boost::json::object scene_of(const std::string& answer) {
  return boost::json::parse(answer).as_object()["scenes"].as_array()[0].as_object();
}

std::string commands_of(const boost::json::object& scene) {
  std::string all;
  for (const boost::json::value& step : scene.at("steps").as_array()) {
    all += std::string{step.at("command").as_string().c_str()} + '\n';
  }
  return all;
}

constexpr const char* kTwoAsk =
    "nodes ricart-agrawala P1 P2\nrequest P1\nrequest P2\nstabilize\n----\n";

TEST(PageSteps, AreOneForEachStepAndSayHowAllStand) {
  const boost::json::object scene = scene_of(ask(page_steps, kTwoAsk));
  EXPECT_EQ(commands_of(scene),
            "request P1\nrequest P2\ndeliver P1->P2\ndeliver P2->P1\ndeliver P2->P1\n");
  EXPECT_EQ(scene.at("members").as_array().size(), 2u);
  const boost::json::value& last = scene.at("steps").as_array().back();
  // Of those that have changed in it.
  ASSERT_EQ(last.at("members").as_array().size(), 1u);
  EXPECT_EQ(last.at("members").as_array()[0].as_array()[0].to_number<int>(), 0);
  EXPECT_NE(last.at("members").as_array()[0].as_array()[1], scene.at("members").as_array()[0]);
  EXPECT_EQ(last.at("happenings").as_array()[1].to_number<std::size_t>(),
            scene.at("happenings").as_array().size());
  EXPECT_EQ(scene.at("theory").at("formula").as_string(), "2(N-1)");
}

// P1's request is lost, so P2's reply, the second on its link, is never sent; what follows goes on.
TEST(PageSteps, LeaveOutWhatAChangeHasTakenTheGroundFrom) {
  const std::string changed =
      "nodes ricart-agrawala P1 P2\nrequest P1\nrequest P2\ndrop P1->P2 sent=1\n"
      "deliver P2->P1 sent=2\ndeliver P2->P1 sent=1\n----\n";
  EXPECT_EQ(commands_of(scene_of(ask(page_steps_forgiving, changed))),
            "request P1\nrequest P2\ndrop P1->P2\ndeliver P2->P1\n");
  EXPECT_NE(ask(page_steps, changed).find("\"error\""), std::string::npos);
}

TEST(PageSteps, FindAMessageWhereverItStandsOnItsLink) {
  const std::string copied =
      "nodes ricart-agrawala P1 P2\nrequest P1\ndup P1->P2 sent=1\ndeliver P1->P2 sent=2\n----\n";
  EXPECT_EQ(commands_of(scene_of(ask(page_steps, copied))),
            "request P1\ndup P1->P2\ndeliver P1->P2 2\n");
}

TEST(PageTrace, RefusesWithASentence) {
  EXPECT_EQ(ask(page_trace_svg, ""),
            "refused: there is no command in it; a trace begins with: nodes ALGORITHM NAME NAME …");
  EXPECT_EQ(ask(page_steps, "request P1\n----\n"),
            "refused: line 1: a trace begins with: nodes ALGORITHM NAME …");
  EXPECT_TRUE(ask(page_steps, "nodes token-ring P1 P2\nstart\nstabilize\n----\n")
                  .starts_with("refused: line 1: more than "));
}

TEST(PageSteps, RefuseWhatWouldTakeForEver) {
  std::string crowd = "nodes ricart-agrawala";
  for (int i = 0; i < 101; ++i) crowd += " P" + std::to_string(i);
  EXPECT_EQ(ask(page_steps, crowd + "\n----\n"),
            "refused: line 1: 101 members are too many here; use at most 100");
}

TEST(PageCheck, AnswersAsTheCommandLineDoes) {
  const auto found = boost::json::parse(ask(page_check, R"({"algorithm":"maekawa-basic","n":3})"));
  EXPECT_EQ(found.at("verdict").as_string(), "violated");
  EXPECT_NE(found.at("trace").as_string().find("after 6 steps"), std::string::npos);
  const auto proved = boost::json::parse(ask(page_check, R"({"algorithm":"ricart-agrawala"})"));
  EXPECT_EQ(proved.at("verdict").as_string(), "holds");
  EXPECT_EQ(proved.at("states").as_int64(), 2233);
}

TEST(PageCheck, RefusesWhatIsOutOfReach) {
  EXPECT_EQ(ask(page_check, R"({"algorithm":"central","n":8})"),
            "refused: n 8 is out of range; use 1 … 7");
  EXPECT_TRUE(ask(page_check, R"({"algorithm":"nobody"})").starts_with("refused: 'nobody'"));
  EXPECT_EQ(ask(page_check, "["), "refused: a request is an object in JSON");
}

TEST(PageSimulate, GivesATraceThatBeginsWithItsCommand) {
  const std::string request = R"({"algorithm":"raymond","n":4,"requests":2,"seed":7})";
  const std::string trace = ask(page_simulate, request);
  EXPECT_TRUE(trace.starts_with("# hapax sim raymond -n 4 --requests 2 ")) << trace;
  EXPECT_EQ(ask(page_trace_text, trace), trace);
  EXPECT_EQ(ask(page_simulate, request), trace);
  EXPECT_TRUE(
      ask(page_simulate, R"({"algorithm":"raymond","load":"x"})").starts_with("refused: load 'x'"));
}

TEST(PageCompare, AnswersAsTheCommandLineDoes) {
  const auto table = boost::json::parse(ask(page_compare, R"({"n":4,"most_messages":20000})"));
  EXPECT_EQ(table.at("rows").as_array().size(), 12u);
  for (const auto& row : table.at("rows").as_array()) {
    EXPECT_EQ(row.at("violations").as_int64(), 0) << row;
  }
  EXPECT_EQ(table.at("elections").as_array()[0].at("messages").as_int64(), 2);
  EXPECT_EQ(ask(page_compare, R"({"n":0})"), "refused: n 0 is out of range; use 1 … 1000");
}

TEST(PageMeasure, GivesTheFiguresOfARun) {
  const auto run = boost::json::parse(
      ask(page_measure, R"({"algorithm":"lamport","n":5,"requests":500,"load":"high"})"));
  EXPECT_EQ(run.at("messages_per_entry").to_number<double>(), 12);
  EXPECT_EQ(run.at("entries").as_int64(), 500);
  EXPECT_NEAR(run.at("throughput").to_number<double>(), 1000.0 / 6, 0.5);
}

}  // namespace
