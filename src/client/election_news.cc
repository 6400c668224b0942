#include "client/election_news.h"

#include "client/answers.h"

namespace hapax::client {

void ElectionNews::add(std::uint64_t request, const std::shared_ptr<detail::Candidate>& candidate) {
  const std::lock_guard lock{mutex_};
  candidates_[request] = candidate;
}

void ElectionNews::add(std::uint64_t request, const std::shared_ptr<detail::Changes>& changes) {
  const std::lock_guard lock{mutex_};
  observations_[request] = changes;
}

void ElectionNews::drop_candidate(std::uint64_t request) noexcept {
  const std::lock_guard lock{mutex_};
  candidates_.erase(request);
}

bool ElectionNews::drop_observation(std::uint64_t request) noexcept {
  const std::lock_guard lock{mutex_};
  return observations_.erase(request) > 0;
}

bool ElectionNews::tell(const session::Answer& answer) {
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

void ElectionNews::close() {
  const std::lock_guard lock{mutex_};
  for (const auto& [request, changes] : observations_) changes->close();
  observations_.clear();
}

}  // namespace hapax::client
