#include "daemon/daemon.h"

#include <fmt/format.h>
#include <utility>

#include "daemon/daemon_impl.h"
#include "daemon/fixed_members.h"
#include "daemon/report.h"
#include "daemon/view_members.h"

namespace hapax {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::steady_clock;

Result<void> Daemon::Impl::connect() {
  auto members = config_.engine ? ViewMembers::create(io_, config_, handlers())
                                : FixedMembers::create(io_, config_, handlers());
  if (!members) return members.error();
  members_ = std::move(*members);
  if (!config_.tls) return {};
  auto tls = net::make_tls_context(*config_.tls);
  if (!tls) return tls.error();
  tls_ = std::move(*tls);
  return {};
}

Result<void> Daemon::Impl::start() {
  if (auto started = members_->start(); !started) return started.error();
  config_.self = members_->self();
  ElectionDesk::Host& host = *this;
  campaigns_.emplace(config_.self, host);
  elections_.emplace(*campaigns_, host);
  askers_.emplace(config_.self);
  inquiries_.emplace(
      config_.self,
      Inquiries::Ways{[this] { return members_->others(); },
                      [this](NodeId to, const Gossip& gossip) { send(to, gossip); },
                      [this](NodeId peer) { return members_->is_up(peer); },
                      [this](const std::string& name) { return local_locks(name); },
                      [this](auto delay, auto then) { after(delay, std::move(then)); }});
  desk_ = std::make_unique<Desk>(io_, [this](Visitor::Socket socket, bool is_local) {
    receive(std::move(socket), is_local ? nullptr : tls_);
  });
  for (const net::Address& address : config_.clients) {
    if (auto opened = desk_->open(address); !opened) return opened.error();
  }
  return {};
}

void Daemon::Impl::stop() {
  if (std::exchange(is_stopped_, true)) return;
  for (const auto& timer : std::exchange(timers_, {})) timer->cancel();  // They count as work.
  if (desk_) desk_->close();
  if (inquiries_) inquiries_->clear();
  const auto visitors = visitors_.all();
  visitors_.clear();
  for (const auto& visitor : visitors) visitor->close(true);
  members_->stop();
}

void Daemon::Impl::wind_up() {
  if (std::exchange(is_winding_up_, true)) return;
  desk_->close();
  for (const auto& visitor : visitors_.all()) {
    forget_waits(*visitor);
    if (visitor->requests.empty()) visitor->close(true);
  }
  // With leases we leave the group, which says when it is done, unless the engine is away.
  ends_when_free_ = !members_->leave({}).has_value();
  after(ends_when_free_ ? kToWindUp : members_->ttl() + kToWindUp, [this] { on_left(); });
  if (ends_when_free_) {
    for (const auto& visitor : visitors_.all()) {
      for (const auto& [request, state] : visitor->requests) on_recalled(state.waiter);
    }
  }
  carry_out();
}

void Daemon::Impl::on(Visitor& visitor, session::Who&& asked) {
  const auto tell = [&visitor, request = asked.request](session::Locks&& locks) {
    locks.request = request;
    visitor.tell(locks);
  };
  if (const auto done = inquiries_->ask(&visitor, asked.name, tell); !done) {
    refuse(visitor, asked.request, done.error().message);
  }
}

void Daemon::Impl::after(std::chrono::milliseconds delay, std::function<void()> then) {
  const auto timer = std::make_shared<asio::steady_timer>(io_, delay);
  timers_.insert(timer);
  timer->async_wait([self = weak_from_this(), then = std::move(then), timer](error_code) {
    const auto daemon = self.lock();
    if (!daemon || daemon->is_stopped_) return;
    daemon->timers_.erase(timer);
    then();
    daemon->carry_out();
  });
}

void Daemon::Impl::on_gossip(NodeId from, std::span<const std::uint8_t> message) {
  const auto gossip = gossip_of(message);
  if (!gossip) {
    log_once(fmt::format("member {}: malformed gossip", number(from) + 1));
    return;
  }
  const bool is_sound = std::visit(
      [&](const auto& m) {
        if constexpr (requires { campaigns_->on(from, m); }) {
          return campaigns_->on(from, m);
        } else {
          return inquiries_->on(from, m);
        }
      },
      *gossip);
  if (!is_sound) log_once(fmt::format("member {}: gossip out of bounds", number(from) + 1));
}

// --- elections of programs ---

void Daemon::Impl::enqueue(const std::string& name, WaiterId waiter) {
  const auto taken = members_->acquire(name, waiter, Want::exclusive);
  if (taken) return;
  const Asker asker = askers_->at(waiter);
  campaigns_->leave(waiter);
  askers_->erase(waiter);
  if (asker.local != nullptr) return asker.local->on_refused();
  asker.visitor->requests.erase(asker.request);
  refuse(*asker.visitor, asker.request, taken.error().message);
}

void Daemon::Impl::ask_to_resign(WaiterId leader, const std::string& to) {
  const Asker& asker = askers_->at(leader);
  if (asker.local != nullptr) return asker.local->on_asked_to_resign(to);
  asker.visitor->tell(session::StepDown{asker.request, to});
}

Facts Daemon::Impl::facts() const {
  static const LockStats kNoLocks;
  const LockTable* table = members_->table();
  return {.config = config_,
          .epoch = members_->epoch(),
          .locks = table != nullptr ? table->stats() : kNoLocks,
          .links = members_->links(),
          .coordinator = members_->coordinator(),
          .leader = members_->leader(),
          .term = members_->term(),
          .clients = visitors_.size(),
          .complaints = members_->complaints(),
          .uptime = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() -
                                                                          started_)};
}

