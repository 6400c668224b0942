#include "http/http.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace hapax {
namespace {

const char* reason_of(int code) {
  switch (code) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Service Unavailable";  // 503.
  }
}

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

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::pair<std::string_view, std::string_view>> field_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) ||
      !is_value(line.substr(colon + 1))) {
    return std::nullopt;
  }
  return std::pair{line.substr(0, colon), trimmed(line.substr(colon + 1))};
}

struct RequestLine {
  std::string_view method, target;
};

// GET /metrics?x=1 HTTP/1.1
std::optional<RequestLine> request_line_of(std::string_view line) {
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
  return RequestLine{method, target};
}

// Without its end, which is taken off `rest` as well; nothing if a line does not end as it must.
std::optional<std::string_view> take_line(std::string_view& rest) {
  const std::size_t end = rest.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return line;
}

HttpReply no_request() { return {400, "this is no request of HTTP/1.1\n"}; }

bool is_same_name(std::string_view written, std::string_view lower) {
  return std::equal(written.begin(), written.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace

bool has_whole_head(std::string_view received) {
  return received.size() > kLongestHead || received.find("\r\n\r\n") != std::string_view::npos ||
         received.find("\n\n") != std::string_view::npos;  // Wrong, and nothing will mend it.
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const auto high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    decoded += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return decoded;
}

std::optional<std::string_view> HttpRequest::field(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [written, value] : fields) {
    if (!is_same_name(written, name)) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found;
}

std::optional<std::string> HttpRequest::parameter(std::string_view name) const {
  for (std::string_view rest = query; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = part.find('=');
    if (part.substr(0, equals) != name || equals == std::string_view::npos) continue;
    return percent_decoded(part.substr(equals + 1));
  }
  return std::nullopt;
}

std::variant<HttpRequest, HttpReply> http_request(std::string_view received) {
  const std::size_t end = received.find("\r\n\r\n");
  if (std::min(end, received.size()) > kLongestHead - 4) {
    return HttpReply{431, "the head of a request has at most 8192 bytes\n"};
  }
  const auto first = take_line(received);
  if (!first) return no_request();
  HttpRequest request;
  for (;;) {
    const auto line = take_line(received);
    if (!line) return no_request();
    if (line->empty()) break;
    const auto field = field_of(*line);
    if (!field) return no_request();
    request.fields.push_back(*field);
  }
  const auto asked = request_line_of(*first);
  if (!asked) return no_request();
  request.wants_text = asked->method != "HEAD";
  if (request.wants_text && asked->method != "GET") {
    return HttpReply{.code = 405, .text = "use GET\n", .fields = "Allow: GET, HEAD\r\n"};
  }
  const std::size_t mark = asked->target.find('?');
  request.path = asked->target.substr(0, mark);
  if (mark != std::string_view::npos) request.query = asked->target.substr(mark + 1);
  return request;
}

std::string http_head(const HttpReply& reply) {
  return fmt::format("HTTP/1.1 {} {}\r\nConnection: close\r\n{}Content-Type: {}\r\n\r\n",
                     reply.code, reason_of(reply.code), reply.fields, reply.type);
}

std::string http_text(const HttpReply& reply, bool with_text) {
  HttpReply whole{reply.code, "", reply.type, reply.fields};
  whole.fields += fmt::format("Content-Length: {}\r\n", reply.text.size());
  return http_head(whole) + (with_text ? reply.text : "");
}

std::string http_answer(std::string_view received, const HttpPages& pages) {
  const auto asked = http_request(received);
  if (const auto* wrong = std::get_if<HttpReply>(&asked)) return http_text(*wrong);
  const auto& request = std::get<HttpRequest>(asked);
  const auto page = pages.find(request.path);
  if (page != pages.end()) {
    const HttpPage found = page->second();
    return http_text({.code = found.is_well ? 200 : 503,
                      .text = found.text,
                      .type = "text/plain; version=0.0.4; charset=utf-8"},
                     request.wants_text);
  }
  std::string paths;
  for (const auto& [path, text] : pages) paths += (paths.empty() ? "" : " and ") + path;
  return http_text({404, fmt::format("there are {}\n", paths)}, request.wants_text);
}

}  // namespace hapax
