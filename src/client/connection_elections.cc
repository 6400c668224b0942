#include "client/answers.h"
#include "client/connection.h"
#include "client/pending.h"
#include "handles/candidate.h"
#include "handles/changes.h"
#include "hapax/error.h"

namespace hapax::client {

std::error_code Connection::campaign(const std::string& name, const std::string& value,
                                     detail::Deadline deadline, const std::stop_token& cancel,
                                     const std::shared_ptr<detail::Candidate>& candidate,
                                     detail::Holding& holding) {
  if (is_resident()) return std::make_error_code(std::errc::resource_deadlock_would_occur);
  Pending pending;
  const std::uint64_t request = add(pending);
  {
    // Before it leads: it may be asked to step down right after.
    const std::lock_guard lock{mutex_};
    candidates_[request] = candidate;
  }
  std::string why;
  const auto error = ask_for_grant(session::Campaign{request, name, value}, pending, deadline,
                                   cancel, holding, why);
  if (error) {
    const std::lock_guard lock{mutex_};
    candidates_.erase(request);
  }
  return error;
}

void Connection::resign(const detail::Holding& holding) noexcept {
  {
    const std::lock_guard lock{mutex_};
    candidates_.erase(holding.request);
  }
  release(holding);
}

std::error_code Connection::hand_over(const detail::Holding& holding, const std::string& to) {
  std::string why;
  const auto error =
      ask_for_an_end(session::HandOver{0, holding.request, to}, 2 * session::kSilence, why);
  if (error) return error == Errc::refused ? make_error_code(Errc::no_candidate) : error;
  held_.forget(holding.request);
  const std::lock_guard lock{mutex_};
  candidates_.erase(holding.request);
  return {};
}

std::error_code Connection::ask_to_resign(const std::string& name, const std::string& to) {
  std::string why;
  const auto error = ask_for_an_end(session::AskResign{0, name, to}, 2 * session::kSilence, why);
  return error == Errc::refused ? make_error_code(Errc::no_leader) : error;
}

std::uint64_t Connection::observe(const std::string& name,
                                  const std::shared_ptr<detail::Changes>& changes) {
  std::uint64_t request = 0;
  {
    const std::lock_guard lock{mutex_};
    request = next_request_++;
    if (gone_) {
      changes->close();
      return request;
    }
    observations_[request] = changes;
  }
  say(session::Observe{request, name});
  return request;
}

void Connection::unobserve(std::uint64_t observation) noexcept {
  {
    const std::lock_guard lock{mutex_};
    if (observations_.erase(observation) == 0) return;
  }
  say(session::Cancel{observation});  // Its answer finds nobody waiting.
}

bool Connection::tell_of_election(const session::Answer& answer) {
  if (const auto* seen = std::get_if<session::Observed>(&answer)) {
    const std::lock_guard lock{mutex_};
    const auto at = observations_.find(seen->request);
    if (at != observations_.end()) at->second->push(change_of(seen->leader));
    return true;
  }
  if (const auto* refused = std::get_if<session::Refused>(&answer)) {
    const std::lock_guard lock{mutex_};
    const auto at = observations_.find(refused->request);
    if (at == observations_.end()) return false;
    at->second->close();
    observations_.erase(at);
    return true;
  }
  const auto* asked = std::get_if<session::StepDown>(&answer);
  if (asked == nullptr) return false;
  std::shared_ptr<detail::Candidate> candidate;
  {
    const std::lock_guard lock{mutex_};
    const auto at = candidates_.find(asked->request);
    if (at != candidates_.end()) candidate = at->second;
  }
  if (candidate) candidate->ask_to_resign(asked->to);
  return true;
}

void Connection::close_observations() {
  const std::lock_guard lock{mutex_};
  for (const auto& [request, changes] : observations_) changes->close();
  observations_.clear();
}

}  // namespace hapax::client
