// The job of a client on this machine ends before anybody else gets what was held for it, even if
// the client cannot see to that itself because it sleeps, or is dead.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>

#include "visitors/visitor.h"

namespace hapax {

// At once, since the lock is free next: the daemon waits until it is dead, but not for ever.
inline void end_job(const Visitor& visitor) {
  constexpr std::chrono::milliseconds kToDie{50};
  if (visitor.job()) (void)visitor.job()->end(kToDie);
}

// It has gone without a word, and its job may run on.
inline bool leaves_job(const Visitor& visitor) {
  return visitor.job() && visitor.holds_anything() && !visitor.has_said_goodbye();
}

// Kills the job, checking on it less and less often, and calls `then` when it is dead, however long
// that takes. REQUIRES: it has one.
template <class After>
void when_job_is_dead(std::shared_ptr<Visitor> gone, After after, std::function<void()> then,
                      std::chrono::milliseconds look = std::chrono::milliseconds{1}) {
  constexpr std::chrono::milliseconds kSeldom{1'000};
  if (!gone->job()->is_running()) return then();
  gone->job()->kill();
  after(look, [gone, after, then, next = std::min(2 * look, kSeldom)] {
    when_job_is_dead(gone, after, then, next);
  });
}

}  // namespace hapax
