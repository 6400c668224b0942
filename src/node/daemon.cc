#include "node/daemon.h"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "net/endpoint.h"
#include "net/mesh.h"
#include "node/askers.h"
#include "node/campaigns.h"
#include "node/desk.h"
#include "node/election_desk.h"
#include "node/gossip.h"
#include "node/inquiries.h"
#include "node/lock_name.h"
#include "node/lock_table.h"
#include "node/member_elections.h"
#include "node/report.h"
#include "node/visitor.h"

namespace hapax {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::steady_clock;

class Daemon::Impl : public std::enable_shared_from_this<Impl>, private ElectionDesk::Host {
 public:
  Impl(asio::io_context& io, NodeConfig config, Log log)
      : io_(io),
        config_(std::move(config)),
        log_(std::move(log)),
        table_(membership(), config_.policy, {.elects_coordinator = true}),
        elected_(membership(), config_.election),
        campaigns_(membership().size, config_.self, *this),
        askers_(config_.self),
        inquiries_(membership().size, config_.self,
                   {[this](NodeId to, const Gossip& gossip) { send(to, gossip); },
                    [this](NodeId peer) { return mesh_->is_up(peer); },
                    [this](const std::string& name) { return askers_.locks(table_, name); },
                    [this](auto delay, auto then) { after(delay, std::move(then)); }}),
        started_(steady_clock::now()) {}

  Result<void> connect() {
    net::MeshOptions options = mesh_options_of(config_);
    options.log = log_;
    net::MeshHandlers handlers;
    handlers.on_message = [this](NodeId from, std::span<const std::uint8_t> message) {
      on_message(from, message);
    };
    handlers.on_up = [this](NodeId peer) {
      log_(fmt::format("member {} is here", number(peer) + 1));
      elected_.reach.up(peer, out_);
      carry_out();
    };
    handlers.on_down = [this](NodeId peer, std::string_view why) {
      log_(fmt::format("member {} is away: {}", number(peer) + 1, why));
      elected_.reach.down(peer, out_);
      carry_out();
    };
    handlers.on_forgotten = [this](NodeId peer) {
      log_(
          fmt::format("member {} came back without its memory: locks that it took part in may "
                      "wait for ever; restart the group",
                      number(peer) + 1));
      elected_.coordination.forgotten(peer, out_);
      campaigns_.podium().forgotten(peer);
      carry_out();
    };
    auto mesh = net::Mesh::create(io_, std::move(options), std::move(handlers));
    if (!mesh) return mesh.error();
    mesh_ = std::move(*mesh);
    if (!config_.tls) return {};
    auto tls = net::make_tls_context(*config_.tls);
    if (!tls) return tls.error();
    tls_ = std::move(*tls);
    return {};
  }

  Result<void> start() {
    desk_ = std::make_unique<Desk>(io_, [this](Visitor::Socket socket, bool is_local) {
      receive(std::move(socket), is_local ? nullptr : tls_);
    });
    for (const net::Address& address : config_.clients) {
      if (auto opened = desk_->open(address); !opened) return opened.error();
    }
    return mesh_->start();
  }

  void stop() {
    is_stopped_ = true;
    for (const auto& timer : std::exchange(timers_, {})) timer->cancel();  // They count as work.
    if (desk_) desk_->close();
    inquiries_.clear();
    for (const auto& visitor : visitors_) forget_all(*visitor);
    for (const auto& visitor : std::exchange(visitors_, {})) visitor->close(true);
    mesh_->stop();
  }

  const LockTable& table() const { return table_; }
  bool is_up(NodeId peer) const { return peer == config_.self || mesh_->is_up(peer); }

  // --- this process itself ---

  WaiterId next_waiter() { return WaiterId{++last_waiter_}; }
  Result<void> acquire(const std::string& name, WaiterId waiter, LocalAsker& asker, Want want) {
    askers_.add(waiter, {nullptr, 0, &asker});
    if (const auto taken = table_.acquire(name, waiter, want, out_); !taken) {
      askers_.erase(waiter);
      return taken.error();
    }
    carry_out();
    return {};
  }
  void release(const std::string& name, WaiterId waiter, Turn last) {
    campaigns_.leave(waiter);
    askers_.erase(waiter);
    const auto released = table_.release_kept(name, waiter, last, out_);
    HAPAX_CHECK(released.has_value());
    carry_out();
  }
  bool abandon(const std::string& name, WaiterId waiter) {
    if (campaigns_.leads(waiter)) return false;
    if (!campaigns_.leave(waiter) && !table_.abandon(name, waiter, out_)) return false;
    askers_.erase(waiter);
    carry_out();
    return true;
  }

  Campaigns& campaigns() { return campaigns_; }
  Facts facts() const;
  session::State state() const;

  // --- elections of programs in this process ---

