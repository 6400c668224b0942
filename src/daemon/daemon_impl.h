// What is behind Daemon: the mesh to the other members, the lock table, and the clients at its
// door, each in a class of its own; here they are brought together.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "daemon/askers.h"
#include "campaigns/campaigns.h"
#include "daemon/client_job.h"
#include "daemon/daemon.h"
#include "daemon/desk.h"
#include "daemon/election_desk.h"
#include "campaigns/gossip.h"
#include "daemon/inquiries.h"
#include "daemon/lobby.h"
#include "daemon/local_calls.h"
#include "locks/lock_table.h"
#include "daemon/members.h"
#include "daemon/report.h"
#include "daemon/visitor.h"

namespace hapax {

class Daemon::Impl : public std::enable_shared_from_this<Impl>, private ElectionDesk::Host {
 public:
  using steady_clock = std::chrono::steady_clock;

  Impl(boost::asio::io_context& io, NodeConfig config, Log log)
      : io_(io), config_(std::move(config)), log_(std::move(log)), started_(steady_clock::now()) {}

  // As create(), start(), wind_up() and stop() of Daemon.
  Result<void> connect();
  Result<void> start();
  void wind_up();
  void stop();

  bool is_up(NodeId peer) const { return peer == config_.self || members_->is_up(peer); }
  void on_left(std::function<void()> then) { on_left_ = std::move(then); }
  void on_leased(std::function<void(Instant)> then) { on_leased_ = std::move(then); }
  Epoch epoch() const { return members_->epoch(); }
  bool is_complete() const {
    if (members_->table() == nullptr) return false;
    const auto lease = members_->lease_left();
    if (lease && lease->count() == 0) return false;
    const auto others = members_->others();
    return std::all_of(others.begin(), others.end(), [this](NodeId peer) { return is_up(peer); });
  }
  Result<void> leave(std::chrono::milliseconds patience) { return members_->leave(patience); }

  // --- this process itself ---

  WaiterId next_waiter() { return WaiterId{++last_waiter_}; }
  Result<void> acquire(const std::string& name, WaiterId waiter, LocalAsker& asker, Want want) {
    askers_->add(waiter, {nullptr, 0, &asker});
    if (const auto taken = members_->acquire(name, waiter, want); !taken) {
      askers_->erase(waiter);
      return taken.error();
    }
    carry_out();
    return {};
  }
  void release(const std::string& name, WaiterId waiter, Turn last) {
    campaigns_->leave(waiter);
    askers_->erase(waiter);
    // Refused if it was lost meanwhile: then there is nothing to give back.
    (void)members_->release(name, waiter, last);
    carry_out();
  }
  bool abandon(const std::string& name, WaiterId waiter) {
    if (campaigns_->leads(waiter)) return false;
    if (!campaigns_->leave(waiter) && !members_->abandon(name, waiter)) return false;
    askers_->erase(waiter);
    carry_out();
    return true;
  }

  Campaigns& campaigns() { return *campaigns_; }
  Facts facts() const;
  session::State state() const;

  // --- elections of programs in this process ---

  Result<WaiterId> campaign(const std::string& name, const std::string& value, LocalAsker& asker) {
    if (const auto good = ElectionDesk::check(name, value); !good) return good.error();
    const WaiterId waiter = next_waiter();
    askers_->add(waiter, {nullptr, 0, &asker});
    campaigns_->enter(waiter, name, value);
    if (askers_->find(waiter) == nullptr) return error("there is no room for {}", name);
    carry_out();
    return waiter;
  }
  Inquiries& inquiries() { return *inquiries_; }

 private:
  // --- clients ---

