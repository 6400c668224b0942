#include "base/nearest.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hapax {
namespace {

TEST(Nearest, IsWhatWasMeant) {
  const std::vector<std::string> commands{"status", "stats", "run", "replay", "ricart-agrawala"};
  EXPECT_EQ(nearest("statsu", commands), "status");
  EXPECT_EQ(nearest("ricart", commands), "ricart-agrawala");
  EXPECT_EQ(nearest("rnu", commands), "run");
  EXPECT_EQ(nearest("rcart-agrawla", commands), "ricart-agrawala");
}

TEST(Nearest, IsNothingIfAllAreFar) {
  const std::vector<std::string> commands{"run", "up"};
  for (const char* word : {"", "x", "certificates"}) EXPECT_EQ(nearest(word, commands), "") << word;
  EXPECT_EQ(nearest("run", {}), "");
}

}  // namespace
}  // namespace hapax
