#include "net/address.h"

#include <gmock/gmock.h>
#include <string>

namespace hapax::net {
namespace {

using ::testing::HasSubstr;

Address parsed(std::string_view text) { return parse_address(text).value(); }

TEST(Address, IsReadAndWrittenTheSameWay) {
  for (const std::string text :
       {"db1.example:7400", "10.0.0.1:1", "[::1]:65535", "[fe80::1]:0", "[fe80::1%eth0]:1",
        "unix:/run/hapax.sock", "unix:relative.sock", "localhost:7400"}) {
    EXPECT_EQ(parsed(text).text(), text);
    EXPECT_EQ(parsed(parsed(text).text()), parsed(text));
  }
  EXPECT_EQ(parsed("[::1]:7").host, "::1");
  EXPECT_EQ(parsed("h:7").port, 7);
  EXPECT_EQ(parsed("unix:/a:b").path, "/a:b");
  EXPECT_EQ(parsed("/run/hapax.sock").text(), "unix:/run/hapax.sock");
}

TEST(Address, KnowsWhatCannotLeaveTheMachine) {
  for (const char* local : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1",
                            "localhost:1", "unix:/x"}) {
    EXPECT_TRUE(parsed(local).is_local()) << local;
  }
  for (const char* remote : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "[::ffff:10.0.0.1]:1",
                             "db1.example:1", "localhost.example:1", "127.0.0.1.example:1"}) {
    EXPECT_FALSE(parsed(remote).is_local()) << remote;
  }
}

TEST(Address, SaysWhatIsWrong) {
  const auto complaint = [](std::string_view text) {
    const Result<Address> result = parse_address(text);
    return result ? std::string{"fine"} : result.error().message;
  };
  EXPECT_THAT(complaint("db1"), HasSubstr("no port"));
  EXPECT_THAT(complaint(""), HasSubstr("no port"));
  EXPECT_THAT(complaint("db1:"), HasSubstr("not a port"));
  EXPECT_THAT(complaint("db1:65536"), HasSubstr("not a port"));
  EXPECT_THAT(complaint("db1:-1"), HasSubstr("not a port"));
  EXPECT_THAT(complaint("db1:7x"), HasSubstr("not a port"));
  EXPECT_THAT(complaint(":7"), HasSubstr("not the name"));
  EXPECT_THAT(complaint("a b:7"), HasSubstr("not the name"));
  EXPECT_THAT(complaint("::1:7"), HasSubstr("brackets"));
  EXPECT_THAT(complaint("[::1]"), HasSubstr("[v6]:port"));
  EXPECT_THAT(complaint("[db1]:7"), HasSubstr("not an IPv6"));
  EXPECT_THAT(complaint("unix:"), HasSubstr("needs a path"));
  EXPECT_THAT(complaint("unix:/" + std::string(200, 'x')), HasSubstr("at most"));
}

}  // namespace
}  // namespace hapax::net
