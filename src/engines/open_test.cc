#include "engines/open.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/testing/folder.h"

namespace hapax::engine {
namespace {

TEST(Engines, TheEmbeddedOneIsAlwaysThere) {
  const hapax::testing::Folder folder;
  boost::asio::io_context io;
  const Url url{Kind::embedded, {}, (folder / "engine.db").string()};
  const auto opened = open(io, url, {});
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_NE(*opened, nullptr);
}

TEST(Engines, WhatThisBuildDoesNotHaveIsRefused) {
  const auto kinds = available();
  for (const Kind kind : {Kind::embedded, Kind::etcd, Kind::zookeeper}) {
    const bool is_there = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    EXPECT_EQ(check(Url{kind, {{"h", 1}}, "x"}, {}).has_value(), is_there) << name_of(kind);
  }
}

TEST(Engines, OptionsAreCheckedBeforeAnythingIsOpened) {
  boost::asio::io_context io;
  Options options;
  options.group = "no group/";
  EXPECT_FALSE(open(io, Url{Kind::embedded, {}, "/none/engine.db"}, options).has_value());
}

}  // namespace
}  // namespace hapax::engine
