// What a member inside the program gives to objects that are no Mutex: each grant by itself, none
// of them kept.
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <utility>

#include "client/member.h"
#include "hapax/error.h"

namespace hapax::client {

namespace asio = boost::asio;

struct Member::Grant final : LocalAsker {
  Grant(std::string n, Want w) : name(std::move(n)), want(w) {}

  // On the member's thread.
  void on_granted(WaiterId id, Fence fence, bool) override {
    waiter = id;
    is_held = true;
    finish({}, fence);
  }
  void on_wanted(WaiterId) override {}
  void finish(std::error_code e, Fence fence = {}) {
    const std::lock_guard lock{mutex};
    error = e;
    result = fence;
    done = true;
    answered.notify_all();
  }

  const std::string name;
  const Want want;
  WaiterId waiter{};     // The member's thread's …
  bool is_held = false;  // … and this as well.
  std::mutex mutex;      // Guards what follows.
  std::condition_variable_any answered;
  bool done = false;
  std::error_code error;
  std::string why;
  Fence result;
};

// On the member's thread.
void Member::ask(std::uint64_t id, const std::shared_ptr<Grant>& grant) {
  grants_[id] = grant;
  const auto waiter = daemon_->acquire(grant->name, *grant, grant->want);
  if (waiter) {
    grant->waiter = *waiter;
    return;
  }
  grants_.erase(id);
  {
    const std::lock_guard lock{grant->mutex};
    grant->why = waiter.error().message;
  }
  grant->finish(Errc::refused);
}

// On the member's thread: it waits no longer, or gives back what it holds.
void Member::drop(std::uint64_t id, std::error_code why) {
  const auto at = grants_.find(id);
  if (at == grants_.end()) return;
  const std::shared_ptr<Grant> grant = at->second;
  grants_.erase(at);
  if (grant->is_held) return daemon_->release(grant->name, grant->waiter, grant->result.turn);
  daemon_->abandon(grant->name, grant->waiter);
  grant->finish(why);
}

void Member::drop_all() {
  while (!grants_.empty()) drop(grants_.begin()->first, Errc::lost);
}

std::error_code Member::acquire_as(const std::string& name, Want want, detail::Deadline deadline,
                                   const std::stop_token& cancel, detail::Holding& holding,
                                   std::string& why) {
  const auto grant = std::make_shared<Grant>(name, want);
  const std::uint64_t id = ++last_grant_;
  asio::post(io_, [this, id, grant] { ask(id, grant); });
  std::unique_lock lock{grant->mutex};
  const auto is_done = [&] { return grant->done; };
  if (!grant->answered.wait_until(lock, cancel, deadline, is_done)) {
    const std::error_code late = cancel.stop_requested() ? Errc::cancelled : Errc::timed_out;
    lock.unlock();
    // The member's thread has the last word: granted meanwhile, or given up.
    asio::post(io_, [this, id, grant, late] {
      if (!grant->is_held) drop(id, late);
    });
    lock.lock();
    grant->answered.wait(lock, is_done);
  }
  why = grant->why;
  if (grant->error) return grant->error;
  holding = {id, grant->result};
  return {};
}

void Member::give_back(const detail::Holding& holding) noexcept {
  asio::post(io_, [this, id = holding.request] { drop(id, Errc::lost); });
}

}  // namespace hapax::client
