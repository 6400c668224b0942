#include "engine/url.h"

#include <gtest/gtest.h>

namespace hapax::engine {
namespace {

TEST(EngineUrl, IsReadAndWritten) {
  for (const char* text :
       {"embedded:/var/lib/hapax/group.db", "embedded:group.db", "etcd://127.0.0.1:2379",
        "etcd://h1:2379,h2:2380,[::1]:2381", "zookeeper://h1:2181/hapax/test"}) {
    const auto url = parse_url(text);
    ASSERT_TRUE(url.has_value()) << url.error().message;
    EXPECT_EQ(url->text(), text);
  }
  EXPECT_EQ(parse_url("etcd://h1,[::1]")->endpoints,
            (std::vector<Endpoint>{{"h1", 2379}, {"::1", 2379}}));
  EXPECT_EQ(parse_url("zookeeper://h1/")->text(), "zookeeper://h1:2181");
}

TEST(EngineUrl, RefusesEverythingElseWithOneLine) {
  for (const char* text : {"",
                           "etcd",
                           "etcd:",
                           "etcd://",
                           "etcd://h1:0",
                           "etcd://h1:70000",
                           "etcd://h1:x",
                           "etcd://h1,,h2",
                           "etcd://h1:2379,",
                           "etcd://h1/path",
                           "etcd://[::1:2379",
                           "etcd://[::1]x",
                           "etcd://::1",
                           "etcd://h 1",
                           "etcd://user@h1",
                           "embedded:",
                           "embedded://x",
                           "redis://h1",
                           "zookeeper://h1/a//b",
                           "zookeeper://h1/a/",
                           "zookeeper://h1/../x",
                           "ETCD://h1"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url.has_value()) << text;
    EXPECT_FALSE(url.error().message.empty());
    EXPECT_EQ(url.error().message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace hapax::engine
