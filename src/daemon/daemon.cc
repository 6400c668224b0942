#include "daemon/daemon.h"

#include <utility>

#include "daemon/daemon_impl.h"

namespace hapax {

Result<std::unique_ptr<Daemon>> Daemon::create(Loop& io, NodeConfig config, Log log) {
  if (const auto good = check(config); !good) return good.error();
  if (!log) log = [](const std::string&, LogLevel) {};
  auto impl = std::make_shared<Impl>(io, std::move(config), std::move(log));
  if (auto connected = impl->connect(); !connected) return connected.error();
  return std::unique_ptr<Daemon>{new Daemon{std::move(impl)}};
}

Daemon::Daemon(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Daemon::~Daemon() = default;
Result<void> Daemon::start() { return impl_->start(); }
void Daemon::run() { impl_->run(); }
void Daemon::wind_up() { impl_->wind_up(); }
void Daemon::stop() { impl_->stop(); }

WaiterId Daemon::next_waiter() { return impl_->waiters().next(); }
Result<void> Daemon::acquire(const std::string& name, WaiterId waiter, Asker& asker, Want want) {
  return impl_->waiters().acquire(name, waiter, asker, want);
}
void Daemon::release(const std::string& name, WaiterId waiter, Turn last) {
  impl_->waiters().release(name, waiter, last);
}
bool Daemon::abandon(const std::string& name, WaiterId waiter) {
  return impl_->waiters().abandon(name, waiter);
}

Result<WaiterId> Daemon::campaign(const std::string& name, const std::string& value, Asker& asker) {
  if (const auto good = Waiters::check_campaign(name, value); !good) return good.error();
  Waiters& waiters = impl_->waiters();
  const WaiterId waiter = waiters.next();
  waiters.campaign(name, value, waiter, asker);
  if (!waiters.is_waiting_or_inside(waiter)) return error("there is no room for {}", name);
  return waiter;
}
Campaigns& Daemon::campaigns() { return impl_->waiters().campaigns(); }

std::string Daemon::why_not(const std::string& name) const { return impl_->why_not(name); }

Result<void> Daemon::who(const std::string& name, std::function<void(session::Locks&&)> tell) {
  return impl_->inquiries().ask(nullptr, name, std::move(tell));
}
Result<void> Daemon::all_locks(std::function<void(session::Locks&&)> tell) {
  return impl_->inquiries().ask_for_all(std::move(tell));
}
Result<void> Daemon::record(const std::string& name, std::chrono::milliseconds duration,
                            std::function<void(const Result<session::Recording>&)> tell) {
  return impl_->recordings().record(name, duration, std::move(tell));
}
Result<void> Daemon::ask_how_all_are(std::function<void(session::State&&)> tell) {
  return impl_->inquiries().ask_how_all_are(nullptr,
                                            [this, tell = std::move(tell)](session::Reports&& all) {
                                              session::State state = impl_->state();
                                              state.all = std::move(all);
                                              tell(std::move(state));
                                            });
}
session::State Daemon::state() const { return impl_->state(); }
session::Stats Daemon::stats() const { return stats_of(impl_->facts()); }
std::optional<Facts> Daemon::facts() const {
  if (!impl_->has_started()) return std::nullopt;
  return impl_->facts();
}
std::string Daemon::obstacle() const { return impl_->obstacle(); }

Result<std::optional<std::chrono::system_clock::time_point>> Daemon::renew_certificate() {
  return impl_->renew_certificate();
}
void Daemon::set_roles(Roles roles) { impl_->set_roles(std::move(roles)); }
const Roles& Daemon::roles() const { return impl_->roles(); }
void Daemon::on_page(std::function<Result<std::string>(const Caller&)> then) {
  impl_->then_on_page = std::move(then);
}
void Daemon::on_left(std::function<void()> then) { impl_->then_on_left = std::move(then); }
void Daemon::on_leased(std::function<void(Instant)> then) {
  impl_->then_on_leased = std::move(then);
}
Epoch Daemon::epoch() const { return impl_->group().epoch(); }
bool Daemon::is_complete() const { return impl_->is_complete(); }
Result<void> Daemon::leave(std::chrono::milliseconds patience) { return impl_->leave(patience); }

}  // namespace hapax
