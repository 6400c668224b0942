#include "local/line_reader.h"

#include <array>
#include <cstdlib>
#include <gmock/gmock.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace hapax::local {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) std::abort();
    out = ends[0];
    in = ends[1];
  }
  void say(std::string_view text) const {
    if (write(in, text.data(), text.size()) < 0) std::abort();
  }
  int out, in;
};

TEST(LineReader, HearsTheLinesOfAllInTheirOrderAndNoPartOfOne) {
  const Pipe first;
  const Pipe second;
  std::vector<std::pair<std::size_t, std::string>> heard;
  {
    const LineReader reader{{first.out, second.out}, [&](std::size_t from, const auto& line) {
                              heard.emplace_back(from, line);
                            }};
    first.say("one\ntw");
    first.say("o\n\nthree");
    close(first.in);  // Its last line was not complete.
  }
  {
    const Pipe third;
    const LineReader reader{{third.out},
                            [&](std::size_t, const auto& line) { heard.emplace_back(2, line); }};
    third.say(std::string(5000, 'x'));  // Too long for one.
    third.say("\n");
    close(third.in);
  }
  close(second.in);
  ASSERT_EQ(heard.size(), 5u);
  EXPECT_EQ(heard[3].second.size() + heard[4].second.size(), 5000u);
  heard.resize(3);
  EXPECT_THAT(heard, ElementsAre(Pair(0, "one"), Pair(0, "two"), Pair(0, "")));
}

}  // namespace
}  // namespace hapax::local
