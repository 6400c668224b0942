#include "engines/engines.h"

#include <gtest/gtest.h>

#include "base/testing/folder.h"
#include "loop/loop.h"

namespace hapax::engine {
namespace {

TEST(Engines, TheEmbeddedOneIsAlwaysThere) {
  const hapax::testing::Folder folder;
  Loop io;
  const Url url{Kind::embedded, {}, (folder / "engine.db").string()};
  const auto opened = open(all(), io, url, {});
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_NE(*opened, nullptr);
}

TEST(Engines, WhatIsNotAmongThemIsRefused) {
  const Url url{Kind::etcd, {{"h", 1}}, "x"};
  EXPECT_FALSE(check(all().first(1), url, {}).has_value());
  EXPECT_EQ(check(all(), url, {}).has_value(), find(all(), Kind::etcd) != nullptr);
}

TEST(Engines, OptionsAreCheckedBeforeAnythingIsOpened) {
  Loop io;
  Options options;
  options.group = "no group/";
  EXPECT_FALSE(open(all(), io, Url{Kind::embedded, {}, "/none/engine.db"}, options).has_value());
}

}  // namespace
}  // namespace hapax::engine
