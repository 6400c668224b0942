// What people are told of a member's lease and its engine: a line when that changes, and no more.
// Pure: it is told the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "service/lease_times.h"

namespace hapax {

class LeaseNews {
 public:
  struct Sight {
    bool engine_answers = false;
    std::string engine_said;  // The last error.
    bool has_lease = false;
    bool in_jeopardy = false;
    Span lease_left{};
    std::uint64_t lost_grants = 0;  // In all.
    bool is_leaving = false;        // Then nothing of it is news.
  };

  LeaseNews(std::string engine, const LeaseTimes& times, Log log)
      : engine_(std::move(engine)), times_(times), log_(std::move(log)) {}

  void look(Instant now, const Sight& sight);
  std::uint64_t losses() const { return losses_; }  // Of leases.

 private:
  void look_at_engine(Instant now, const Sight& sight);
  void look_at_lease(Instant now, const Sight& sight);

  std::string engine_;
  const LeaseTimes& times_;  // As they are now.
  Log log_;
  std::optional<Instant> away_since_;
  bool is_away_told_ = false;
  bool has_lease_ = false;
  std::optional<Instant> jeopardy_since_;
  std::optional<Instant> lost_since_;
  std::uint64_t lost_grants_ = 0;  // When there was a lease last.
  std::uint64_t losses_ = 0;
};

}  // namespace hapax
