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
  // Before it leads: it may be asked to step down right after.
  elections_.add(request, candidate);
  std::string why;
  const auto error = ask_for_grant(session::Campaign{request, name, value}, pending, deadline,
                                   cancel, holding, why);
  if (error) elections_.drop_candidate(request);
  return error;
}

void Connection::resign(const detail::Holding& holding) noexcept {
  elections_.drop_candidate(holding.request);
  release(holding);
}

std::error_code Connection::hand_over(const detail::Holding& holding, const std::string& to) {
  std::string why;
  const auto error =
      ask_for_an_end(session::HandOver{0, holding.request, to}, 2 * session::kSilence, why);
  if (error) return error == Errc::refused ? make_error_code(Errc::no_candidate) : error;
  held_.forget(holding.request);
  elections_.drop_candidate(holding.request);
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
    elections_.add(request, changes);
  }
  say(session::Observe{request, name});
  return request;
}

void Connection::unobserve(std::uint64_t observation) noexcept {
  if (!elections_.drop_observation(observation)) return;
  say(session::Cancel{observation});  // Its answer finds nobody waiting.
}

}  // namespace hapax::client
