// What anybody on this machine may ask the live page for. Whatever it is, it is a file, a question
// whose parts are in bounds, or refused.
#include "live/routes.h"

#include "base/check.h"
#include "base/testing/fuzz.h"
#include "core/lock_name.h"

HAPAX_FUZZ(routes, 20'000) {
  using namespace hapax;
  const std::string_view received{reinterpret_cast<const char*>(input.data()), input.size()};
  if (!has_whole_head(received)) return;
  const auto asked = http_request(received);
  const auto* request = std::get_if<HttpRequest>(&asked);
  if (request == nullptr) return;
  const live::Route route = live::route_of(*request);
  if (const auto* reply = std::get_if<HttpReply>(&route)) {
    HAPAX_CHECK((reply->code >= 400 && reply->text.starts_with("{\"error\":")));
  } else if (const auto* question = std::get_if<live::Question>(&route)) {
    HAPAX_CHECK((question->name.empty() || check_lock_name(question->name)));
    HAPAX_CHECK(question->limit <= 1'000);
  }
}
