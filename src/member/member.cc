#include "member/member.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "client/answers.h"
#include "hapax/error.h"
#include "loop/loop.h"
#include "member/local_lock.h"

namespace hapax::client {
// A thread waits.
class Member::Awaited final : public Waiting {
 public:
  explicit Awaited(SharedLoop& loop) : loop_(loop) {}
  void answer(std::error_code e, const detail::Holding& h) override {
    error = e;
    holding = h;
    loop_.wake(thread);
  }

  SharedLoop::Waiter thread;
  std::error_code error;
  detail::Holding holding;

 private:
  SharedLoop& loop_;
};

// Gives up a request if it is still open, a moment later: the caller may hold locks.
struct Member::Canceller {
  std::shared_ptr<LocalLock> lock;
  WaiterId waiter;
  void operator()() const;
};

// Nobody waits.
class Member::Later final : public Waiting {
 public:
  Later(std::shared_ptr<LocalLock> lock, std::stop_token token, detail::Completion& completion)
      : lock_(std::move(lock)), token_(std::move(token)), completion_(completion) {}
  // It owns itself from here on, until it is answered.
  static void ask(std::unique_ptr<Later> later);
  void answer(std::error_code error, const detail::Holding& holding) override;

 private:
  const std::shared_ptr<LocalLock> lock_;
  const std::stop_token token_;
  detail::Completion& completion_;
  std::optional<std::stop_callback<Canceller>> cancel_;
};

void Member::Canceller::operator()() const {
  lock->member().loop_.post([l = lock, w = waiter] { l->give_up(w, Errc::cancelled); });
}

void Member::Later::ask(std::unique_ptr<Later> later) {
  Later& self = *later.release();
  self.known_as = self.lock_->member().daemon_->next_waiter();
  if (self.token_.stop_possible()) {
    self.cancel_.emplace(self.token_, Canceller{self.lock_, self.known_as});
  }
  self.lock_->ask(self);
}

void Member::Later::answer(std::error_code error, const detail::Holding& holding) {
  std::unique_ptr<Later> self{this};
  if (!error && !lock_->member().lease_.covers(holding.term)) {
    // The lease was over before it could be told.
    lock_->leave(holding.request);
    return ask(std::move(self));
  }
  cancel_.reset();
  completion_.on_answer(error, holding);
}

Member::Member(NodeConfig config)
    : can_lose_(config.engine.has_value()),
      ttl_(config.times.ttl),
      lease_(config.engine.has_value()) {
  const bool has_engine = config.engine.has_value();
  auto daemon = Daemon::create(loop_.loop(), std::move(config), {});
  if (!daemon) throw std::system_error{make_error_code(Errc::refused), daemon.error().message};
  daemon_ = std::move(*daemon);
  daemon_->on_leased([this](Instant until) { lease_.renew(until); });
  daemon_->on_left([this] { on_left(); });
  if (const auto started = daemon_->start(); !started) {
    throw std::system_error{make_error_code(has_engine ? Errc::unreachable : Errc::refused),
                            started.error().message};
  }
  loop_.start();
}

// Every Mutex and the like keeps its member alive, so nobody waits here any more; but what they
// gave back last may still be on its way here.
Member::~Member() {
  loop_.visit([this] {
    for (const auto& [name, lock] : locks_) lock->close();
    while (!grants_.empty()) drop(grants_.begin()->first);
  });
  // So that the others need not wait for our lease to be over; in a fixed list, so that our next
  // life need not wait. They wait no longer than that if we cannot.
  std::string ignored;
  (void)leave_until(std::chrono::steady_clock::now() + ttl_, std::nullopt, ignored);
  loop_.visit([this] { daemon_->stop(); });
  loop_.finish();
}

std::shared_ptr<detail::LockHandle> Member::handle(const std::string& name) {
  const std::lock_guard lock{mutex_};
  std::shared_ptr<LocalLock>& local = locks_[name];
  if (!local) local = std::make_shared<LocalLock>(*this, name);
  return local;
}

bool Member::enter_again(detail::LockHandle* handle, detail::Holding& holding) noexcept {
  return static_cast<LocalLock&>(*handle).enter_again(holding);
}

std::error_code Member::acquire(const std::string& name, detail::LockHandle* handle,
                                detail::Deadline deadline, const std::stop_token& cancel,
                                detail::Holding& holding) {
  if (const auto error = SharedLoop::would_deadlock()) return error;
  auto& lock = static_cast<LocalLock&>(*handle);
  for (;;) {
    Awaited waiting{loop_};
    std::optional<std::stop_callback<Canceller>> canceller;
    loop_.await(
        waiting.thread, deadline,
        [&] {
          waiting.known_as = daemon_->next_waiter();
          if (cancel.stop_possible()) {
            canceller.emplace(cancel, Canceller{lock.shared_from_this(), waiting.known_as});
          }
          lock.ask(waiting);
        },
        [&] { lock.give_up(waiting.known_as, not_in_time(name)); });
    if (waiting.error) return waiting.error;
    if (lease_.covers(waiting.holding.term)) {
      holding = waiting.holding;
      return {};
    }
    lock.leave(waiting.holding.request);  // The lease was over before we heard of it: once more.
  }
}

void Member::acquire_later(const std::string&, detail::LockHandle* handle,
                           const std::stop_token& cancel, detail::Completion& completion) {
  auto& lock = static_cast<LocalLock&>(*handle);
  loop_.visit([this, &lock, &completion, cancel] {
    detail::Holding holding;
    if (lock.enter_again(holding)) {
      // Not from here: one that asks again as soon as it is answered would never finish.
      return loop_.loop().post([&completion, holding] { completion.on_answer({}, holding); });
    }
    Later::ask(std::make_unique<Later>(lock.shared_from_this(), cancel, completion));
  });
}

void Member::release(detail::LockHandle* handle, const detail::Holding& holding) noexcept {
  static_cast<LocalLock&>(*handle).leave(holding.request);
}

std::chrono::milliseconds Member::valid_for() const {
  using std::chrono::milliseconds;
  if (!lease_.runs_out()) return milliseconds::max();
  return std::chrono::duration_cast<milliseconds>(lease_.left());
}

std::error_code Member::who(std::string_view name, std::vector<LockInfo>& locks,
                            detail::LeftOut& left_out) {
  std::optional<session::Locks> told;
  const auto error = ask_daemon(told, [&](auto tell) {
    const auto asked =
        daemon_->who(std::string{name}, [tell](session::Locks&& all) { tell(std::move(all)); });
    if (!asked) tell(std::nullopt);
  });
  if (error) return error;
  if (!told) return Errc::refused;
  locks = locks_of(std::move(told->locks));
  left_out = {counted_from_one(std::move(told->silent)), told->more_locks};
  return {};
}

std::error_code Member::status(bool all, GroupStatus& status) {
  if (const auto error = SharedLoop::would_deadlock()) return error;
  if (all) {
    std::optional<session::State> told;
    const auto error = ask_daemon(told, [&](auto tell) {
      const auto asked =
          daemon_->ask_how_all_are([tell](session::State&& state) { tell(std::move(state)); });
      if (!asked) tell(std::nullopt);
    });
    if (error) return error;
    if (!told) return Errc::refused;
    status = status_of(std::move(*told));
    return {};
  }
  loop_.visit([&] { status = status_of(daemon_->state()); });
  return {};
}

std::error_code Member::stats(MemberStats& stats) {
  if (const auto error = SharedLoop::would_deadlock()) return error;
  loop_.visit([&] { stats = stats_of(daemon_->stats()); });
  return {};
}

bool Member::is_complete() {
  HAPAX_CHECK(!SharedLoop::would_deadlock());
  bool all = false;
  loop_.visit([&] { all = daemon_->is_complete(); });
  return all;
}

// --- leaving ---

// Of what a daemon can be asked for, a program asks its own member only to leave.
std::error_code Member::administer(session::Ask asked, std::chrono::milliseconds patience,
                                   std::string& told) {
  const auto* leave = std::get_if<session::Leave>(&asked);
  if (leave == nullptr) return Errc::refused;
  return leave_until(std::chrono::steady_clock::now() + patience,
                     std::chrono::milliseconds{leave->patience_ms}, told);
}

std::error_code Member::leave_until(detail::Deadline deadline,
                                    std::optional<std::chrono::milliseconds> patience,
                                    std::string& why) {
  if (const auto error = SharedLoop::would_deadlock()) return error;
  SharedLoop::Waiter waiter;
  std::error_code error;
  loop_.await(
      waiter, deadline,
      [&] {
        if (has_left_) return loop_.wake(waiter);
        leavers_.push_back(&waiter);
        if (std::exchange(is_leaving_, true)) return;
        for (const auto& lock : all_locks()) lock->stop_keeping();
        if (!patience) return daemon_->wind_up();
        if (const auto going = daemon_->leave(*patience); !going) {
          is_leaving_ = false;
          why = going.error().message;
          error = Errc::refused;
          leavers_.pop_back();
          loop_.wake(waiter);
        }
      },
      [&] {
        error = Errc::timed_out;
        std::erase(leavers_, &waiter);
        loop_.wake(waiter);
      });
  return error;
}

void Member::on_left() {
  has_left_ = true;
  for (const auto& lock : all_locks()) lock->give_all_up();
  give_up_all();
  for (SharedLoop::Waiter* waiter : std::exchange(leavers_, {})) loop_.wake(*waiter);
  loop_.loop().post([this] { daemon_->stop(); });  // Not from within what has called us.
}

std::vector<std::shared_ptr<Member::LocalLock>> Member::all_locks() {
  const std::lock_guard lock{mutex_};
  std::vector<std::shared_ptr<LocalLock>> all;
  for (const auto& [name, local] : locks_) all.push_back(local);
  return all;
}

}  // namespace hapax::client
