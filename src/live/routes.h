// What a request to the live page asks for. Pure: bytes of anybody on this machine come in here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "http/http.h"

namespace hapax::live {

struct Question {
  enum class Kind : std::uint8_t { status, members, locks, lock, trace, waits, events };
  Kind kind = Kind::status;
  std::string name{};       // Of the lock; of all: a pattern, or empty.
  std::size_t limit = 0;    // Of all locks: so many at most. Of a trace: so many seconds.
  std::string_view pass{};  // As it was shown; empty: none was.
};
// A file of the page.
struct PagePath {
  std::string_view path;  // index.html
};
using Route = std::variant<Question, PagePath, HttpReply>;

// What it asks for, or what to answer. Only those are answered who call this machine by a name of
// its own: a page of the Internet whose name is made to lead here (DNS rebinding) is not.
Route route_of(const HttpRequest& request);

// With all that a browser should be told: to load nothing from elsewhere, to show it in no frame,
// to keep nothing.
HttpReply guarded(int code, std::string text, std::string type);
HttpReply json_reply(int code, std::string text);
// {"error":…}: a sentence.
HttpReply refusal(int code, std::string_view why);

}  // namespace hapax::live
