#include "net/endpoint.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "loop/loop.h"

namespace hapax::net {
namespace {

std::uint32_t link_of(const std::string& text) {
  const auto endpoint = endpoint_of(parse_address(text).value());
  if (!endpoint || endpoint->family() != AF_INET6) return 0;
  sockaddr_in6 bytes{};
  std::memcpy(&bytes, &endpoint->bytes, sizeof bytes);
  return bytes.sin6_scope_id;
}

TEST(Endpoint, OfALinkSaysWhichLink) {
  EXPECT_EQ(link_of("[fe80::1%lo]:7400"), if_nametoindex("lo"));
  EXPECT_EQ(link_of("[fe80::1%7]:7400"), 7u);
  EXPECT_EQ(link_of("[fe80::1]:7400"), 0u);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// There is no room for a thread: whoever dials hears of it, and tries again.
TEST(Endpoint, LookingUpWithoutAThreadFails) {
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit little = before;
  little.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + 1'000'000;
  Loop loop;
  const Loop::Work work{loop};
  bool is_told = false;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
  EXPECT_NO_THROW(look_up_later({.host = "no.such.host.invalid", .port = 1, .path = ""},
                                loop.inbox(), [&](const Found& found) {
                                  is_told = true;
                                  EXPECT_FALSE(found.has_value());
                                }));
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  loop.run_one_for(std::chrono::seconds{20});
  EXPECT_TRUE(is_told);
}
#endif

}  // namespace
}  // namespace hapax::net
