#include "node/daemon.h"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <fmt/format.h>
#include <set>
#include <unistd.h>
#include <utility>

#include "net/endpoint.h"
#include "net/mesh.h"
#include "node/desk.h"
#include "node/gossip.h"
#include "node/inquiry.h"
#include "node/lock_table.h"
#include "node/visitor.h"

namespace hapax {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::steady_clock;

class Daemon::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& io, NodeConfig config, Log log)
      : io_(io),
        config_(std::move(config)),
        log_(std::move(log)),
        table_(Membership{config_.epoch, static_cast<std::uint32_t>(config_.members.size()),
                          config_.self},
               config_.policy),
        started_(steady_clock::now()) {}

  Result<void> connect() {
    net::MeshOptions options;
    options.self = config_.self;
    options.members = config_.members;
    options.listen = config_.listen;
    options.group = config_.group;
    options.epoch = config_.epoch;
    options.tls = config_.tls;
    options.log = log_;
    net::MeshHandlers handlers;
    handlers.on_message = [this](NodeId from, std::span<const std::uint8_t> message) {
      on_message(from, message);
    };
    handlers.on_up = [this](NodeId peer) {
      log_(fmt::format("member {} is here", number(peer) + 1));
    };
    handlers.on_down = [this](NodeId peer, std::string_view why) {
      log_(fmt::format("member {} is away: {}", number(peer) + 1, why));
    };
    handlers.on_forgotten = [this](NodeId peer) {
      log_(
          fmt::format("member {} came back without its memory: locks that it took part in may "
                      "wait for ever; restart the group",
                      number(peer) + 1));
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
  Result<void> acquire(const std::string& name, WaiterId waiter, LocalAsker& asker) {
    askers_[number(waiter)] = {nullptr, 0, &asker};
    if (const auto taken = table_.acquire(name, waiter, out_); !taken) {
      askers_.erase(number(waiter));
      return taken.error();
    }
    carry_out();
    return {};
  }
  void release(const std::string& name, WaiterId waiter, Turn last) {
    askers_.erase(number(waiter));
    const auto released = table_.release_kept(name, waiter, last, out_);
    HAPAX_CHECK(released.has_value());
    carry_out();
  }
  bool abandon(const std::string& name, WaiterId waiter) {
    if (!table_.abandon(name, waiter, out_)) return false;
    askers_.erase(number(waiter));
    carry_out();
    return true;
  }

  std::string metrics() const;

 private:
  // Who a waiter is: a request of a visitor, or somebody in this process.
  struct Asker {
    Visitor* visitor = nullptr;
    session::RequestId request = 0;
    LocalAsker* local = nullptr;
  };

  struct LocalGrant {
    LocalAsker* asker;
    WaiterId waiter;
    Fence fence;
    bool may_keep;
  };

  static constexpr std::size_t kMostVisitors = 4096;
  static constexpr std::size_t kMostStrangers = 256;  // Who have not introduced themselves yet.
  static constexpr std::size_t kMostInquiries = 256;
  static constexpr std::size_t kMostTold = 1000;  // Locks that one answer lists.

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

  void on(Visitor& visitor, session::Acquire&& a) {
    if (visitor.requests.contains(a.request) || a.request == 0) {
      return refuse(visitor, a.request, "that request is in use");
    }
    if (visitor.requests.size() >= Visitor::kMostRequests) {
      return refuse(visitor, a.request, "too many requests of one client");
    }
    const WaiterId waiter{++last_waiter_};
    // Before acquiring, which may grant at once.
    visitor.requests[a.request] = {waiter, a.name, false, {}, steady_clock::now()};
    askers_[number(waiter)] = {&visitor, a.request, nullptr};
    if (const auto taken = table_.acquire(a.name, waiter, out_); !taken) {
      visitor.requests.erase(a.request);
      askers_.erase(number(waiter));
      refuse(visitor, a.request, taken.error().message);
    }
  }

  void on(Visitor& visitor, session::Cancel&& c) {
    const auto at = visitor.requests.find(c.request);
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

  void on(Visitor& visitor, session::AskState&& s) {
    const LockStats& stats = table_.stats();
    session::State state;
    state.request = s.request;
    state.group = config_.group;
    state.member = number(config_.self);
    state.epoch = config_.epoch;
    for (std::uint32_t i = 0; i < config_.members.size(); ++i) {
      state.members.push_back(config_.members[i].text());
      state.up.push_back(is_up(NodeId{i}) ? 1 : 0);
    }
    state.locks = stats.instances;
    state.held = stats.held;
    state.waiting = stats.waiting;
    state.entries = stats.entries;
    for (const auto& algorithm : stats.algorithms) {
      state.messages_sent += algorithm.sent;
      state.messages_received += algorithm.received;
    }
    state.uptime_ms = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - started_)
            .count());
    visitor.tell(state);
  }

  void on(Visitor& visitor, session::Ping&& p) { visitor.tell(session::Pong{p.request}); }

  void refuse(Visitor& visitor, session::RequestId request, std::string why) {
    visitor.tell(session::Refused{request, std::move(why)});
  }

  // Gives back what the request holds, or ends its wait.
  void forget(Visitor& visitor, std::map<session::RequestId, Visitor::Request>::iterator at) {
    const Visitor::Request request = std::move(at->second);
    visitor.requests.erase(at);
    askers_.erase(number(request.waiter));
    const auto done = request.held ? table_.release(request.name, request.waiter, out_)
                                   : table_.abandon(request.name, request.waiter, out_);
    HAPAX_CHECK(done.has_value());
  }

  // Its waits end first: one of them might be served by what it gives back.
  void forget_all(Visitor& visitor) {
    for (auto at = visitor.requests.begin(); at != visitor.requests.end();) {
      const auto next = std::next(at);
      if (!at->second.held) forget(visitor, at);
      at = next;
    }
    while (!visitor.requests.empty()) forget(visitor, visitor.requests.begin());
    carry_out();
  }

  // The process is gone, or as good as: on this machine a closed socket says so.
  void on_gone(Visitor& visitor, const std::string&) {
    forget_all(visitor);
    for (auto& [question, inquiry] : inquiries_) inquiry->forget(visitor);
    visitors_.erase(visitor.shared_from_this());
  }

  // --- members ---

  void on_message(NodeId from, std::span<const std::uint8_t> message) {
    if (is_gossip(message)) {
      on_gossip(from, message);
    } else {
      table_.receive(from, message, out_);
    }
    carry_out();
  }
  void on_gossip(NodeId from, std::span<const std::uint8_t> message);

  void carry_out() {
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
      const auto asker = askers_.find(number(grant.waiter));
      HAPAX_CHECK(asker != askers_.end());
      if (asker->second.local != nullptr) {
        local_grants_.push_back(
            {asker->second.local, grant.waiter, grant.fence, table_.may_keep(out_.name(grant))});
        continue;
      }
      Visitor::Request& request = asker->second.visitor->requests.at(asker->second.request);
      request.held = true;
      request.fence = grant.fence;
      request.since = steady_clock::now();
      asker->second.visitor->tell(session::Granted{asker->second.request, grant.fence});
    }
    for (const Outbox::Complaint& complaint : out_.complaints()) {
      ++complaints_;
      log_once(fmt::format("member {}: {}: {}", number(complaint.peer) + 1, name_of(complaint.kind),
                           complaint.text));
    }
    for (const Outbox::Wanted& wanted : out_.wanted()) {
      const auto asker = askers_.find(number(wanted.waiter));
      if (asker != askers_.end() && asker->second.local != nullptr) {
        local_wanted_.push_back(wanted.waiter);
      }
    }
    out_.clear();
    tell_locals();
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
        const auto asker = askers_.find(number(waiter));
        if (asker != askers_.end()) asker->second.local->on_wanted(waiter);
      }
    }
    telling_ = false;
  }

  void log_once(std::string line) {
    if (logged_.size() < 1000 && logged_.insert(line).second) log_(line);
  }

  std::vector<session::Lock> local_locks(const std::string& name) const;
  session::Lock told(const LockStatus& status) const;
  session::Person person(WaiterId waiter) const;

  asio::io_context& io_;
  NodeConfig config_;
  Log log_;
  LockTable table_;
  Outbox out_;
  std::unique_ptr<net::Mesh> mesh_;
  std::unique_ptr<Desk> desk_;
  std::shared_ptr<asio::ssl::context> tls_;  // For clients on other machines; may be null.
  std::set<std::shared_ptr<Visitor>> visitors_;
  std::deque<std::weak_ptr<Visitor>> strangers_;            // Perhaps: some may be none any more.
  boost::unordered_flat_map<std::uint64_t, Asker> askers_;  // By waiter.
  std::map<std::uint64_t, std::shared_ptr<Inquiry>> inquiries_;
  std::vector<LocalGrant> local_grants_;
  std::vector<WaiterId> local_wanted_;
  bool telling_ = false;
  std::uint64_t last_waiter_ = 0;
  std::uint64_t last_question_ = 0;
  std::uint64_t complaints_ = 0;
  std::set<std::string> logged_;
  steady_clock::time_point started_;
};

