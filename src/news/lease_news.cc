#include "news/lease_news.h"

#include <fmt/format.h>

#include "base/counted.h"

namespace hapax {
namespace {

std::string in_seconds(Span span) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(span).count());
}

}  // namespace

void LeaseNews::look(Instant now, const Sight& sight) {
  look_at_engine(now, sight);
  if (!sight.is_leaving) look_at_lease(now, sight);
}

// A request that failed once is no news: the next one is due soon.
void LeaseNews::look_at_engine(Instant now, const Sight& sight) {
  if (!sight.engine_answers) {
    if (!away_since_) away_since_ = now;
    if (is_away_told_ || now - *away_since_ < times_.engine_limit()) return;
    is_away_told_ = true;
    log_(fmt::format("the engine {} does not answer: {}", engine_, sight.engine_said),
         LogLevel::warning);
    return;
  }
  if (std::exchange(is_away_told_, false)) {
    log_(fmt::format("the engine {} answers again, after {}", engine_,
                     in_seconds(now - *away_since_)),
         LogLevel::info);
  }
  away_since_.reset();
}

void LeaseNews::look_at_lease(Instant now, const Sight& sight) {
  if (!sight.has_lease) {
    if (!std::exchange(has_lease_, false)) return;
    ++losses_;
    lost_since_ = now;
    jeopardy_since_.reset();
    log_(fmt::format("the lease is lost, and with it {}; nothing is granted here until there "
                     "is one again",
                     counted(sight.lost_grants - lost_grants_, "grant")),
         LogLevel::error);
    return;
  }
  has_lease_ = true;
  lost_grants_ = sight.lost_grants;
  if (const auto since = std::exchange(lost_since_, std::nullopt)) {
    log_(fmt::format("the lease is back, after {}", in_seconds(now - *since)), LogLevel::info);
  }
  if (sight.in_jeopardy && !jeopardy_since_) {
    jeopardy_since_ = now;
    log_(fmt::format("the lease is in jeopardy: {} left of {}, and the engine {} has not "
                     "acknowledged a beat since; what is held here is lost when it ends",
                     in_seconds(sight.lease_left), in_seconds(times_.ttl), engine_),
         LogLevel::warning);
  } else if (!sight.in_jeopardy && jeopardy_since_) {
    log_(fmt::format("the lease is renewed, after {} in jeopardy",
                     in_seconds(now - *std::exchange(jeopardy_since_, std::nullopt))),
         LogLevel::info);
  }
}

}  // namespace hapax
