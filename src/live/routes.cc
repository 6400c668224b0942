#include "live/routes.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/glob.h"
#include "base/printable.h"
#include "core/lock_name.h"

namespace hapax::live {
namespace {

constexpr std::size_t kMostLocks = 1'000;  // In one answer, as `hapax who`.
constexpr std::size_t kMostSeconds = 30;   // Of a trace.
constexpr const char* kThereAre =
    "there are /, /v1/status, /v1/members, /v1/locks, /v1/locks/NAME, /v1/trace/NAME, /v1/waits "
    "and "
    "/v1/events";

// 127.0.0.1:8080, [::1]:8080 or localhost:8080; any port, since it may have been forwarded.
bool is_this_machine(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !host.ends_with(']')) {
    const std::string_view port = host.substr(colon + 1);
    if (port.empty() || port.find_first_not_of("0123456789") != std::string_view::npos)
      return false;
    host = host.substr(0, colon);
  }
  return host == "127.0.0.1" || host == "[::1]" || host == "localhost";
}

// Browsers say who made a page ask. Whoever is no browser says nothing.
bool is_of_another_site(const HttpRequest& request) {
  const auto site = request.field("sec-fetch-site");
  return site && *site != "same-origin" && *site != "none";
}

std::string_view pass_in(const HttpRequest& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const auto field = request.field("authorization");
  return field && field->starts_with(kBearer) ? field->substr(kBearer.size()) : std::string_view{};
}

std::optional<std::size_t> number_in(const HttpRequest& request, std::string_view name,
                                     std::size_t usual, std::size_t most) {
  const auto text = request.parameter(name);
  if (!text) return usual;
  std::size_t number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, failed] = std::from_chars(text->data(), end, number);
  if (failed != std::errc{} || stop != end || number < 1 || number > most) return std::nullopt;
  return number;
}

Route about_locks(const HttpRequest& request, std::string_view pass) {
  const auto limit = number_in(request, "limit", kMostLocks, kMostLocks);
  if (!limit) return refusal(400, fmt::format("limit: 1 … {}", kMostLocks));
  const bool is_filtered = request.query.starts_with("filter=") ||
                           request.query.find("&filter=") != std::string_view::npos;
  auto filter = request.parameter("filter");
  if (is_filtered && (!filter || (!filter->empty() && !check_lock_name(*filter)))) {
    return refusal(400, "filter: a name or a pattern, as orders/*, percent-encoded UTF-8");
  }
  return Question{Question::Kind::locks, std::move(filter).value_or(""), *limit, pass};
}

Route about_lock(std::string_view encoded, std::string_view pass,
                 Question::Kind kind = Question::Kind::lock, std::size_t limit = 1) {
  auto name = percent_decoded(encoded);
  if (!name || !check_lock_name(*name) || is_pattern(*name)) {
    return refusal(400, "that is no name of a lock; / is %2F there");
  }
  return Question{kind, std::move(*name), limit, pass};
}

Route about_trace(const HttpRequest& request, std::string_view encoded, std::string_view pass) {
  const auto seconds = number_in(request, "seconds", 5, kMostSeconds);
  if (!seconds) return refusal(400, fmt::format("seconds: 1 … {}", kMostSeconds));
  return about_lock(encoded, pass, Question::Kind::trace, *seconds);
}

}  // namespace

Route route_of(const HttpRequest& request) {
  using Kind = Question::Kind;
  if (!is_this_machine(request.field("host").value_or(""))) {
    return refusal(421, "this page is for this machine: call it 127.0.0.1 or localhost");
  }
  constexpr std::string_view kApi = "/v1/", kOneLock = "/v1/locks/", kTrace = "/v1/trace/";
  if (!request.path.starts_with(kApi)) {
    return PagePath{request.path == "/" ? "index.html" : request.path.substr(1)};
  }
  if (is_of_another_site(request)) return refusal(403, "another site's page may not ask here");
  const std::string_view pass = pass_in(request);
  if (request.path == "/v1/locks") return about_locks(request, pass);
  if (request.path.starts_with(kOneLock)) {
    return about_lock(request.path.substr(kOneLock.size()), pass);
  }
  if (request.path.starts_with(kTrace)) {
    return about_trace(request, request.path.substr(kTrace.size()), pass);
  }
  constexpr std::pair<std::string_view, Kind> kOthers[]{{"/v1/status", Kind::status},
                                                        {"/v1/members", Kind::members},
                                                        {"/v1/waits", Kind::waits},
                                                        {"/v1/events", Kind::events}};
  for (const auto& [path, kind] : kOthers) {
    if (request.path == path) return Question{.kind = kind, .pass = pass};
  }
  return refusal(404, kThereAre);
}

HttpReply guarded(int code, std::string text, std::string type) {
  return {
      code, std::move(text), std::move(type),
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
      "'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
      "'none'\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Cache-Control: no-store\r\n"};
}

HttpReply json_reply(int code, std::string text) {
  return guarded(code, std::move(text) + "\n", "application/json");
}

HttpReply refusal(int code, std::string_view why) {
  return json_reply(code, "{\"error\":" + json_string(why) + "}");
}

}  // namespace hapax::live
