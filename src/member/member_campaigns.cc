// What leaders and observers do at a member inside the program.
#include <optional>
#include <utility>

#include "client/answers.h"
#include "handles/changes.h"
#include "hapax/error.h"
#include "member/member.h"

namespace hapax::client {

std::error_code Member::hand_over(const detail::Holding& holding, const std::string& to) {
  std::error_code outcome;
  const auto error = ask_daemon(outcome, [&](auto tell) {
    const std::optional<WaiterId> waiter = waiter_of(holding.request);
    if (!waiter || !daemon_->campaigns().leads(*waiter)) {
      return tell(make_error_code(Errc::not_held));  // It was lost meanwhile.
    }
    daemon_->campaigns().hand_over(*waiter, to, [this, holding, tell](const std::string& refusal) {
      if (refusal.empty()) drop(holding.request);
      tell(refusal.empty() ? std::error_code{} : make_error_code(Errc::no_candidate));
    });
  });
  return error ? error : outcome;
}

std::error_code Member::ask_to_resign(const std::string& name, const std::string& to) {
  std::error_code outcome;
  const auto error = ask_daemon(outcome, [&](auto tell) {
    Campaigns& campaigns = daemon_->campaigns();
    const auto ask = [&campaigns, name, to, tell] {
      campaigns.request_resignation(name, to, [tell](const std::string& refusal) {
        tell(refusal.empty() ? std::error_code{} : make_error_code(Errc::no_leader));
      });
    };
    if (to.empty()) return ask();
    campaigns.find_candidate(name, to, [ask, tell](const std::string& nobody) {
      nobody.empty() ? ask() : tell(make_error_code(Errc::no_candidate));
    });
  });
  return error ? error : outcome;
}

std::uint64_t Member::observe(const std::string& name,
                              const std::shared_ptr<detail::Changes>& changes) {
  const std::uint64_t observation = ++last_observation_;
  loop_.visit([this, name, changes, observation] {
    observers_[observation] =
        daemon_->campaigns().observe(name, [changes](const std::optional<session::Leader>& leader) {
          changes->push(change_of(leader));
        });
  });
  return observation;
}

void Member::unobserve(std::uint64_t observation) noexcept {
  loop_.visit([this, observation] {
    const auto at = observers_.find(observation);
    if (at == observers_.end()) return;
    daemon_->campaigns().watch().unobserve(at->second);
    observers_.erase(at);
  });
}

}  // namespace hapax::client
