// What a member inside the program gives to objects that are no Mutex: each grant by itself, none
// of them kept.
#include <functional>
#include <optional>
#include <utility>

#include "base/check.h"
#include "client/member.h"
#include "hapax/error.h"

namespace hapax::client {

// All of it belongs to the loop until it is answered.
struct Member::Grant final : LocalAsker {
  Grant(SharedLoop& l, std::string n, Want w) : loop(l), name(std::move(n)), want(w) {}

  void on_granted(WaiterId, Fence f, bool) override {
    is_held = true;
    answer({}, f);
  }
  void on_wanted(WaiterId) override {}
  void answer(std::error_code e, Fence f) {
    error = e;
    fence = f;
    loop.wake(thread);
  }

  SharedLoop& loop;
  const std::string name;
  const Want want;
  WaiterId waiter{};
  bool is_held = false;
  SharedLoop::Waiter thread;
  std::error_code error;
  std::string why;
  Fence fence;
};

void Member::ask(std::uint64_t id, const std::shared_ptr<Grant>& grant) {
  grants_[id] = grant;
  grant->waiter = daemon_->next_waiter();
  const auto asked = daemon_->acquire(grant->name, grant->waiter, *grant, grant->want);
  if (asked) return;
  grants_.erase(id);
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
  if (at == grants_.end()) return;  // The member has left.
  const std::shared_ptr<Grant> grant = std::move(at->second);
  grants_.erase(at);
  HAPAX_CHECK(grant->is_held);
  daemon_->release(grant->name, grant->waiter, grant->fence.turn);
}

std::error_code Member::acquire_as(const std::string& name, Want want, detail::Deadline deadline,
                                   const std::stop_token& cancel, detail::Holding& holding,
                                   std::string& why) {
  // Who is on the loop would wait for itself.
  if (SharedLoop::is_on_any()) {
    return std::make_error_code(std::errc::resource_deadlock_would_occur);
  }
  const auto grant = std::make_shared<Grant>(loop_, name, want);
  const std::uint64_t id = ++last_grant_;
  // A moment later: whoever cancels may hold locks.
  const auto give_up_later = [this, id] {
    loop_.post([this, id] { give_up(id, Errc::cancelled); });
  };
  std::optional<std::stop_callback<std::function<void()>>> canceller;
  loop_.await(
      grant->thread, deadline,
      [&] {
        if (cancel.stop_possible()) canceller.emplace(cancel, give_up_later);
        ask(id, grant);
      },
      [&] { give_up(id, Errc::timed_out); });
  why = grant->why;
  if (grant->error) return grant->error;
  holding = {id, grant->fence};
  return {};
}

void Member::give_back(const detail::Holding& holding) noexcept {
  loop_.visit([this, id = holding.request] { drop(id); });
}

}  // namespace hapax::client
