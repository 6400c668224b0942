// A job that may run only as long as something lasts: a lock, or leadership.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "console/signals.h"
#include "handles/job_tie.h"
#include "hapax/hapax.h"
#include "jobs/job.h"

namespace hapax::cli {

// A daemon is not suspected before it has missed two signs of life; between then and the end of the
// silence it is allowed, the job must have ended.
inline constexpr std::chrono::milliseconds kLongestGrace =
    Client::kSilence - 2 * Client::kPingEvery;

// The one place that decides when a grant can no longer be relied on: early enough for the job to
// end before anybody else can have it.
class Reliance {
 public:
  // Ends with any of `ends`, or when it is good for no longer than `grace`; which is shorter if the
  // TTL becomes so.
  Reliance(const std::vector<std::stop_token>& ends,
           std::function<std::chrono::milliseconds()> valid_for, std::chrono::milliseconds grace,
           const detail::JobTie& tie);

  bool has_ended();
  // The same after we have slept: gives the daemon time to say that it lasts.
  bool is_renewed();
  Bell& bell() { return bell_; }
  // As of the last look.
  std::chrono::milliseconds good_for() const;
  // Until it ends by itself, unless it is renewed.
  std::chrono::milliseconds lasts_for() const;
  // How long the job has from SIGTERM to SIGKILL, now that reliance has ended: the grace, but no
  // longer than the grant was good for at the last look. A daemon that leaves says so while there
  // is time.
  std::chrono::milliseconds grace_left() const;

 private:
  struct Ring {
    Bell& bell;
    void operator()() const noexcept { bell.ring(); }
  };
  std::vector<std::stop_token> ends_;
  std::function<std::chrono::milliseconds()> valid_for_;
  std::chrono::milliseconds grace() const;

  const std::chrono::milliseconds grace_;  // At most.
  const detail::JobTie& tie_;
  std::chrono::steady_clock::time_point good_until_;  // As of when it was looked at last.
  Bell bell_;
  std::list<std::stop_callback<Ring>> on_end_;
};

// Until the job has ended, and what it returned; or until it must, and nothing.
std::optional<int> attend(Job& job, Reliance& reliance, Signals& signals);

// Ends what is left of a job, and comes back when nothing is: a lock that is free while some of it
// runs is no lock. `what` is held for it. If it takes longer than `patience`, says why.
void end_all(Job& job, const std::string& what, std::chrono::milliseconds grace,
             std::chrono::milliseconds patience);

// How long a job has from SIGTERM to SIGKILL when its lock is lost: as told, or a second, or what a
// short lease has room for. Fails if the time told does not fit inside the lease.
std::chrono::milliseconds grace_within_lease(const GroupStatus& status,
                                             std::optional<double> said_s);

// Why what was held through that client is lost, or about to be, in words.
std::string why_lost(Client& client);

// What a job may want to know of its grant, in its environment.
void set_environment(const GroupStatus& status, const std::string& name, const Fence& fence,
                     std::chrono::milliseconds valid_for);

// Until a signal, the end of `input` (-1: none), or one of these.
void hold_until(Signals& signals, const std::vector<std::stop_token>& ends, int input);

}  // namespace hapax::cli
