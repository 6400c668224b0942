// Golden diagrams: testdata/NAME.txt is what the trace NAME looks like on a terminal.
// `hapax_draw_test --rewrite` writes what comes out instead; look at it before you commit it.
#include "draw/ascii.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "draw/testing/traces.h"

namespace hapax {
namespace {

namespace fs = std::filesystem;

bool rewrite = false;

class GoldenDiagram : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenDiagram, LooksAsDrawn) {
  const std::string name = GetParam();
  std::string drawn;
  for (const fs::path& trace : testing::trace_files()) {
    if (trace.stem() != name) continue;
    for (const Chronicle& scene : testing::scenes_of(trace)) drawn += draw_ascii(scene);
  }
  ASSERT_NE(drawn, "") << "there is no such trace";
  const fs::path golden = fs::path{HAPAX_TESTDATA} / (name + ".txt");
  if (rewrite) {
    std::ofstream{golden} << drawn;
    return;
  }
  EXPECT_EQ(drawn, testing::read_file(golden));
}

INSTANTIATE_TEST_SUITE_P(Traces, GoldenDiagram,
                         ::testing::Values("request-5-and-3", "maekawa-deadlock-3",
                                           "token-two-holders", "lamport-overtaken",
                                           "bully-crash-during", "bank"),
                         [](const auto& golden) {
                           std::string name = golden.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(AsciiDiagram, ShowsWhatIsLostDoubledAndUnderWay) {
  const auto scenes = testing::scenes_of_text(
      "nodes ricart-agrawala A B\nrequest A\ndrop A->B\nrequest B\ndup B->A\ndeliver B->A\n----\n");
  const std::string drawn = draw_ascii(scenes.at(0));
  EXPECT_NE(drawn.find("×"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("lost"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("under way B -> A: REQUEST(1)"), std::string::npos) << drawn;
}

}  // namespace
}  // namespace hapax

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string{argv[i]} == "--rewrite") hapax::rewrite = true;
  }
  return RUN_ALL_TESTS();
}
