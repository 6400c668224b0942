#include "direct/keeper.h"

#include <algorithm>
#include <utility>

#include "base/boot_clock.h"

namespace hapax::direct {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAgain{100};
constexpr int kRenewalsOfALease = 5;
constexpr int kMarginsOfALease = 10;

}  // namespace

Keeper::Keeper(Loop& io, Server& server, milliseconds ttl, SessionUser& user)
    : server_(server), user_(user), wanted_ttl_(ttl), next_(io), end_(io), ttl_ms_(ttl.count()) {}

milliseconds Keeper::valid_for() const {
  const auto left = Nanoseconds{good_until_.load()} - boot_clock_now();
  return std::max(milliseconds{0}, std::chrono::floor<milliseconds>(left));
}

void Keeper::after(Nanoseconds pause, void (Keeper::*step)()) {
  next_.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause));
  next_.async_wait([this, step](auto cancelled) {
    if (!cancelled && !is_closed_) (this->*step)();
  });
}

void Keeper::open() {
  const Nanoseconds sent = boot_clock_now();
  server_.open_session(wanted_ttl_, [this, sent, step = ++step_](const Outcome<Session>& opened) {
    if (step != step_ || is_closed_) return;
    if (!opened) {
      if (opened.error().kind == Trouble::Kind::refused) user_.on_refused(opened.error().why);
      return after(kAgain, &Keeper::open);
    }
    session_ = *opened;
    is_good_from(sent, opened->ttl);
    after(opened->ttl / kRenewalsOfALease, &Keeper::renew);
    user_.on_open();
  });
}

void Keeper::renew() {
  const Nanoseconds sent = boot_clock_now();
  server_.renew(session_, [this, sent, step = ++step_](const Outcome<Session>& renewed) {
    if (step != step_ || is_closed_) return;
    if (!renewed && renewed.error().kind == Trouble::Kind::over) return is_over(session_.id);
    if (!renewed) return after(kAgain, &Keeper::renew);
    is_good_from(sent, renewed->ttl);
    after(renewed->ttl / kRenewalsOfALease, &Keeper::renew);
    user_.on_renewed();
  });
}

void Keeper::is_good_from(Nanoseconds sent, milliseconds ttl) {
  session_.ttl = ttl;
  ttl_ms_ = ttl.count();
  const Nanoseconds until = sent + ttl - ttl / kMarginsOfALease;
  if (until.count() > good_until_.load()) good_until_ = until.count();
  doubt_at_end();
}

void Keeper::doubt_at_end() {
  // The machine may have slept, while that clock stood still: looked at again when it is time.
  end_.expires_after(valid_for() + milliseconds{1});
  end_.async_wait([this](auto cancelled) {
    if (cancelled || !is_open()) return;
    if (valid_for() > milliseconds{0}) return doubt_at_end();
    user_.on_doubt();
  });
}

void Keeper::is_over(std::uint64_t id) {
  if (!is_open() || session_.id != id || is_closed_) return;
  session_ = {};
  good_until_ = 0;
  end_.cancel();
  ++step_;
  user_.on_over();
  after(Nanoseconds{0}, &Keeper::open);
}

void Keeper::close(std::function<void()> then) {
  is_closed_ = true;
  next_.cancel();
  end_.cancel();
  good_until_ = 0;
  if (!is_open()) return then();
  server_.close_session(std::exchange(session_, {}), std::move(then));
}

}  // namespace hapax::direct
