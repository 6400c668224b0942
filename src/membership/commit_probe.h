// How long commits take, measured on the engine itself before a member relies on it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "service/lease_times.h"

namespace hapax {

// A few rounds of commits to a record of its own. The typical time is the median of a round: one
// hiccup, even two, do not count. A round that is too slow is repeated, since a machine may be busy
// for a while; the quickest round counts.
class CommitProbe {
 public:
  static constexpr std::size_t kCommits = 5;  // Of a round.
  static constexpr std::size_t kRounds = 3;

  struct Timing {
    std::function<Instant()> now;
    std::function<void(std::function<void()>)> later;  // In a moment.
  };
  CommitProbe(engine::Engine& engine, Timing timing, Span quick_enough);

  void start();
  // What a commit typically takes, once it is known. Commits without an answer do not count: an
  // engine that is away is waited for.
  std::optional<Span> typical() const { return is_done_ ? best_ : std::nullopt; }

 private:
  void commit();
  void took(Span time);

  engine::Engine& engine_;
  Timing timing_;
  Span quick_enough_;
  std::vector<Span> round_;
  std::size_t rounds_ = 0;
  std::optional<Span> best_;
  bool is_done_ = false;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

// An error that says what would work, if beats cannot keep up with that TTL.
Result<void> check_beats(const LeaseTimes& times, Span commit);

}  // namespace hapax
