// What a member inside the program gives to objects that are no Mutex, candidates among them: each
// grant by itself, none of them kept.
#include <functional>
#include <optional>
#include <utility>

#include "base/check.h"
#include "handles/candidate.h"
#include "hapax/error.h"
#include "member/member.h"

namespace hapax::client {

// From asking to giving back. All of it belongs to the loop until it is answered.
struct Member::Grant final : Asker {
  Grant(Member& m, std::uint64_t i, const Wish& w) : member(m), id(i), wish(w) {}

  void on_granted(const hapax::Grant& g) override {
    waiter = g.waiter;
    term = member.lease_.grant();
    answer({}, g.fence);
  }
  void on_wanted(WaiterId) override {}
  void on_recalled(WaiterId) override { member.lease_.end(); }
  void on_lost(WaiterId, const std::string&) override {
    member.lease_.end();
    member.grants_.erase(id);  // The last: it may be the end of us.
  }
  bool can_lose() const override { return member.can_lose_; }
  void on_asked_to_resign(const std::string& to) override { wish.candidate->ask_to_resign(to); }
  void on_refused(const std::string&) override {
    answer(Errc::refused, {});
    member.grants_.erase(id);  // The last: it may be the end of us.
  }
  void answer(std::error_code e, Fence f) {
    if (std::exchange(is_answered, true)) return;
    error = e;
    fence = f;
    member.loop_.wake(thread);
  }

  Member& member;
  const std::uint64_t id;
  const Wish wish;
  Lease::Term term = 0;
  WaiterId waiter{};
  bool is_answered = false;  // Invariant: if so, and it is in grants_, it is held.
  SharedLoop::Waiter thread;
  std::error_code error;
  std::string why;
  Fence fence;
};

void Member::ask(const std::shared_ptr<Grant>& grant) {
  if (has_left_) return grant->answer(Errc::lost, {});
  grants_[grant->id] = grant;
  const auto begin = [&]() -> Result<void> {
    const Wish& wish = grant->wish;
    if (!wish.candidate) {
      grant->waiter = daemon_->next_waiter();
      return daemon_->acquire(wish.name, grant->waiter, *grant, wish.want);
    }
    const auto waiter = daemon_->campaign(wish.name, wish.value, *grant);
    if (!waiter) return waiter.error();
    grant->waiter = *waiter;
    return {};
  };
  const auto asked = begin();
  if (asked) return;
  grants_.erase(grant->id);
  grant->why = asked.error().message;
  grant->answer(Errc::refused, {});
}

// Unless it was answered meanwhile.
void Member::give_up(std::uint64_t id, std::error_code why) {
  const auto at = grants_.find(id);
  if (at == grants_.end() || at->second->is_answered) return;
  const std::shared_ptr<Grant> grant = std::move(at->second);
  grants_.erase(at);
  HAPAX_CHECK(daemon_->abandon(grant->wish.name, grant->waiter));
  grant->answer(why, {});
}

void Member::drop(std::uint64_t id) {
  const auto at = grants_.find(id);
  if (at == grants_.end()) return;  // It was lost, or the member has left.
  const std::shared_ptr<Grant> grant = std::move(at->second);
  grants_.erase(at);
  HAPAX_CHECK(grant->is_answered);
  daemon_->release(grant->wish.name, grant->waiter, grant->fence.turn);
}

std::optional<WaiterId> Member::waiter_of(std::uint64_t id) const {
  const auto at = grants_.find(id);
  if (at == grants_.end()) return std::nullopt;
  return at->second->waiter;
}

std::error_code Member::acquire_grant(const Wish& wish, detail::Deadline deadline,
                                      const std::stop_token& cancel, detail::Holding& holding,
                                      std::string& why) {
  if (const auto error = SharedLoop::would_deadlock()) return error;
  for (;;) {
    const auto grant = std::make_shared<Grant>(*this, ++last_grant_, wish);
    // A moment later: whoever cancels may hold locks.
    const auto give_up_later = [this, id = grant->id] {
      loop_.post([this, id] { give_up(id, Errc::cancelled); });
    };
    std::optional<std::stop_callback<std::function<void()>>> canceller;
    loop_.await(
        grant->thread, deadline,
        [&] {
          if (cancel.stop_possible()) canceller.emplace(cancel, give_up_later);
          ask(grant);
        },
        [&] {
          grant->why = daemon_->why_not(wish.name);
          give_up(grant->id, not_in_time(wish.name));
        });
    why = grant->why;
    if (grant->error) return grant->error;
    holding = {grant->id, grant->fence, {}, grant->term};
    if (lease_.covers(holding.term)) return {};
    give_back(holding);  // The lease was over before we heard of it: once more.
  }
}

std::error_code Member::acquire_as(const std::string& name, Want want, detail::Deadline deadline,
                                   const std::stop_token& cancel, detail::Holding& holding,
                                   std::string& why) {
  return acquire_grant({name, want, {}, nullptr}, deadline, cancel, holding, why);
}

std::error_code Member::campaign(const std::string& name, const std::string& value,
                                 detail::Deadline deadline, const std::stop_token& cancel,
                                 const std::shared_ptr<detail::Candidate>& candidate,
                                 detail::Holding& holding) {
  std::string why;
  return acquire_grant({name, Want::exclusive, value, candidate}, deadline, cancel, holding, why);
}

// Who holds was told that it is lost.
void Member::give_up_all() {
  for (const auto& [id, grant] : std::exchange(grants_, {})) grant->answer(Errc::lost, {});
}

void Member::give_back(const detail::Holding& holding) noexcept {
  loop_.visit([this, id = holding.request] { drop(id); });
}

void Member::resign(const detail::Holding& holding) noexcept {
  // A moment later: whoever resigns may hold what a callback on the loop waits for.
  loop_.post([this, id = holding.request] { drop(id); });
}

}  // namespace hapax::client
