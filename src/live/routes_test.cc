#include "live/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax::live {
namespace {

using ::testing::HasSubstr;
using Kind = Question::Kind;

struct Asked {
  std::string text;  // Views are into it.
  Route route;
};
Asked ask(const std::string& path, const std::string& fields = "Host: 127.0.0.1:8080\r\n") {
  Asked asked{"GET " + path + " HTTP/1.1\r\n" + fields + "\r\n", {}};
  const auto request = http_request(asked.text);
  asked.route = route_of(std::get<HttpRequest>(request));
  return asked;
}
int code_of(const Asked& asked) {
  const auto* reply = std::get_if<HttpReply>(&asked.route);
  return reply == nullptr ? 200 : reply->code;
}

TEST(Routes, LeadToQuestionsAndFiles) {
  EXPECT_EQ(std::get<Question>(ask("/v1/status").route).kind, Kind::status);
  EXPECT_EQ(std::get<Question>(ask("/v1/events?x").route).kind, Kind::events);
  EXPECT_EQ(std::get<Question>(ask("/v1/locks/a%2Fb%20c").route).name, "a/b c");
  const Asked some = ask("/v1/locks?filter=orders%2F*&limit=10");
  EXPECT_EQ(std::get<Question>(some.route).name, "orders/*");
  EXPECT_EQ(std::get<Question>(some.route).limit, 10u);
  const Asked index = ask("/"), file = ask("/assets/a.js");
  EXPECT_EQ(std::get<PagePath>(index.route).path, "index.html");
  EXPECT_EQ(std::get<PagePath>(file.route).path, "assets/a.js");
}

TEST(Routes, OnlyThoseAreAnsweredWhoNameThisMachine) {
  for (const char* host : {"127.0.0.1:8080", "localhost", "[::1]:1", "[::1]", "localhost:65535"}) {
    EXPECT_EQ(code_of(ask("/v1/status", std::string{"Host: "} + host + "\r\n")), 200) << host;
  }
  for (const char* host : {"evil.example", "evil.example:8080", "127.0.0.1.evil.example",
                           "localhost.", "127.0.0.1:", "127.0.0.1:80x", "localhost@evil.example",
                           "0.0.0.0:8080", "127.1:8080", "", ":8080", "[::1]:8080:1"}) {
    const Asked asked = ask("/v1/status", std::string{"Host: "} + host + "\r\n");
    EXPECT_EQ(code_of(asked), 421) << host;
    EXPECT_EQ(code_of(ask("/", std::string{"Host: "} + host + "\r\n")), 421) << host;
  }
  EXPECT_EQ(code_of(ask("/v1/status", "")), 421);
  EXPECT_EQ(code_of(ask("/v1/status", "Host: localhost\r\nHost: localhost\r\n")), 421);
}

TEST(Routes, PagesOfOtherSitesMayNotAsk) {
  const std::string host = "Host: localhost:1\r\n";
  EXPECT_EQ(code_of(ask("/v1/locks", host + "Sec-Fetch-Site: cross-site\r\n")), 403);
  EXPECT_EQ(code_of(ask("/v1/locks", host + "Sec-Fetch-Site: same-site\r\n")), 403)
      << "another port of this machine";
  EXPECT_EQ(code_of(ask("/v1/locks", host + "Sec-Fetch-Site: same-origin\r\n")), 200);
}

TEST(Routes, APassIsShownInAField) {
  const Asked with = ask("/v1/status", "Host: localhost\r\nauthorization: Bearer abc\r\n");
  EXPECT_EQ(std::get<Question>(with.route).pass, "abc");
  for (const char* other : {"", "Authorization: Basic abc\r\n", "Authorization: bearer\r\n",
                            "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"}) {
    const Asked without = ask("/v1/status", std::string{"Host: localhost\r\n"} + other);
    EXPECT_EQ(std::get<Question>(without.route).pass, "") << other;
  }
}

TEST(Routes, WhatMakesNoSenseIsRefusedInWords) {
  for (const char* path :
       {"/v1/locks?limit=0", "/v1/locks?limit=1001", "/v1/locks?limit=-1", "/v1/locks?limit=1x",
        "/v1/locks?limit=99999999999999999999", "/v1/locks?filter=%", "/v1/locks?filter=%00",
        "/v1/locks?filter=%ff", "/v1/locks/", "/v1/locks/%", "/v1/locks/%0a", "/v1/locks/%ff",
        "/v1/locks/orders%2f*"}) {
    EXPECT_EQ(code_of(ask(path)), 400) << path;
  }
  EXPECT_EQ(code_of(ask("/v1/locks/" + std::string(513, 'a'))), 400);
  EXPECT_EQ(code_of(ask("/v1/locks?filter=" + std::string(513, 'a'))), 400);
  for (const char* path :
       {"/v1/", "/v1/statuses", "/v1/status/", "/v1/../v1/status", "/v1//locks"}) {
    EXPECT_EQ(code_of(ask(path)), 404) << path;
  }
}

TEST(Routes, EveryReplyIsGuarded) {
  const HttpReply reply = refusal(404, "no \"such\" <b>thing</b>");
  EXPECT_THAT(reply.fields, HasSubstr("Content-Security-Policy: default-src 'none';"));
  EXPECT_THAT(reply.fields, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(reply.fields, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_EQ(reply.type, "application/json");
  EXPECT_EQ(reply.text, "{\"error\":\"no \\\"such\\\" <b>thing</b>\"}\n");
}

}  // namespace
}  // namespace hapax::live
