#include "draw/svg.h"

#include <gtest/gtest.h>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "draw/testing/traces.h"
#include "draw/testing/xml.h"

namespace hapax {
namespace {

TEST(XmlChecker, FindsWhatIsWrong) {
  using testing::xml_mistake;
  EXPECT_EQ(xml_mistake("<a b=\"1\"><c/>x &amp; y</a>\n"), "");
  EXPECT_NE(xml_mistake("<a><b></a></b>"), "");
  EXPECT_NE(xml_mistake("<a>"), "");
  EXPECT_NE(xml_mistake("<a b=1></a>"), "");
  EXPECT_NE(xml_mistake("<a b=\"1\" b=\"2\"/>"), "");
  EXPECT_NE(xml_mistake("<a>x & y</a>"), "");
  EXPECT_NE(xml_mistake("<a/><b/>"), "");
  EXPECT_NE(xml_mistake("<a b=\"<\"/>"), "");
}

class SvgOf : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(SvgOf, IsWellFormed) {
  EXPECT_EQ(testing::xml_mistake(draw_svg(testing::scenes_of(GetParam()))), "");
}

TEST_P(SvgOf, EveryMessageIsAnArrowInsideThePicture) {
  const std::vector<Chronicle> scenes = testing::scenes_of(GetParam());
  const std::string svg = draw_svg(scenes);
  std::smatch size;
  ASSERT_TRUE(std::regex_search(svg, size, std::regex{R"re(viewBox="0 0 (\d+) (\d+)")re"}));
  const double width = std::stod(size[1]);
  const double height = std::stod(size[2]);
  const std::regex arrow{
      R"re(class="arrow" x1="([-\d.]+)" y1="([-\d.]+)" x2="([-\d.]+)" y2="([-\d.]+)")re"};
  std::ptrdiff_t arrows = 0;
  for (std::sregex_iterator at{svg.begin(), svg.end(), arrow}, end; at != end; ++at, ++arrows) {
    for (const std::size_t x : {1u, 3u}) {
      EXPECT_GT(std::stod((*at)[x]), 0) << at->str();
      EXPECT_LT(std::stod((*at)[x]), width) << at->str();
    }
    const double sent = std::stod((*at)[2]);
    const double came = std::stod((*at)[4]);
    EXPECT_GT(sent, 0) << at->str();
    EXPECT_LT(sent, came) << "time goes down: " << at->str();
    EXPECT_LT(came, height) << at->str();
  }
  std::ptrdiff_t messages = 0;
  for (const Chronicle& scene : scenes) {
    messages += std::count_if(scene.happenings.begin(), scene.happenings.end(), [](const auto& h) {
      return h.kind == Happening::Kind::send || h.kind == Happening::Kind::copied;
    });
  }
  EXPECT_EQ(arrows, messages);
}

TEST_P(SvgOf, EveryTextStandsInsideThePicture) {
  const std::string svg = draw_svg(testing::scenes_of(GetParam()));
  std::smatch size;
  ASSERT_TRUE(std::regex_search(svg, size, std::regex{R"re(viewBox="0 0 (\d+) (\d+)")re"}));
  const std::regex text{R"re(<text x="([-\d.]+)" y="([-\d.]+)")re"};
  for (std::sregex_iterator at{svg.begin(), svg.end(), text}, end; at != end; ++at) {
    EXPECT_GT(std::stod((*at)[1]), 0) << at->str();
    EXPECT_LT(std::stod((*at)[1]), std::stod(size[1])) << at->str();
    EXPECT_GT(std::stod((*at)[2]), 0) << at->str();
    EXPECT_LT(std::stod((*at)[2]), std::stod(size[2])) << at->str();
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, SvgOf, ::testing::ValuesIn(testing::trace_files()),
                         testing::test_name);

TEST(Svg, EscapesWhatANameMayContain) {
  const auto scenes = testing::scenes_of_text(
      "# Less < more & \"quoted\"\nnodes ricart-agrawala a<b c&d\nrequest a<b\n----\n");
  EXPECT_EQ(testing::xml_mistake(draw_svg(scenes)), "");
}

TEST(Svg, DrawsWhatIsLostDoubledAndUnderWay) {
  const auto scenes = testing::scenes_of_text(
      "nodes ricart-agrawala A B\nrequest A\ndrop A->B\nrequest B\ndup B->A\ndeliver B->A\n"
      "crash A\ndeliver B->A\n----\n");
  const std::string svg = draw_svg(scenes);
  EXPECT_EQ(testing::xml_mistake(svg), "");
  EXPECT_NE(svg.find("stroke-dasharray=\"2 2.5\""), std::string::npos) << "the copy is dotted";
  EXPECT_NE(svg.find("REQUEST(1), copy"), std::string::npos);
  const std::regex cross{"<path d="};
  EXPECT_EQ(std::distance(std::sregex_iterator{svg.begin(), svg.end(), cross}, {}), 6)
      << "one lost, one crash, one lost at the crashed; each on white";
}

}  // namespace
}  // namespace hapax