  Result<WaiterId> campaign(const std::string& name, const std::string& value, LocalAsker& asker) {
    if (const auto good = ElectionDesk::check(name, value); !good) return good.error();
    const WaiterId waiter = next_waiter();
    askers_.add(waiter, {nullptr, 0, &asker});
    campaigns_.enter(waiter, name, value);
    if (askers_.find(waiter) == nullptr) return error("there is no room for {}", name);
    carry_out();
    return waiter;
  }
  Inquiries& inquiries() { return inquiries_; }

 private:
  struct LocalGrant {
    LocalAsker* asker;
    WaiterId waiter;
    Fence fence;
    bool may_keep;
  };

  static constexpr std::size_t kMostVisitors = 4096;
  static constexpr std::size_t kMostStrangers = 256;  // Who have not introduced themselves yet.

  // --- clients ---

  void receive(Visitor::Socket socket, std::shared_ptr<asio::ssl::context> tls) {
    if (visitors_.size() >= kMostVisitors) return;  // Closing it is an answer, too.
    Visitor::Handlers handlers;
    handlers.on_ask = [this](Visitor& v, session::Ask&& ask) { on_ask(v, std::move(ask)); };
    handlers.on_gone = [this](Visitor& v, const std::string& why) { on_gone(v, why); };
    const auto visitor =
        std::make_shared<Visitor>(std::move(socket), std::move(tls), std::move(handlers));
    visitors_.insert(visitor);
    strangers_.push_back(visitor);
    if (strangers_.size() > kMostStrangers) send_strangers_away();
    visitor->start();
  }

  // The oldest go first: who means it has introduced itself by now.
  void send_strangers_away() {
    std::erase_if(strangers_, [](const std::weak_ptr<Visitor>& weak) {
      const auto visitor = weak.lock();
      return !visitor || visitor->has_introduced_itself();
    });
    while (strangers_.size() > kMostStrangers) {
      const auto oldest = strangers_.front().lock();
      strangers_.pop_front();
      if (oldest) oldest->close(false);
    }
  }

  void on_ask(Visitor& visitor, session::Ask&& ask) {
    std::visit([&](auto&& a) { on(visitor, std::move(a)); }, std::move(ask));
    carry_out();
  }

  void on(Visitor& visitor, session::Hello&& hello) {
    if (hello.version != session::kVersion) {
      visitor.tell(session::Refused{0, fmt::format("this daemon speaks version {} of the protocol, "
                                                   "the client {}: use the same hapax for both",
                                                   session::kVersion, hello.version)});
      return visitor.close(true);
    }
    visitor.introduce(hello);
    visitor.tell(session::Welcome{session::kVersion, number(config_.self),
                                  static_cast<std::uint32_t>(config_.members.size()),
                                  config_.epoch});
  }

  std::optional<WaiterId> admit(Visitor& visitor, session::RequestId request,
                                const std::string& name) override {
    if (visitor.requests.contains(request) || request == 0) {
      refuse(visitor, request, "that request is in use");
      return std::nullopt;
    }
    if (visitor.requests.size() >= Visitor::kMostRequests) {
      refuse(visitor, request, "too many requests of one client");
      return std::nullopt;
    }
    const WaiterId waiter = next_waiter();
    visitor.requests[request] = {waiter, name, false, {}, steady_clock::now()};
    askers_.add(waiter, {&visitor, request, nullptr});
    return waiter;
  }

  void on(Visitor& visitor, session::Acquire&& a) {
    // Before acquiring, which may grant at once.
    const auto waiter = admit(visitor, a.request, a.name);
    if (!waiter) return;
    visitor.requests[a.request].want = a.want;
    if (const auto taken = table_.acquire(a.name, *waiter, a.want, out_); !taken) {
      visitor.requests.erase(a.request);
      askers_.erase(*waiter);
      refuse(visitor, a.request, taken.error().message);
    }
  }

  void on(Visitor& visitor, session::Cancel&& c) {
    const auto at = visitor.requests.find(c.request);
    elections_.end_observation(visitor, c.request);
    if (at == visitor.requests.end()) return visitor.tell(session::Ended{c.request});
    if (at->second.held) return;  // The grant is on its way: that is the answer.
    forget(visitor, at);
    visitor.tell(session::Ended{c.request});
  }

  void on(Visitor& visitor, session::Release&& r) {
    const auto at = visitor.requests.find(r.request);
    if (at == visitor.requests.end() || !at->second.held) {
      return refuse(visitor, r.request, "it is not held");
    }
    forget(visitor, at);
  }

