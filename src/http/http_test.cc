#include "http/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hapax {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const HttpPages kPages{{"/healthz", [] { return HttpPage{"ok\n"}; }},
                       {"/metrics", [] { return HttpPage{"entries 1\n"}; }},
                       {"/readyz", [] {
                          return HttpPage{"no lease\n", false};
                        }}};

std::string answer(const std::string& request) {
  EXPECT_TRUE(has_whole_head(request)) << request;
  return http_answer(request, kPages);
}

TEST(Http, AnswersAGet) {
  EXPECT_EQ(answer("GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n"
            "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n\r\nok\n");
  EXPECT_THAT(answer("GET /metrics HTTP/1.0\r\n\r\n"), HasSubstr("\r\n\r\nentries 1\n"));
  EXPECT_THAT(answer("GET /metrics?name[]=x HTTP/1.1\r\nA:\r\nB: \tc d\r\n\r\n"),
              StartsWith("HTTP/1.1 200 "));
}

TEST(Http, WhatIsNotWellSaysSoAndWhy) {
  const std::string text = answer("GET /readyz HTTP/1.1\r\n\r\n");
  EXPECT_THAT(text, StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\n\r\nno lease\n"));
}

TEST(Http, AHeadHasNoBodyButItsLength) {
  const std::string text = answer("HEAD /metrics HTTP/1.1\r\n\r\n");
  EXPECT_THAT(text, HasSubstr("Content-Length: 10\r\n"));
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

TEST(Http, NamesThePagesThatThereAre) {
  EXPECT_THAT(answer("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(answer("GET /metrics/ HTTP/1.1\r\n\r\n"),
              HasSubstr("there are /healthz and /metrics and /readyz\n"));
}

TEST(Http, OnlyReads) {
  for (const char* method : {"POST", "PUT", "DELETE", "get", "OPTIONS"}) {
    const std::string text = answer(std::string{method} + " /metrics HTTP/1.1\r\n\r\n");
    EXPECT_THAT(text, StartsWith("HTTP/1.1 405 ")) << method;
    EXPECT_THAT(text, HasSubstr("Allow: GET, HEAD\r\n"));
  }
}

TEST(Http, RefusesWhatIsNoRequest) {
  for (const std::string request : {"\r\n\r\n",
                                    "GET\r\n\r\n",
                                    "GET /metrics\r\n\r\n",
                                    "GET  /metrics HTTP/1.1\r\n\r\n",
                                    "GET /metrics HTTP/2.0\r\n\r\n",
                                    "GET /metrics HTTP/1.1 \r\n\r\n",
                                    " GET /metrics HTTP/1.1\r\n\r\n",
                                    "GET metrics HTTP/1.1\r\n\r\n",
                                    "GET http://here/metrics HTTP/1.1\r\n\r\n",
                                    "G(T /metrics HTTP/1.1\r\n\r\n",
                                    "GET /met rics HTTP/1.1\r\n\r\n",
                                    "GET /m\xc3\xa9trics HTTP/1.1\r\n\r\n",
                                    "GET /metrics HTTP/1.1\r\nno field\r\n\r\n",
                                    "GET /metrics HTTP/1.1\r\n: x\r\n\r\n",
                                    "GET /metrics HTTP/1.1\r\nA : x\r\n\r\n",
                                    "GET /metrics HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
                                    "GET /metrics HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
                                    "GET /metrics HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
                                    "GET /metrics HTTP/1.1\nHost: here\n\n",
                                    "GET /metrics HTTP/1.1\r\nA: b\n\n"}) {
    EXPECT_THAT(answer(request), StartsWith("HTTP/1.1 400 ")) << request;
  }
  EXPECT_THAT(answer(std::string("GET /a\0b HTTP/1.1\r\n\r\n", 21)), StartsWith("HTTP/1.1 400 "));
}

TEST(Http, WaitsForTheWholeHead) {
  const std::string request = "GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n";
  for (std::size_t length = 0; length < request.size(); ++length) {
    EXPECT_FALSE(has_whole_head(request.substr(0, length))) << length;
  }
}

TEST(Http, WaitsForNoMoreThanAHeadMayHave) {
  const std::string begin = "GET /healthz HTTP/1.1\r\nA: ";
  const std::string fits = begin + std::string(kLongestHead - 4 - begin.size(), 'x') + "\r\n\r\n";
  ASSERT_EQ(fits.size(), kLongestHead);
  EXPECT_THAT(answer(fits), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer(begin + 'x' + fits.substr(begin.size())), StartsWith("HTTP/1.1 431 "));
  EXPECT_FALSE(has_whole_head(std::string(kLongestHead, 'x')));
  EXPECT_THAT(answer(std::string(kLongestHead + 1, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST(Http, WhatFollowsTheHeadIsIgnored) {
  EXPECT_THAT(answer("GET /healthz HTTP/1.1\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n"),
              HasSubstr("ok\n"));
}

// --- what is in a request ---

HttpRequest read(std::string_view text) {
  const auto request = http_request(text);
  return std::holds_alternative<HttpRequest>(request) ? std::get<HttpRequest>(request)
                                                      : HttpRequest{};
}

TEST(HttpRequest, HasAPathAQueryAndFields) {
  const HttpRequest request =
      read("GET /a%2fb?x=1&filter=o%2f%2A&y HTTP/1.1\r\nHost: \there:1 \r\nA: 1\r\na: 2\r\n\r\n");
  EXPECT_EQ(request.path, "/a%2fb");
  EXPECT_EQ(request.parameter("filter"), "o/*");
  EXPECT_EQ(request.parameter("x"), "1");
  EXPECT_EQ(request.parameter("y"), std::nullopt);
  EXPECT_EQ(request.parameter("z"), std::nullopt);
  EXPECT_EQ(request.field("host"), "here:1");
  EXPECT_EQ(request.field("a"), std::nullopt) << "said twice: which is meant?";
}

TEST(HttpRequest, WrongPercentsAreNoText) {
  for (const char* wrong : {"%", "%4", "a%4", "%zz", "%4g", "%%41"}) {
    EXPECT_EQ(percent_decoded(wrong), std::nullopt) << wrong;
  }
  EXPECT_EQ(percent_decoded("%41%c3%A9+b"), "A\u00e9+b");
  EXPECT_EQ(percent_decoded(""), "");
}

}  // namespace
}  // namespace hapax
