#include <functional>
#include <optional>
#include <utility>

#include "base/check.h"
#include "client/answers.h"
#include "client/candidate.h"
#include "client/changes.h"
#include "hapax/error.h"
#include "member/member.h"

namespace hapax::client {

// One campaign of this process, from asking to resigning. No lock is kept beyond that, so it has
// nothing to do with the word of a LocalLock. All of it belongs to the loop until it is answered.
struct Member::Campaign final : LocalAsker {
  Campaign(Member& m, std::string n, std::shared_ptr<detail::Candidate> c)
      : member(m), name(std::move(n)), candidate(std::move(c)) {}

  void on_granted(WaiterId id, Fence f, bool) override {
    waiter = id;
    term = member.lease_.grant();
    answer({}, f);
  }
  void on_wanted(WaiterId) override {}
  void on_recalled(WaiterId) override { member.lease_.end(); }
  void on_lost(WaiterId id) override {
    member.lease_.end();
    member.campaigns_.erase(number(id));  // The last: it may be the end of us.
  }
  void on_asked_to_resign(const std::string& to) override { candidate->ask_to_resign(to); }
  void on_refused() override {
    answer(Errc::refused, {});
    if (waiter) member.campaigns_.erase(number(*waiter));  // The last: it may be the end of us.
  }
  void answer(std::error_code e, Fence f) {
    if (std::exchange(is_answered, true)) return;
    error = e;
    fence = f;
    member.loop_.wake(thread);
  }

  Member& member;
  const std::string name;
  const std::shared_ptr<detail::Candidate> candidate;
  std::optional<WaiterId> waiter;
  bool is_answered = false;
  SharedLoop::Waiter thread;
  std::error_code error;
  Fence fence;
  Lease::Term term = 0;
};

std::error_code Member::campaign(const std::string& name, const std::string& value,
                                 detail::Deadline deadline, const std::stop_token& cancel,
                                 const std::shared_ptr<detail::Candidate>& candidate,
                                 detail::Holding& holding) {
  if (const auto error = SharedLoop::would_deadlock()) return error;
  for (;;) {
    const auto campaign = std::make_shared<Campaign>(*this, name, candidate);
    // A moment later: whoever cancels may hold locks.
    const auto give_up_later = [this, campaign] {
      loop_.post([this, campaign] { give_up(*campaign, Errc::cancelled); });
    };
    std::optional<std::stop_callback<std::function<void()>>> canceller;
    loop_.await(
        campaign->thread, deadline,
        [&] {
          if (has_left_) return campaign->answer(Errc::lost, {});
          if (cancel.stop_possible()) canceller.emplace(cancel, give_up_later);
          const auto waiter = daemon_->campaign(name, value, *campaign);
          if (!waiter) return campaign->answer(Errc::refused, {});
          campaign->waiter = *waiter;
          campaigns_[number(*waiter)] = campaign;
        },
        [&] { give_up(*campaign, Errc::timed_out); });
    if (campaign->error) return campaign->error;
    holding = {number(*campaign->waiter), campaign->fence, {}, campaign->term};
    if (lease_.covers(holding.term)) return {};
    resign(holding);  // The lease was over before we heard of it: once more.
  }
}

void Member::end_unanswered(Campaign& campaign) { campaign.answer(Errc::lost, {}); }

// Unless it was answered meanwhile.
void Member::give_up(Campaign& campaign, std::error_code why) {
  if (campaign.is_answered) return;
  HAPAX_CHECK(daemon_->abandon(campaign.name, *campaign.waiter));
  campaigns_.erase(number(*campaign.waiter));
  campaign.answer(why, {});
}

void Member::resign(const detail::Holding& holding) noexcept {
  // A moment later: whoever resigns may hold what a callback on the loop waits for.
  loop_.post([this, waiter = holding.request] { end_campaign(waiter); });
}

void Member::end_campaign(std::uint64_t waiter) {
  const auto at = campaigns_.find(waiter);
  if (at == campaigns_.end()) return;
  const auto campaign = std::move(at->second);
  campaigns_.erase(at);
  daemon_->release(campaign->name, WaiterId{waiter}, campaign->fence.turn);
}

std::error_code Member::hand_over(const detail::Holding& holding, const std::string& to) {
  std::error_code outcome;
  const auto error = ask_daemon(outcome, [&](auto tell) {
    daemon_->campaigns().hand_over(
        WaiterId{holding.request}, to, [this, holding, tell](const std::string& refusal) {
          if (refusal.empty()) end_campaign(holding.request);
          tell(refusal.empty() ? std::error_code{} : make_error_code(Errc::no_candidate));
        });
  });
  return error ? error : outcome;
}

std::error_code Member::ask_to_resign(const std::string& name, const std::string& to) {
  std::error_code outcome;
  const auto error = ask_daemon(outcome, [&](auto tell) {
    daemon_->campaigns().request_resignation(name, to, [tell](const std::string& refusal) {
      tell(refusal.empty() ? std::error_code{} : make_error_code(Errc::no_leader));
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
    daemon_->campaigns().podium().unobserve(at->second);
    observers_.erase(at);
  });
}

}  // namespace hapax::client
