#include "serve/http.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace hapax::cli {
namespace {

struct Request {
  std::string_view method, path;
};

struct Status {
  int code;
  const char* reason;
};
constexpr Status kOk{200, "OK"};
constexpr Status kBadRequest{400, "Bad Request"};
constexpr Status kNoSuchPage{404, "Not Found"};
constexpr Status kNotAllowed{405, "Method Not Allowed"};
constexpr Status kUnwell{503, "Service Unavailable"};
constexpr Status kHeadTooLong{431, "Request Header Fields Too Large"};

// RFC 9110: what methods and the names of fields consist of.
bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_visible(char c) { return c > ' ' && c < 0x7f; }

// No control characters, so that a lone CR or LF is none of a line.
bool is_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

bool is_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && is_token(line.substr(0, colon)) &&
         is_value(line.substr(colon + 1));
}

// GET /metrics?x=1 HTTP/1.1
std::optional<Request> request_of(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  const bool is_sound = is_token(method) && target.starts_with('/') &&
                        std::all_of(target.begin(), target.end(), is_visible) &&
                        (version == "HTTP/1.1" || version == "HTTP/1.0");
  if (!is_sound) return std::nullopt;
  return Request{method, target.substr(0, target.find('?'))};
}

// Without its end, which is taken off `rest` as well; nothing if a line does not end as it must.
std::optional<std::string_view> take_line(std::string_view& rest) {
  const std::size_t end = rest.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return line;
}

std::optional<Request> parse_head(std::string_view head) {
  const auto first = take_line(head);
  if (!first) return std::nullopt;
  for (;;) {
    const auto line = take_line(head);
    if (!line) return std::nullopt;
    if (line->empty()) return request_of(*first);
    if (!is_field(*line)) return std::nullopt;
  }
}

std::string respond(const Status& status, const std::string& text, bool with_text = true) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nConnection: close\r\n{}"
      "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n\r\n{}",
      status.code, status.reason, status.code == kNotAllowed.code ? "Allow: GET, HEAD\r\n" : "",
      text.size(), with_text ? text : "");
}

}  // namespace

bool has_whole_head(std::string_view received) {
  return received.size() > kLongestHead || received.find("\r\n\r\n") != std::string_view::npos ||
         received.find("\n\n") != std::string_view::npos;  // Wrong, and nothing will mend it.
}

std::string http_answer(std::string_view received, const HttpPages& pages) {
  const std::size_t end = received.find("\r\n\r\n");
  if (std::min(end, received.size()) > kLongestHead - 4) {
    return respond(kHeadTooLong, "the head of a request has at most 8192 bytes\n");
  }
  const auto request = parse_head(received);
  if (!request) return respond(kBadRequest, "this is no request of HTTP/1.1\n");
  const bool wants_text = request->method != "HEAD";
  if (wants_text && request->method != "GET") return respond(kNotAllowed, "use GET\n");
  const auto page = pages.find(request->path);
  if (page != pages.end()) {
    const HttpPage found = page->second();
    return respond(found.is_well ? kOk : kUnwell, found.text, wants_text);
  }
  std::string paths;
  for (const auto& [path, text] : pages) paths += (paths.empty() ? "" : " and ") + path;
  return respond(kNoSuchPage, fmt::format("there are {}\n", paths), wants_text);
}

}  // namespace hapax::cli
