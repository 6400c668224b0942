#include "memory/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

namespace hapax {
namespace {

TEST(MemoryCatalog, ListsEveryAlgorithmOfTheRoom) {
  std::vector<std::string_view> names;
  for (const MemoryInfo& info : kMemoryCatalog) {
    names.push_back(info.name);
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_THAT(names, ::testing::ElementsAre("dijkstra", "bakery-lock", "semaphore"));
}

}  // namespace
}  // namespace hapax