session::Person Daemon::Impl::person(WaiterId waiter) const {
  const auto at = askers_.find(number(waiter));
  if (at == askers_.end()) return {};
  if (at->second.local != nullptr) {
    return {number(config_.self),     "", static_cast<std::uint32_t>(getpid()),
            "(in the member itself)", 0,  std::nullopt};
  }
  const Visitor& visitor = *at->second.visitor;
  const Visitor::Request& request = visitor.requests.at(at->second.request);
  const auto since =
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - request.since);
  session::Person person{number(config_.self),
                         visitor.host(),
                         visitor.pid(),
                         visitor.command(),
                         static_cast<std::uint64_t>(since.count()),
                         std::nullopt};
  if (request.held) person.fence = request.fence;
  return person;
}

session::Lock Daemon::Impl::told(const LockStatus& status) const {
  session::Lock lock{status.name, std::string{status.algorithm}, std::nullopt, {}};
  if (status.holder) lock.holder = person(status.holder->waiter);
  for (const WaiterId waiter : status.waiters) lock.waiters.push_back(person(waiter));
  return lock;
}

std::vector<session::Lock> Daemon::Impl::local_locks(const std::string& name) const {
  std::vector<session::Lock> locks;
  if (!name.empty()) {
    if (const auto status = table_.describe(name)) locks.push_back(told(*status));
    return locks;
  }
  table_.for_each_lock([&](const LockStatus& status) {
    if (locks.size() >= kMostTold || (!status.holder && status.waiters.empty())) return;
    locks.push_back(told(status));
  });
  return locks;
}