session::State Daemon::Impl::state() const {
  session::State state = state_of(facts());
  members_->describe(state);
  return state;
}

Result<std::unique_ptr<Daemon>> Daemon::create(asio::io_context& io, NodeConfig config, Log log) {
  if (const auto good = check(config); !good) return good.error();
  if (!log) log = [](const std::string&) {};
  auto impl = std::make_shared<Impl>(io, std::move(config), std::move(log));
  if (auto connected = impl->connect(); !connected) return connected.error();
  return std::unique_ptr<Daemon>{new Daemon{std::move(impl)}};
}

Daemon::Daemon(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Daemon::~Daemon() = default;
Result<void> Daemon::start() { return impl_->start(); }
void Daemon::wind_up() { impl_->wind_up(); }
void Daemon::stop() { impl_->stop(); }
WaiterId Daemon::next_waiter() { return impl_->next_waiter(); }
Result<void> Daemon::acquire(const std::string& name, WaiterId waiter, LocalAsker& asker,
                             Want want) {
  return impl_->acquire(name, waiter, asker, want);
}
void Daemon::release(const std::string& name, WaiterId waiter, Turn last) {
  impl_->release(name, waiter, last);
}
bool Daemon::abandon(const std::string& name, WaiterId waiter) {
  return impl_->abandon(name, waiter);
}
Result<WaiterId> Daemon::campaign(const std::string& name, const std::string& value,
                                  LocalAsker& asker) {
  return impl_->campaign(name, value, asker);
}
Result<void> Daemon::who(const std::string& name, std::function<void(session::Locks&&)> tell) {
  return impl_->inquiries().ask(nullptr, name, std::move(tell));
}
Campaigns& Daemon::campaigns() { return impl_->campaigns(); }
session::State Daemon::state() const { return impl_->state(); }
session::Stats Daemon::stats() const { return stats_of(impl_->facts()); }
void Daemon::on_left(std::function<void()> then) { impl_->on_left(std::move(then)); }
void Daemon::on_leased(std::function<void(Instant)> then) { impl_->on_leased(std::move(then)); }
Epoch Daemon::epoch() const { return impl_->epoch(); }
bool Daemon::is_complete() const { return impl_->is_complete(); }
Result<void> Daemon::leave(std::chrono::milliseconds patience) { return impl_->leave(patience); }
std::string Daemon::metrics() const { return metrics_of(impl_->facts()); }

}  // namespace hapax
