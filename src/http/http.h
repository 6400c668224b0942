// As much of HTTP/1.1 as a GET on this machine needs, strictly: one request a connection, a head of
// bounded length, no body. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hapax {

inline constexpr std::size_t kLongestHead = 8192;  // Request line, fields and the empty line.

// Whether what was received can be answered: it is a whole head, or more than one may be.
bool has_whole_head(std::string_view received);

// One that only reads. As long as what was received.
struct HttpRequest {
  bool wants_text = true;                                             // Else the head will do.
  std::string_view path;                                              // As it was written.
  std::string_view query;                                             // After the ?.
  std::vector<std::pair<std::string_view, std::string_view>> fields;  // Values without spaces
                                                                      // around them.

  // The value of the only field of that name, in lower case; nothing if there is none, or several.
  std::optional<std::string_view> field(std::string_view name) const;
  // What stands after NAME= in the query, decoded; nothing if it is not there or cannot be decoded.
  std::optional<std::string> parameter(std::string_view name) const;
};

struct HttpReply {
  int code = 200;
  std::string text;
  std::string type = "text/plain; charset=utf-8";
  std::string fields{};  // More of them, a line each.
};

// The request; or what to answer, if it is none, is too long, or would do more than read. REQUIRES:
// has_whole_head(received).
std::variant<HttpRequest, HttpReply> http_request(std::string_view received);

// As it is sent; the connection is closed after it.
std::string http_text(const HttpReply& reply, bool with_text = true);
// The same without a length: more follows until the connection is closed.
std::string http_head(const HttpReply& reply);

// %41 as A; nothing if it is wrong.
std::optional<std::string> percent_decoded(std::string_view text);

// --- a few pages by their paths ---

struct HttpPage {
  std::string text;
  bool is_well = true;  // Else the status is 503.
};
// By path. A page is made only when it is asked for.
using HttpPages = std::map<std::string, std::function<HttpPage()>, std::less<>>;

// The answer, after which the connection is closed. REQUIRES: has_whole_head(received).
std::string http_answer(std::string_view received, const HttpPages& pages);

}  // namespace hapax