// Asks everybody, and answers when all have, or when it has taken long enough.
void Daemon::Impl::on(Visitor& visitor, session::Who&& who) {
  if (inquiries_.size() >= kMostInquiries) {
    return refuse(visitor, who.request, "too many questions at a time; ask again in a second");
  }
  const std::uint64_t question = ++last_question_;
  const auto inquiry = std::make_shared<Inquiry>(visitor, who.request);
  inquiry->add(config_.self, local_locks(who.name));
  const Bytes payload = gossip_payload(AskLocks{question, who.name});
  for (std::uint32_t i = 0; i < config_.members.size(); ++i) {
    const NodeId peer{i};
    if (peer == config_.self) continue;
    inquiry->expect(peer);
    if (mesh_->is_up(peer)) (void)mesh_->send(peer, payload);
  }
  if (inquiry->finish_if_complete()) return;
  inquiries_[question] = inquiry;
  auto timer = std::make_shared<asio::steady_timer>(io_, Inquiry::kPatience);
  timer->async_wait([self = weak_from_this(), question, timer](error_code) {
    const auto daemon = self.lock();
    if (!daemon) return;
    const auto at = daemon->inquiries_.find(question);
    if (at == daemon->inquiries_.end()) return;
    at->second->finish();
    daemon->inquiries_.erase(at);
  });
}

void Daemon::Impl::on_gossip(NodeId from, std::span<const std::uint8_t> message) {
  const auto gossip = gossip_of(message);
  if (!gossip) {
    log_once(fmt::format("member {}: malformed gossip", number(from) + 1));
    return;
  }
  if (const auto* ask = std::get_if<AskLocks>(&*gossip)) {
    (void)mesh_->send(from, gossip_payload(TellLocks{ask->question, local_locks(ask->name)}));
    return;
  }
  const TellLocks& told = std::get<TellLocks>(*gossip);
  const auto at = inquiries_.find(told.question);
  if (at == inquiries_.end()) return;
  at->second->add(from, told.locks);
  if (at->second->finish_if_complete()) inquiries_.erase(at);
}

std::string Daemon::Impl::metrics() const {
  const LockStats& stats = table_.stats();
  std::string text;
  const auto gauge = [&](std::string_view name, std::string_view help, std::uint64_t value,
                         std::string_view type) {
    text += fmt::format("# HELP hapax_{0} {1}\n# TYPE hapax_{0} {2}\nhapax_{0} {3}\n", name, help,
                        type, value);
  };
  gauge("lock_instances", "Locks in memory.", stats.instances, "gauge");
  gauge("locks_held", "Locks held by clients of this member.", stats.held, "gauge");
  gauge("lock_waiters", "Clients of this member that wait.", stats.waiting, "gauge");
  gauge("entries_total", "Grants to clients of this member.", stats.entries, "counter");
  gauge("clients", "Clients connected.", visitors_.size(), "gauge");
  gauge("complaints_total", "Messages of peers that were refused.", complaints_, "counter");
  return text;
}

Result<std::unique_ptr<Daemon>> Daemon::create(asio::io_context& io, NodeConfig config, Log log) {
  if (config.members.empty()) return error("a group needs members");
  if (number(config.self) >= config.members.size()) {
    return error("there is no member {}: the group has {}", number(config.self) + 1,
                 config.members.size());
  }
  for (const net::Address& address : config.clients) {
    if (!address.is_local() && !config.tls) {
      return error(
          "clients cannot be served at {}: it is not on this machine, and without TLS anybody on "
          "the way could read and forge; give certificates (`hapax certs` makes them) or use "
          "loopback or unix: addresses",
          address.text());
    }
  }
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
Result<void> Daemon::acquire(const std::string& name, WaiterId waiter, LocalAsker& asker) {
  return impl_->acquire(name, waiter, asker);
}
void Daemon::release(const std::string& name, WaiterId waiter, Turn last) {
  impl_->release(name, waiter, last);
}
bool Daemon::abandon(const std::string& name, WaiterId waiter) {
  return impl_->abandon(name, waiter);
}
bool Daemon::is_up(NodeId peer) const { return impl_->is_up(peer); }
std::string Daemon::metrics() const { return impl_->metrics(); }

}  // namespace hapax
