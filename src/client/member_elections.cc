#include <boost/asio/post.hpp>
#include <future>
#include <utility>

#include "client/answers.h"
#include "client/candidate.h"
#include "client/changes.h"
#include "client/member.h"
#include "hapax/error.h"

namespace hapax::client {
namespace {

namespace asio = boost::asio;

// Longer than a daemon waits for the other members.
constexpr std::chrono::seconds kToAnswer{4};

}  // namespace

// One campaign of this process, from asking to resigning. No lock is kept beyond that, so it has
// nothing to do with the word of a spot.
struct Member::Campaign final : LocalAsker {
  Campaign(Member& m, std::string n, std::shared_ptr<detail::Candidate> c)
      : member(m), name(std::move(n)), candidate(std::move(c)) {}

  // On the member's thread.
  void on_granted(WaiterId id, Fence fence, bool) override {
    waiter = id;
    answer({}, fence);
  }
  void on_wanted(WaiterId) override {}
  void on_asked_to_resign(const std::string& to) override { candidate->ask_to_resign(to); }
  void on_refused() override {
    answer(Errc::refused, {});
    if (waiter) member.campaigns_.erase(number(*waiter));  // The last: it may be the end of us.
  }
  void answer(std::error_code e, Fence fence) {
    const std::lock_guard lock{mutex};
    error = e;
    result = fence;
    done = true;
    answered.notify_all();
  }

  Member& member;
  const std::string name;
  const std::shared_ptr<detail::Candidate> candidate;
  std::optional<WaiterId> waiter;  // The member's thread's.
  std::mutex mutex;                // Guards what follows.
  std::condition_variable_any answered;
  bool done = false;
  std::error_code error;
  Fence result;
};

std::error_code Member::campaign(const std::string& name, const std::string& value,
                                 detail::Deadline deadline, const std::stop_token& cancel,
                                 const std::shared_ptr<detail::Candidate>& candidate,
                                 detail::Holding& holding) {
  const auto campaign = std::make_shared<Campaign>(*this, name, candidate);
  asio::post(io_, [this, campaign, value] {
    const auto waiter = daemon_->campaign(campaign->name, value, *campaign);
    if (!waiter) return campaign->answer(Errc::refused, {});
    if (!campaign->waiter) campaign->waiter = *waiter;  // Else granted already, and perhaps read.
    campaigns_[number(*waiter)] = campaign;
  });
  std::unique_lock lock{campaign->mutex};
  const auto is_done = [&] { return campaign->done; };
  if (!campaign->answered.wait_until(lock, cancel, deadline, is_done)) {
    const std::error_code why = cancel.stop_requested() ? Errc::cancelled : Errc::timed_out;
    lock.unlock();
    asio::post(io_, [this, campaign, why] {
      if (campaign->done || !daemon_->abandon(campaign->name, *campaign->waiter)) return;
      campaigns_.erase(number(*campaign->waiter));
      campaign->answer(why, {});
    });
    lock.lock();
    // The member's thread has the last word: granted meanwhile, or given up.
    campaign->answered.wait(lock, is_done);
  }
  if (campaign->error) return campaign->error;
  holding = {number(*campaign->waiter), campaign->result};
  return {};
}

void Member::resign(const detail::Holding& holding) noexcept {
  asio::post(io_, [this, holding] { end_campaign(holding); });
}

void Member::end_campaign(const detail::Holding& holding) {
  const auto at = campaigns_.find(holding.request);
  if (at == campaigns_.end()) return;
  const auto campaign = std::move(at->second);
  campaigns_.erase(at);
  daemon_->release(campaign->name, WaiterId{holding.request}, holding.fence.turn);
}

std::error_code Member::hand_over(const detail::Holding& holding, const std::string& to) {
  const auto outcome = std::make_shared<std::promise<std::error_code>>();
  asio::post(io_, [this, holding, to, outcome] {
    daemon_->campaigns().hand_over(
        WaiterId{holding.request}, to, [this, holding, outcome](const std::string& error) {
          if (error.empty()) end_campaign(holding);
          outcome->set_value(error.empty() ? std::error_code{}
                                           : make_error_code(Errc::no_candidate));
        });
  });
  auto answer = outcome->get_future();
  if (answer.wait_for(kToAnswer) != std::future_status::ready) return Errc::timed_out;
  return answer.get();
}

std::error_code Member::ask_to_resign(const std::string& name, const std::string& to) {
  const auto outcome = std::make_shared<std::promise<std::error_code>>();
  asio::post(io_, [this, name, to, outcome] {
    daemon_->campaigns().request_resignation(name, to, [outcome](const std::string& error) {
      outcome->set_value(error.empty() ? std::error_code{} : make_error_code(Errc::no_leader));
    });
  });
  auto answer = outcome->get_future();
  if (answer.wait_for(kToAnswer) != std::future_status::ready) return Errc::timed_out;
  return answer.get();
}

std::uint64_t Member::observe(const std::string& name,
                              const std::shared_ptr<detail::Changes>& changes) {
  const std::uint64_t observation = ++last_observation_;
  asio::post(io_, [this, name, changes, observation] {
    observers_[observation] =
        daemon_->campaigns().observe(name, [changes](const std::optional<session::Leader>& leader) {
          changes->push(change_of(leader));
        });
  });
  return observation;
}

void Member::unobserve(std::uint64_t observation) noexcept {
  asio::post(io_, [this, observation] {
    const auto at = observers_.find(observation);
    if (at == observers_.end()) return;
    daemon_->campaigns().podium().unobserve(at->second);
    observers_.erase(at);
  });
}

// --- for people ---

std::error_code Member::who(std::string_view name, std::vector<LockInfo>& locks,
                            std::vector<std::uint32_t>& silent) {
  const auto outcome = std::make_shared<std::promise<std::optional<session::Locks>>>();
  asio::post(io_, [this, name = std::string{name}, outcome] {
    const auto asked = daemon_->who(
        name, [outcome](session::Locks&& told) { outcome->set_value(std::move(told)); });
    if (!asked) outcome->set_value(std::nullopt);
  });
  auto answer = outcome->get_future();
  if (answer.wait_for(kToAnswer) != std::future_status::ready) return Errc::timed_out;
  auto told = answer.get();
  if (!told) return Errc::refused;
  locks = locks_of(std::move(told->locks));
  silent = std::move(told->silent);
  return {};
}

std::error_code Member::status(GroupStatus& status) {
  std::promise<session::State> outcome;
  asio::post(io_, [&] { outcome.set_value(daemon_->state()); });
  status = status_of(outcome.get_future().get());
  return {};
}

std::error_code Member::stats(MemberStats& stats) {
  std::promise<session::Stats> outcome;
  asio::post(io_, [&] { outcome.set_value(daemon_->stats()); });
  stats = stats_of(outcome.get_future().get());
  return {};
}

}  // namespace hapax::client
