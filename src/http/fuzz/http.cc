// What anybody on this machine may send to a daemon's HTTP ports. Whatever it is, it is a request
// that only reads, or it is answered by an error; and the answer is one head and its text.
#include "http/http.h"

#include "base/check.h"
#include "base/testing/fuzz.h"

HAPAX_FUZZ(http, 20'000) {
  using namespace hapax;
  const std::string_view received{reinterpret_cast<const char*>(input.data()), input.size()};
  if (!has_whole_head(received)) return;
  const auto asked = http_request(received);
  const HttpReply reply =
      std::holds_alternative<HttpReply>(asked) ? std::get<HttpReply>(asked) : HttpReply{};
  HAPAX_CHECK((std::holds_alternative<HttpRequest>(asked) || reply.code >= 400));
  const std::string text = http_text(reply);
  HAPAX_CHECK(text.find("\r\n\r\n") + 4 + reply.text.size() == text.size());
  if (const auto* request = std::get_if<HttpRequest>(&asked)) {
    HAPAX_CHECK(request->path.starts_with('/'));
    for (const auto& [name, value] : request->fields) (void)request->field(name);
    const auto filter = request->parameter("filter");
    HAPAX_CHECK((!filter || filter->size() <= request->query.size()));
  }
}
