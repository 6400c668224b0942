#include "daemon/daemon_impl.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <utility>

#include "campaigns/peer_message.h"
#include "daemon/fixed_members.h"
#include "daemon/view_members.h"
#include "daemon/who.h"
#include "net/tls.h"

namespace hapax {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::steady_clock;

Daemon::Impl::Impl(asio::io_context& io, NodeConfig config, Log log)
    : io_(io), config_(std::move(config)), log_(std::move(log)) {}

// --- beginning and end ---

Result<void> Daemon::Impl::connect() {
  MemberHost& host = *this;
  auto members = config_.engine ? ViewMembers::create(io_, config_, host)
                                : FixedMembers::create(io_, config_, host);
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
  const Waiters::After in_a_while = [this](auto delay, auto then) {
    after(delay, std::move(then));
  };
  waiters_.emplace(config_.self, *members_, in_a_while);
  inquiries_.emplace(config_.self, inquiries_host());
  clients_.emplace(Clients::Host{*members_, *waiters_, *inquiries_, in_a_while,
                                 [this] { return state(); }, [this] { return stats_of(facts()); }});
  return clients_->listen(io_, config_.clients, tls_);
}

Inquiries::Host Daemon::Impl::inquiries_host() {
  return {.others = [this] { return members_->others(); },
          .send = [this](Seat to,
                         const PeerMessage& message) { members_->tell(to, payload_of(message)); },
          .is_up = [this](Seat peer) { return members_->is_up(peer); },
          .local_locks =
              [this](const std::string& name) {
                const LockTable* table = members_->table();
                return table == nullptr ? LockList{LockList::kOfMember}
                                        : locks_at_this_member(*table, *waiters_, name);
              },
          .after = [this](auto delay, auto then) { after(delay, std::move(then)); }};
}

void Daemon::Impl::stop() {
  if (std::exchange(is_stopped_, true)) return;
  for (const auto& timer : std::exchange(timers_, {})) timer->cancel();  // They count as work.
  if (inquiries_) inquiries_->clear();
  if (clients_) clients_->stop();
  members_->stop();
}

void Daemon::Impl::wind_up() {
  if (std::exchange(is_winding_up_, true)) return;
  clients_->wind_up();
  // With leases we leave the group, which says when it is done, unless the engine is away.
  ends_when_free_ = !members_->leave({}).has_value();
  after(ends_when_free_ ? kToWindUp : members_->ttl() + kToWindUp, [this] { on_left(); });
  if (!ends_when_free_) return;
  clients_->recall_all();
  end_if_nothing_is_held();
}

void Daemon::Impl::end_if_nothing_is_held() {
  const LockTable* table = members_->table();
  if (table == nullptr || table->stats().held > 0) return;
  asio::post(io_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_left();
  });
}

void Daemon::Impl::on_left() {
  if (is_stopped_) return;
  if (clients_) clients_->tell_left();
  if (then_on_left) then_on_left();
}

void Daemon::Impl::after(std::chrono::milliseconds delay, std::function<void()> then) {
  const auto timer = std::make_shared<asio::steady_timer>(io_, delay);
  timers_.insert(timer);
  timer->async_wait([self = weak_from_this(), then = std::move(then), timer](error_code) {
    const auto daemon = self.lock();
    if (!daemon || daemon->is_stopped_) return;
    daemon->timers_.erase(timer);
    then();
  });
}

void Daemon::Impl::log_once(const std::string& line) {
  if (logged_.size() < 1000 && logged_.insert(line).second) log_(line);
}

// --- the other members ---

void Daemon::Impl::on_leased(Instant until) {
  if (then_on_leased) then_on_leased(until);
}

void Daemon::Impl::on_met(Seat peer) {
  if (waiters_) waiters_->campaigns().watch().met(peer);
}

void Daemon::Impl::on_forgotten(Seat peer) {
  if (waiters_) waiters_->campaigns().watch().forgotten(peer);
}

void Daemon::Impl::on_settled() {
  if (waiters_) waiters_->settle();
  if (ends_when_free_) end_if_nothing_is_held();
}

void Daemon::Impl::on_message(Seat from, std::span<const std::uint8_t> bytes) {
  if (!waiters_) return;
  const auto message = peer_message_of(bytes);
  if (!message) {
    return log_once(fmt::format("member {}: a malformed message", number(from) + 1));
  }
  const bool is_sound = std::visit(
      [&](const auto& m) {
        if constexpr (requires { waiters_->campaigns().on(from, m); }) {
          return waiters_->campaigns().on(from, m);
        } else {
          return inquiries_->on(from, m);
        }
      },
      *message);
  if (!is_sound) log_once(fmt::format("member {}: a message out of bounds", number(from) + 1));
}

// --- for people ---

bool Daemon::Impl::is_complete() const {
  if (members_->table() == nullptr) return false;
  const auto lease = members_->lease_left();
  if (lease && lease->count() == 0) return false;
  const auto others = members_->others();
  return std::all_of(others.begin(), others.end(),
                     [this](Seat peer) { return members_->is_up(peer); });
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
          .clients = clients_ ? clients_->size() : 0,
          .complaints = members_->complaints(),
          .uptime = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() -
                                                                          started_)};
}

session::State Daemon::Impl::state() const {
  session::State state = state_of(facts());
  members_->describe(state);
  return state;
}

}  // namespace hapax
