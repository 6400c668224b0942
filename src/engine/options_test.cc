#include "engine/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax::engine {
namespace {

std::string refusal(Kind kind, const Options& options) {
  const auto checked = check_options(Url{kind, {}, ""}, options);
  return checked ? "good" : checked.error().message;
}

TEST(EngineOptions, AreGoodByThemselves) {
  for (const Kind kind : {Kind::embedded, Kind::etcd, Kind::zookeeper}) {
    EXPECT_EQ(refusal(kind, {}), "good");
  }
}

TEST(EngineOptions, ThatMakeNoSenseAreRefused) {
  using ::testing::HasSubstr;
  Options options;
  for (const char* group : {"", ".hidden", "a/b", "a b"}) {
    options.group = group;
    EXPECT_THAT(refusal(Kind::etcd, options), HasSubstr("no name of a group")) << group;
  }
  options = {};
  options.timeout = std::chrono::milliseconds{9};
  EXPECT_THAT(refusal(Kind::etcd, options), HasSubstr("choose from 10 ms"));
  options = {};
  options.password = "secret";
  EXPECT_THAT(refusal(Kind::etcd, options), HasSubstr("has no user"));
  options.user = "a:b";
  EXPECT_EQ(refusal(Kind::etcd, options), "good");
  EXPECT_THAT(refusal(Kind::zookeeper, options), HasSubstr("have no ':'"));
  EXPECT_THAT(refusal(Kind::embedded, options), HasSubstr("is a file"));
  options = {};
  options.tls = TlsFiles{"", "one.crt", ""};
  EXPECT_THAT(refusal(Kind::etcd, options), HasSubstr("go together"));
  options.tls = TlsFiles{"/none/ca.crt", "", ""};
  EXPECT_THAT(refusal(Kind::etcd, options), HasSubstr("cannot read '/none/ca.crt'"));
  EXPECT_THAT(refusal(Kind::zookeeper, options), HasSubstr("no TLS"));
}

}  // namespace
}  // namespace hapax::engine
