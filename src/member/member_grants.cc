// What a member inside the program gives to objects that are no Mutex: each grant by itself, none
// of them kept.
#include <functional>
#include <optional>
#include <utility>

#include "base/check.h"
#include "hapax/error.h"
#include "member/member.h"

namespace hapax::client {

// All of it belongs to the loop until it is answered.
struct Member::Grant final : LocalAsker {
  Grant(Member& m, std::uint64_t i, std::string n, Want w)
      : member(m), id(i), name(std::move(n)), want(w) {}

  void on_granted(WaiterId, Fence f, bool) override {
    is_held = true;
    term = member.lease_.grant();
    answer({}, f);
  }
  void on_wanted(WaiterId) override {}
  void on_recalled(WaiterId) override { member.lease_.end(); }
  void on_lost(WaiterId) override {
    member.lease_.end();
    member.grants_.erase(id);  // The last: it may be the end of us.
  }
  void answer(std::error_code e, Fence f) {
    error = e;
    fence = f;
    member.loop_.wake(thread);
  }

  Member& member;
  const std::uint64_t id;
  const std::string name;
  const Want want;
  Lease::Term term = 0;
  WaiterId waiter{};
  bool is_held = false;
  SharedLoop::Waiter thread;
  std::error_code error;
  std::string why;
  Fence fence;
};

void Member::ask(const std::shared_ptr<Grant>& grant) {
  if (has_left_) return grant->answer(Errc::lost, {});
  grants_[grant->id] = grant;
  grant->waiter = daemon_->next_waiter();
  const auto asked = daemon_->acquire(grant->name, grant->waiter, *grant, grant->want);
  if (asked) return;
  grants_.erase(grant->id);
  grant->why = asked.error().message;
  grant->answer(Errc::refused, {});
}

// Unless it was answered meanwhile.
void Member::give_up(std::uint64_t id, std::error_code why) {
  const auto at = grants_.find(id);
  if (at == grants_.end() || at->second->is_held) return;
  const std::shared_ptr<Grant> grant = std::move(at->second);
  grants_.erase(at);
  HAPAX_CHECK(daemon_->abandon(grant->name, grant->waiter));
  grant->answer(why, {});
}

void Member::drop(std::uint64_t id) {
  const auto at = grants_.find(id);
  if (at == grants_.end()) return;  // It was lost, or the member has left.
  const std::shared_ptr<Grant> grant = std::move(at->second);
  grants_.erase(at);
  HAPAX_CHECK(grant->is_held);
  daemon_->release(grant->name, grant->waiter, grant->fence.turn);
}

std::error_code Member::acquire_as(const std::string& name, Want want, detail::Deadline deadline,
                                   const std::stop_token& cancel, detail::Holding& holding,
                                   std::string& why) {
  if (const auto error = SharedLoop::would_deadlock()) return error;
  for (;;) {
    const auto grant = std::make_shared<Grant>(*this, ++last_grant_, name, want);
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
        [&] { give_up(grant->id, Errc::timed_out); });
    why = grant->why;
    if (grant->error) return grant->error;
    holding = {grant->id, grant->fence, {}, grant->term};
    if (lease_.covers(holding.term)) return {};
    give_back(holding);  // The lease was over before we heard of it: once more.
  }
}

// Who holds was told that it is lost.
void Member::give_up_all() {
  for (const auto& [id, grant] : std::exchange(grants_, {})) {
    if (!grant->is_held) grant->answer(Errc::lost, {});
  }
  for (const auto& [waiter, campaign] : std::exchange(campaigns_, {})) {
    end_unanswered(*campaign);
  }
}

void Member::give_back(const detail::Holding& holding) noexcept {
  loop_.visit([this, id = holding.request] { drop(id); });
}

}  // namespace hapax::client
