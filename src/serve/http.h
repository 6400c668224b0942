// As much of HTTP/1.1 as a GET on this machine needs, strictly: one request a connection, a head of
// bounded length, no body. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace hapax::cli {

inline constexpr std::size_t kLongestHead = 8192;  // Request line, fields and the empty line.

// Whether what was received can be answered: it is a whole head, or more than one may be.
bool has_whole_head(std::string_view received);

struct HttpPage {
  std::string text;
  bool is_well = true;  // Else the status is 503.
};
// By path. A page is made only when it is asked for.
using HttpPages = std::map<std::string, std::function<HttpPage()>, std::less<>>;

// The answer, after which the connection is closed. REQUIRES: has_whole_head(received).
std::string http_answer(std::string_view received, const HttpPages& pages);

}  // namespace hapax::cli
