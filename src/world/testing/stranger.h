// A trace from anywhere, for fuzz targets: read, played, and written again.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/check.h"
#include "world/play.h"

namespace hapax {

inline void play_stranger(std::span<const std::uint8_t> input) {
  const auto script = Script::parse({reinterpret_cast<const char*>(input.data()), input.size()});
  if (!script) return;
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

}  // namespace hapax