  void on(Visitor& visitor, session::Who&& w);
  void on(Visitor& visitor, session::Campaign&& c) { elections_.on(visitor, std::move(c)); }
  void on(Visitor& visitor, session::HandOver&& h) { elections_.on(visitor, std::move(h)); }
  void on(Visitor& visitor, session::AskResign&& a) { elections_.on(visitor, std::move(a)); }
  void on(Visitor& visitor, session::Observe&& o) { elections_.on(visitor, std::move(o)); }
  void on(Visitor& visitor, session::AskStats&& s) {
    session::Stats answer = stats_of(facts());
    answer.request = s.request;
    visitor.tell(answer);
  }

  void on(Visitor& visitor, session::AskState&& s) {
    session::State answer = state();
    answer.request = s.request;
    visitor.tell(answer);
  }

  void on(Visitor& visitor, session::Ping&& p) { visitor.tell(session::Pong{p.request}); }

  void refuse(Visitor& visitor, session::RequestId request, std::string why) override {
    visitor.tell(session::Refused{request, std::move(why)});
  }

  // Gives back what the request holds, or ends its wait.
  void forget(Visitor& visitor, std::map<session::RequestId, Visitor::Request>::iterator at) {
    const Visitor::Request request = std::move(at->second);
    visitor.requests.erase(at);
    const bool stands_aside = campaigns_.leave(request.waiter);
    askers_.erase(request.waiter);
    if (stands_aside) return;
    const auto done = request.held ? table_.release(request.name, request.waiter, out_)
                                   : table_.abandon(request.name, request.waiter, out_);
    HAPAX_CHECK(done.has_value());
  }

  // Its waits end first: one of them might be served by what it gives back.
  void forget_all(Visitor& visitor) {
    std::vector<session::RequestId> waits;
    for (const auto& [request, state] : visitor.requests) {
      if (!state.held) waits.push_back(request);
    }
    for (const session::RequestId request : waits) give_back(visitor, request);
    while (!visitor.requests.empty()) forget(visitor, visitor.requests.begin());
    carry_out();
  }

  // The process is gone, or as good as: on this machine a closed socket says so.
  void on_gone(Visitor& visitor, const std::string&) {
    inquiries_.forget(visitor);
    elections_.forget(visitor);
    forget_all(visitor);
    visitors_.erase(visitor.shared_from_this());
  }

  // --- members ---

  void on_message(NodeId from, std::span<const std::uint8_t> message) {
    if (is_gossip(message)) {
      on_gossip(from, message);
    } else if (is_election(message)) {
      elected_.receive(from, message, out_);
    } else {
      table_.receive(from, message, out_);
    }
    carry_out();
  }
  void on_gossip(NodeId from, std::span<const std::uint8_t> message);

  void carry_out() {
    settle_coordinator(elected_.coordination, table_, out_);
    // Together, and at once: nothing is to be waited for.
    std::optional<net::Mesh::Turn> turn;
    if (!out_.sends().empty()) turn.emplace(*mesh_);
    for (const Outbox::Send& send : out_.sends()) {
      if (!mesh_->send(send.to, out_.bytes(send))) {
        log_once(
            fmt::format("member {} has left too much unacknowledged: its link is no longer "
                        "reliable; restart the group",
                        number(send.to) + 1));
      }
    }
    turn.reset();
    for (const Outbox::Grant& grant : out_.grants()) {
      if (!campaigns_.empty()) new_leaders_.emplace_back(grant.waiter, grant.fence);
      const Asker& asker = askers_.at(grant.waiter);
      if (asker.local != nullptr) {
        local_grants_.push_back(
            {asker.local, grant.waiter, grant.fence, table_.may_keep(out_.name(grant))});
        continue;
      }
      Visitor::Request& request = asker.visitor->requests.at(asker.request);
      request.held = true;
      request.fence = grant.fence;
      request.since = steady_clock::now();
      asker.visitor->tell(session::Granted{asker.request, grant.fence});
    }
    for (const Outbox::Complaint& complaint : out_.complaints()) {
      ++complaints_;
      log_once(fmt::format("member {}: {}: {}", number(complaint.peer) + 1, name_of(complaint.kind),
                           complaint.text));
    }
    for (const Outbox::Wanted& wanted : out_.wanted()) {
      const Asker* asker = askers_.find(wanted.waiter);
      if (asker != nullptr && asker->local != nullptr) local_wanted_.push_back(wanted.waiter);
    }
    out_.clear();
    tell_locals();
    if (!new_leaders_.empty()) tell_of_leaders();
  }
  void tell_of_leaders() {
    for (const auto& [waiter, fence] : std::exchange(new_leaders_, {})) {
      campaigns_.granted(waiter, fence);
    }
    carry_out();  // Those who had stepped aside for it queue again.
  }

  // Last, since they may act on it at once.
  void tell_locals() {
    if (telling_) return;
    telling_ = true;
    while (!local_grants_.empty() || !local_wanted_.empty()) {
      for (const LocalGrant& grant : std::exchange(local_grants_, {})) {
        grant.asker->on_granted(grant.waiter, grant.fence, grant.may_keep);
      }
      for (const WaiterId waiter : std::exchange(local_wanted_, {})) {
        if (const Asker* asker = askers_.find(waiter)) asker->local->on_wanted(waiter);
      }
    }
    telling_ = false;
  }

