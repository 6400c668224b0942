#include "jobs/attend.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "console/exit_status.h"
#include "jobs/reach.h"
#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLookAtGrant{100};
constexpr int kLookInBackground_ms = 200;
constexpr int kForTheWord_ms = 100;
constexpr int kGracesOfALease = 4;

bool has_any_ended(const std::vector<std::stop_token>& ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [](const std::stop_token& token) { return token.stop_requested(); });
}

}  // namespace

Reliance::Reliance(const std::vector<std::stop_token>& ends,
                   std::function<milliseconds()> valid_for, milliseconds grace,
                   const detail::JobTie& tie)
    : ends_(ends),
      valid_for_(std::move(valid_for)),
      grace_(grace),
      tie_(tie),
      good_until_(steady_clock::now()) {
  for (const std::stop_token& token : ends) on_end_.emplace_back(token, Ring{bell_});
}

milliseconds Reliance::grace() const {
  const milliseconds ttl = tie_.ttl();
  return ttl.count() == 0 ? grace_ : std::min(grace_, ttl / kGracesOfALease);
}

bool Reliance::has_ended() {
  const milliseconds valid = valid_for_();
  if (has_any_ended(ends_)) return true;  // After valid_for, which is zero from here on.
  good_until_ = steady_clock::now() + valid;
  return valid <= grace();
}

bool Reliance::is_renewed() {
  constexpr milliseconds kToAnswer{2'000};
  constexpr milliseconds kAgain{5};
  const auto give_up = steady_clock::now() + kToAnswer;
  while (has_ended()) {
    if (has_any_ended(ends_) || steady_clock::now() >= give_up) return false;
    std::this_thread::sleep_for(kAgain);
  }
  return true;
}

milliseconds Reliance::good_for() const {
  return std::chrono::floor<milliseconds>(good_until_ - steady_clock::now());
}

milliseconds Reliance::lasts_for() const {
  return std::max(milliseconds{1}, valid_for_() - grace());
}

milliseconds Reliance::grace_left() const {
  constexpr milliseconds kToDie{10};
  const auto left = std::chrono::floor<milliseconds>(good_until_ - steady_clock::now()) - kToDie;
  return std::clamp(left, milliseconds{0}, grace());
}

std::optional<int> attend(Job& job, Reliance& reliance, Signals& signals) {
  for (;;) {
    if (reliance.has_ended()) return std::nullopt;
    job.may_run_for(reliance.good_for());
    if (const auto status = job.reap()) {
      // A daemon that has lost its lease kills the job as it says so: the news may be on its way.
      pollfd word{reliance.bell().descriptor(), POLLIN, 0};
      if (*status == kBySignal + SIGKILL) poll(&word, 1, kForTheWord_ms);
      if (reliance.has_ended()) return std::nullopt;
      return status;
    }
    if (job.has_stopped()) {
      job.suspend([&] { return reliance.is_renewed(); });
      continue;
    }
    wait_for(signals, &reliance.bell(),
             static_cast<int>(std::min(kLookAtGrant, reliance.lasts_for()).count()));
    while (const auto signal = signals.take()) {
      if (*signal != SIGCHLD && *signal != SIGTTOU) job.signal(*signal);
    }
  }
}

void end_all(Job& job, const std::string& what, milliseconds grace, milliseconds patience) {
  if (job.end(grace, patience)) return;
  fmt::print(stderr, "hapax: {}: a process of the command lives on: {}; waits for its end\n", what,
             job.why_left());
  while (!job.end(milliseconds{0}, kForAll)) {
  }
}

milliseconds grace_within_lease(const GroupStatus& status, std::optional<double> said_s) {
  constexpr milliseconds kUsual{1'000};
  const milliseconds said{static_cast<std::int64_t>(said_s.value_or(0) * 1000)};
  if (!status.view) return said_s ? said : kUsual;
  // The rest is for beats and signs of life on their way.
  const milliseconds most = status.view->ttl / kGracesOfALease;
  if (!said_s) return std::min(kUsual, most);
  if (said <= most) return said;
  throw Failure{
      kBadUsage,
      fmt::format("--kill-after {} does not fit inside a lease of {} ms: the job would "
                  "outlive its lock; use {:.3f} or less, or a longer --ttl at the members",
                  *said_s, status.view->ttl.count(), static_cast<double>(most.count()) / 1000)};
}

std::string why_lost(Client& client) {
  if (std::string told = detail::JobTie{client}.why_lost(); !told.empty()) return told;
  try {
    const GroupStatus status = client.status();
    if (!status.obstacle.empty()) return status.obstacle;
    const std::string trouble = status.view ? status.view->engine_trouble : "";
    if (!trouble.empty()) return "the lease ends: " + trouble;
  } catch (const std::system_error&) {
  }
  return "its daemon ends, is gone or silent";
}

void set_environment(const GroupStatus& status, const std::string& name, const Fence& fence,
                     milliseconds valid_for) {
  const auto good_until = std::chrono::system_clock::now() + valid_for;
  const double unix_time = std::chrono::duration<double>(good_until.time_since_epoch()).count();
  setenv("HAPAX_LOCK", name.c_str(), 1);
  setenv("HAPAX_FENCE", text_of(fence).c_str(), 1);
  setenv("HAPAX_DEADLINE", fmt::format("{:.3f}", unix_time).c_str(), 1);
  setenv("HAPAX_SESSION", fmt::format("{}/{}/{}", status.group, status.member, getpid()).c_str(),
         1);
}

void hold_until(Signals& signals, const std::vector<std::stop_token>& ends, int input) {
  Bell bell;
  const auto ring = [&bell] { bell.ring(); };
  std::list<std::stop_callback<decltype(ring)>> on_end;
  for (const std::stop_token& token : ends) on_end.emplace_back(token, ring);
  std::array<pollfd, 3> ears{
      {{signals.descriptor(), POLLIN, 0}, {bell.descriptor(), POLLIN, 0}, {input, POLLIN, 0}}};
  for (;;) {
    poll(ears.data(), ears.size(), -1);
    if (has_any_ended(ends) || signals.take()) return;
    if (ears[2].revents == 0) continue;
    std::array<char, 4096> ignored;
    const ssize_t count = read(input, ignored.data(), ignored.size());
    if (count < 0 && errno == EIO) {
      // In the background, what is typed is not for us.
      wait_for(signals, &bell, kLookInBackground_ms);
      continue;
    }
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return;
  }
}

}  // namespace hapax::cli