  void receive(Visitor::Socket socket, std::shared_ptr<boost::asio::ssl::context> tls) {
    if (visitors_.is_full()) return;  // Closing it is an answer, too.
    Visitor::Handlers handlers;
    handlers.on_ask = [this](Visitor& v, session::Ask&& ask) { on_ask(v, std::move(ask)); };
    handlers.on_gone = [this](Visitor& v, const std::string& why) { on_gone(v, why); };
    const auto visitor =
        std::make_shared<Visitor>(std::move(socket), std::move(tls), std::move(handlers));
    visitors_.admit(visitor);
    visitor->start();
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
                                  static_cast<std::uint32_t>(members_->others().size() + 1),
                                  members_->epoch(),
                                  static_cast<std::uint64_t>(members_->ttl().count())});
  }

  std::optional<WaiterId> admit(Visitor& visitor, session::RequestId request,
                                const std::string& name) override {
    if (visitor.requests.contains(request) || request == 0) {
      refuse(visitor, request, "that request is in use");
      return std::nullopt;
    }
    if (is_winding_up_) {
      refuse(visitor, request, "this daemon is about to end");
      return std::nullopt;
    }
    if (visitor.requests.size() >= Visitor::kMostRequests) {
      refuse(visitor, request, "too many requests of one client");
      return std::nullopt;
    }
    const WaiterId waiter = next_waiter();
    visitor.requests[request] = {waiter, name, false, {}, steady_clock::now()};
    askers_->add(waiter, {&visitor, request, nullptr});
    return waiter;
  }

  void on(Visitor& visitor, session::Acquire&& a) {
    // Before acquiring, which may grant at once.
    const auto waiter = admit(visitor, a.request, a.name);
    if (!waiter) return;
    visitor.requests[a.request].want = a.want;
    if (const auto taken = members_->acquire(a.name, *waiter, a.want); !taken) {
      visitor.requests.erase(a.request);
      askers_->erase(*waiter);
      refuse(visitor, a.request, taken.error().message);
    }
  }

  void on(Visitor& visitor, session::Cancel&& c) {
    const auto at = visitor.requests.find(c.request);
    elections_->end_observation(visitor, c.request);
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
  void on(Visitor& visitor, session::Campaign&& c) { elections_->on(visitor, std::move(c)); }
  void on(Visitor& visitor, session::HandOver&& h) { elections_->on(visitor, std::move(h)); }
  void on(Visitor& visitor, session::AskResign&& a) { elections_->on(visitor, std::move(a)); }
  void on(Visitor& visitor, session::Observe&& o) { elections_->on(visitor, std::move(o)); }
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

  void on(Visitor& visitor, session::Ping&& p) {
    session::Pong pong{p.request, std::nullopt};
    if (const auto left = members_->lease_left()) {
      pong.lease_ms = static_cast<std::uint64_t>(left->count());
    }
    visitor.tell(pong);
  }

  void on(Visitor& visitor, session::Leave&& l) {
    constexpr std::uint64_t kLongest = 3'600'000;
    const std::chrono::milliseconds patience{std::min(l.patience_ms, kLongest)};
    if (const auto going = members_->leave(patience); !going) {
      return refuse(visitor, l.request, going.error().message);
    }
    who_told_to_leave_.emplace_back(visitor.weak_from_this(), l.request);
  }
  void on(Visitor& visitor, session::Evict&& e) {
    members_->evict(e.whom, [this, weak = visitor.weak_from_this(),
                             request = e.request](const std::string& wrong) {
      const auto asker = weak.lock();
      if (!asker || !is_here(asker)) return;
      if (wrong.empty()) return asker->tell(session::Ended{request});
      refuse(*asker, request, wrong);
    });
  }

  void refuse(Visitor& visitor, session::RequestId request, std::string why) override {
    visitor.tell(session::Refused{request, std::move(why)});
  }

  // Gives back what the request holds, or ends its wait.
  void forget(Visitor& visitor, std::map<session::RequestId, Visitor::Request>::iterator at) {
    const Visitor::Request request = std::move(at->second);
    visitor.requests.erase(at);
    const bool stands_aside = campaigns_->leave(request.waiter);
    askers_->erase(request.waiter);
    if (stands_aside) return;
    // Refused only if it was lost meanwhile, or granted: on a lease's last millisecond.
    const auto ended = request.held ? members_->release(request.name, request.waiter, std::nullopt)
                                    : members_->abandon(request.name, request.waiter);
    if (!ended && !request.held) {
      (void)members_->release(request.name, request.waiter, std::nullopt);
    }
  }

  void forget_waits(Visitor& visitor) {
    std::vector<session::RequestId> waits;
    for (const auto& [request, state] : visitor.requests) {
      if (!state.held) waits.push_back(request);
    }
    for (const session::RequestId request : waits) give_back(visitor, request);
  }
  // Its waits end first: one of them might be served by what it gives back.
  void forget_all(Visitor& visitor) {
    forget_waits(visitor);
    while (!visitor.requests.empty()) forget(visitor, visitor.requests.begin());
    carry_out();
  }

  void on(Visitor& visitor, session::Goodbye&&) { visitor.say_goodbye(); }

  void on(Visitor& visitor, session::Job&& job) { visitor.has_job(job); }

  // Its waits end. What it holds is free: at once, or when it must have noticed.
  void on_gone(Visitor& visitor, const std::string&) {
    const auto gone = visitor.shared_from_this();
    inquiries_->forget(visitor);
    elections_->forget(visitor);
    visitors_.erase(gone);
    if (is_stopped_) return;
    if (!visitor.may_live_on() && !leaves_job(visitor)) return forget_all(visitor);
    forget_waits(visitor);
    carry_out();
    if (leaves_job(visitor)) {
      return when_job_is_dead(
          gone, [this](auto delay, auto next) { after(delay, std::move(next)); },
          [this, gone] { forget_all(*gone); });
    }
    // Its clock may be slower than ours.
    constexpr auto kUntilItHasNoticed = session::kSilence + session::kSilence / 20;
    if (!visitor.requests.empty()) after(kUntilItHasNoticed, [this, gone] { forget_all(*gone); });
  }

  // --- members ---

  Members::Handlers handlers() {
    return {.on_granted = [this](WaiterId waiter, Fence fence,
                                 bool may_keep) { on_granted(waiter, fence, may_keep); },
            .on_wanted =
                [this](WaiterId waiter) {
                  const Asker* asker = askers_->find(waiter);
                  if (asker != nullptr && asker->local != nullptr) locals_.wanted(waiter);
                },
            .on_lost = [this](WaiterId waiter) { on_lost(waiter); },
            .on_recalled = [this](WaiterId waiter) { on_recalled(waiter); },
            .is_inside =
                [this](WaiterId waiter) {
                  const Asker* asker = askers_->find(waiter);
                  if (asker == nullptr) return false;
                  if (asker->local == nullptr || asker->local->is_inside(waiter)) return true;
                  askers_->erase(waiter);
                  return false;
                },
            .take_back = [this](WaiterId waiter) -> std::optional<Turn> {
              const Asker* asker = askers_->find(waiter);
              if (asker == nullptr || asker->local == nullptr) return std::nullopt;
              return asker->local->take_back(waiter);
            },
            .on_leased =
                [this](Instant until) {
                  if (on_leased_) on_leased_(until);
                },
            .on_gossip =
                [this](NodeId from, std::span<const std::uint8_t> message) {
                  if (inquiries_) on_gossip(from, message);
                },
            .on_met =
                [this](NodeId peer) {
                  if (campaigns_) campaigns_->podium().met(peer);
                },
            .on_forgotten =
                [this](NodeId peer) {
                  if (campaigns_) campaigns_->podium().forgotten(peer);
                },
            .on_settled = [this] { settle(); },
            .on_left = [this] { on_left(); },
            .log = log_,
            .log_once = [this](std::string line) { log_once(std::move(line)); }};
  }
  void on_gossip(NodeId from, std::span<const std::uint8_t> message);

  void carry_out() {
    members_->flush();
    if (ends_when_free_) end_if_nothing_is_held();
  }

  void on_granted(WaiterId waiter, Fence fence, bool may_keep) {
    if (!campaigns_->empty()) new_leaders_.emplace_back(waiter, fence);
    const Asker& asker = askers_->at(waiter);
    if (asker.local != nullptr) return locals_.granted(*asker.local, waiter, fence, may_keep);
    Visitor::Request& request = asker.visitor->requests.at(asker.request);
    request.held = true;
    request.fence = fence;
    request.since = steady_clock::now();
    asker.visitor->tell(session::Granted{asker.request, fence});
  }
  void on_lost(WaiterId waiter) {
    const Asker* found = askers_->find(waiter);
    if (found == nullptr) return;
    const Asker asker = *found;
    campaigns_->leave(waiter);
    askers_->erase(waiter);
    locals_.withdraw(waiter);
    if (asker.local != nullptr) return asker.local->on_lost(waiter);
    asker.visitor->requests.erase(asker.request);
    asker.visitor->tell(session::Lost{asker.request});
    // It should have ended its job by now; but it may be asleep, or dead.
    end_job(*asker.visitor);
  }
  // It keeps its request: it holds the lock until it lets go.
  void on_recalled(WaiterId waiter) {
    const Asker* asker = askers_->find(waiter);
    if (asker == nullptr) return;
    if (asker->local != nullptr) return asker->local->on_recalled(waiter);
    asker->visitor->tell(session::Lost{asker->request});
  }
  void end_if_nothing_is_held() {
    const LockTable* table = members_->table();
    if (table == nullptr || table->stats().held > 0) return;
    boost::asio::post(io_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->on_left();
    });
  }
  // What has been granted is told last, since those in this process may act on it at once.
  void settle() {
    if (askers_) locals_.tell(*askers_);
    if (!new_leaders_.empty()) tell_of_leaders();
  }
  void on_left() {
    if (is_stopped_) return;
    for (const auto& [weak, request] : std::exchange(who_told_to_leave_, {})) {
      const auto visitor = weak.lock();
      if (visitor && is_here(visitor)) visitor->tell(session::Ended{request});
    }
    if (on_left_) on_left_();
  }

  void tell_of_leaders() {
    for (const auto& [waiter, fence] : std::exchange(new_leaders_, {})) {
      campaigns_->granted(waiter, fence);
    }
    carry_out();  // Those who had stepped aside for it queue again.
  }

  void log_once(std::string line) {
    if (logged_.size() < 1000 && logged_.insert(line).second) log_(line);
  }

  // --- what campaigns need ---

  std::vector<NodeId> others() const override { return members_->others(); }
  void send(NodeId to, const Gossip& gossip) override {
    members_->tell(to, gossip_payload(gossip));
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
    return members_->abandon(name, waiter).has_value();
  }
  session::Person describe(WaiterId waiter) const override { return askers_->person(waiter); }
  void ask_to_resign(WaiterId leader, const std::string& to) override;
  void after(std::chrono::milliseconds delay, std::function<void()> then) override;

  LockList local_locks(const std::string& name) const {
    const LockTable* table = members_->table();
    return table == nullptr ? LockList{LockList::kOfMember} : askers_->locks(*table, name);
  }

  boost::asio::io_context& io_;
  NodeConfig config_;
  Log log_;
  std::unique_ptr<Members> members_;
  // There from start() on: until then we do not know who we are.
  std::optional<Campaigns> campaigns_;
  std::optional<ElectionDesk> elections_;
  std::optional<Askers> askers_;
  std::optional<Inquiries> inquiries_;
  std::unique_ptr<Desk> desk_;
  std::shared_ptr<boost::asio::ssl::context> tls_;  // For clients on other machines; may be null.
  Lobby visitors_{[this](auto delay, auto then) { after(delay, std::move(then)); }};
  std::vector<std::pair<WaiterId, Fence>> new_leaders_;  // Granted, and not yet told of.
  LocalCalls locals_;
  static constexpr std::chrono::milliseconds kToWindUp{5'000};
  bool is_winding_up_ = false;
  bool ends_when_free_ = false;
  bool is_stopped_ = false;
  std::set<std::shared_ptr<boost::asio::steady_timer>> timers_;
  std::uint64_t last_waiter_ = 0;
  std::vector<std::pair<std::weak_ptr<Visitor>, session::RequestId>> who_told_to_leave_;
  std::function<void()> on_left_;
  std::function<void(Instant)> on_leased_;
  std::set<std::string> logged_;
  steady_clock::time_point started_;
};

}  // namespace hapax