  void log_once(std::string line) {
    if (logged_.size() < 1000 && logged_.insert(line).second) log_(line);
  }

  // --- what campaigns need ---

  void send(NodeId to, const Gossip& gossip) override {
    (void)mesh_->send(to, gossip_payload(gossip));
  }
  bool is_here(const std::shared_ptr<Visitor>& visitor) const override {
    return visitors_.contains(visitor);
  }
  void give_back(Visitor& visitor, session::RequestId request) override {
    const auto at = visitor.requests.find(request);
    if (at != visitor.requests.end()) forget(visitor, at);
  }
  bool is_reached(NodeId peer) const override { return is_up(peer); }
  void enqueue(const std::string& name, WaiterId waiter) override;
  bool withdraw(const std::string& name, WaiterId waiter) override {
    return table_.abandon(name, waiter, out_).has_value();
  }
  session::Person describe(WaiterId waiter) const override { return askers_.person(waiter); }
  void ask_to_resign(WaiterId leader, const std::string& to) override;
  void after(std::chrono::milliseconds delay, std::function<void()> then) override;

  Membership membership() const {
    return {config_.epoch, static_cast<std::uint32_t>(config_.members.size()), config_.self};
  }

  asio::io_context& io_;
  NodeConfig config_;
  Log log_;
  LockTable table_;
  MemberElections elected_;
  Campaigns campaigns_;
  ElectionDesk elections_{campaigns_, *this};
  Outbox out_;
  std::unique_ptr<net::Mesh> mesh_;
  std::unique_ptr<Desk> desk_;
  std::shared_ptr<asio::ssl::context> tls_;  // For clients on other machines; may be null.
  std::set<std::shared_ptr<Visitor>> visitors_;
  std::deque<std::weak_ptr<Visitor>> strangers_;  // Perhaps: some may be none any more.
  Askers askers_;
  Inquiries inquiries_;
  std::vector<std::pair<WaiterId, Fence>> new_leaders_;  // Granted, and not yet told of.
  std::vector<LocalGrant> local_grants_;
  std::vector<WaiterId> local_wanted_;
  bool telling_ = false;
  bool is_stopped_ = false;
  std::set<std::shared_ptr<asio::steady_timer>> timers_;
  std::uint64_t last_waiter_ = 0;
  std::uint64_t complaints_ = 0;
  std::set<std::string> logged_;
  steady_clock::time_point started_;
};

void Daemon::Impl::on(Visitor& visitor, session::Who&& asked) {
  const auto tell = [&visitor, request = asked.request](session::Locks&& locks) {
    locks.request = request;
    visitor.tell(locks);
  };
  if (const auto done = inquiries_.ask(&visitor, asked.name, tell); !done) {
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
        if constexpr (requires { campaigns_.on(from, m); }) {
          return campaigns_.on(from, m);
        } else {
          inquiries_.on(from, m);
          return true;
        }
      },
      *gossip);
  if (!is_sound) log_once(fmt::format("member {}: gossip out of bounds", number(from) + 1));
}

// --- elections of programs ---

void Daemon::Impl::enqueue(const std::string& name, WaiterId waiter) {
  const auto taken = table_.acquire(name, waiter, out_);
  if (taken) return;
  const Asker asker = askers_.at(waiter);
  campaigns_.leave(waiter);
  askers_.erase(waiter);
  if (asker.local != nullptr) return asker.local->on_refused();
  asker.visitor->requests.erase(asker.request);
  refuse(*asker.visitor, asker.request, taken.error().message);
}

void Daemon::Impl::ask_to_resign(WaiterId leader, const std::string& to) {
  const Asker& asker = askers_.at(leader);
  if (asker.local != nullptr) return asker.local->on_asked_to_resign(to);
  asker.visitor->tell(session::StepDown{asker.request, to});
}

Facts Daemon::Impl::facts() const {
  return {.config = config_,
          .locks = table_.stats(),
          .links = mesh_->stats(),
          .coordinator = table_.coordinator(),
          .leader = elected_.reach.leader(),
          .term = elected_.reach.term(),
          .clients = visitors_.size(),
          .complaints = complaints_,
          .uptime = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() -
                                                                          started_)};
}

session::State Daemon::Impl::state() const {
  session::State state = state_of(facts());
  for (std::uint32_t i = 0; i < config_.members.size(); ++i) {
    state.up.push_back(is_up(NodeId{i}) ? 1 : 0);
  }
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
bool Daemon::is_up(NodeId peer) const { return impl_->is_up(peer); }
std::string Daemon::metrics() const { return metrics_of(impl_->facts()); }

}  // namespace hapax
