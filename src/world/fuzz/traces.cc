// Traces from anywhere: read, played, and written again.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/testing/fuzz.h"
#include "world/play.h"

HAPAX_FUZZ(traces, 2'000) {
  using namespace hapax;
  const auto script = Script::parse({reinterpret_cast<const char*>(input.data()), input.size()});
  if (!script) return;
  // A state that somebody made up is believed (world/stage.h), and may break an invariant.
  if (script->text().find("state=") != std::string::npos) return;
  const std::string text = script->text();
  const auto again = Script::parse(text);
  HAPAX_CHECK(again.has_value());
  HAPAX_CHECK(again->text() == text);
  const auto played = play(*script);
  if (!played) return;
  // What came of it comes of it each time.
  const auto replayed = play(*played);
  HAPAX_CHECK(replayed.has_value());
  HAPAX_CHECK(replayed->text() == played->text());
}
