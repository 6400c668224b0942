// What is behind Daemon: the members of its group, those who ask for locks, and the clients at its
// door, each in a class of its own; here they are brought together.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "campaigns/breaking.h"
#include "campaigns/leadership.h"
#include "daemon/clients.h"
#include "daemon/daemon.h"
#include "daemon/join.h"
#include "daemon/waiters.h"
#include "figures/report.h"
#include "files/group_files.h"
#include "inquiries/inquiries.h"
#include "inquiries/recordings.h"
#include "loop/loop.h"
#include "loop/loop_watch.h"
#include "loop/timer.h"

namespace hapax {

class Daemon::Impl : public std::enable_shared_from_this<Impl>, private MemberHost {
 public:
  Impl(Loop& io, NodeConfig config, Log log);

  // As create(), start(), wind_up() and stop() of Daemon.
  Result<void> connect();
  Result<void> start();
  void run() { watch_.run(io_); }
  void wind_up();
  void stop();

  bool has_started() const { return clients_.has_value(); }
  bool is_complete() const;
  Facts facts() const;  // REQUIRES: has_started().
  session::State state() const;
  std::string why_not(const std::string& name) const;
  std::string obstacle() const;
  const Group& group() const { return *joined_.group; }
  Result<void> leave(std::chrono::milliseconds patience);
  Result<std::optional<std::chrono::system_clock::time_point>> renew_certificate();
  void set_roles(Roles roles) {
    config_.roles = std::move(roles);
    if (clients_) clients_->stop_keeping();  // Whether they still may is asked when they ask.
    if (files_) files_->rights_changed();
  }
  const Roles& roles() const { return config_.roles; }
  Waiters& waiters() { return *waiters_; }
  Inquiries& inquiries() { return *inquiries_; }
  Recordings& recordings() { return *recordings_; }

  std::function<void()> then_on_left;
  std::function<void(Instant)> then_on_leased;
  std::function<Result<std::string>(const Caller&)> then_on_page;

 private:
  static constexpr std::chrono::milliseconds kToWindUp{5'000};

  // What the group says. Nobody has asked for anything before there are waiters.
  void on_granted(const Grant& grant) override { waiters_->on_granted(grant); }
  void on_wanted(WaiterId waiter) override { waiters_->on_wanted(waiter); }
  void on_lost(WaiterId waiter) override { waiters_->on_lost(waiter); }
  void on_recalled(WaiterId waiter) override { waiters_->on_recalled(waiter); }
  bool is_inside(WaiterId waiter) override { return waiters_->is_inside(waiter); }
  std::optional<Turn> take_back(WaiterId waiter) override { return waiters_->take_back(waiter); }
  void on_stopped(const LockStats& stats) override { past_.add_past(stats); }
  void on_leased(Instant until) override;
  void on_settings() override {
    if (clients_) clients_->follow_settings();
  }
  void on_message(Seat from, std::span<const std::uint8_t> message) override;
  void on_met(Seat peer) override;
  void on_away(Seat peer) override;
  void on_forgotten(Seat peer) override;
  void on_settled() override;
  void on_left() override;
  void log(const std::string& line, LogLevel level = LogLevel::info) override { log_(line, level); }
  void log_once(const std::string& line, LogLevel level = LogLevel::warning) override;
  // What anybody can cause again and again: the same line once a minute at most.
  void log_seldom(const std::string& line, LogLevel level);

  void warn() const;
  Inquiries::Host inquiries_host();
  Recordings::Host recordings_host();
  Breaking::Host breaking_host();
  Breaking::Broken break_here(const BreakLock& asked);
  Clients::Host clients_host();
  GroupFiles::Host files_host();
  Result<void> ask_holders(const std::string& name,
                           std::function<void(const session::Locks&)> tell);
  void elect();
  void evict(const session::Evict& asked, std::function<void(std::string)> done);
  std::optional<Seat> leader() const;
  void after(std::chrono::milliseconds delay, std::function<void()> then);

  Loop& io_;
  NodeConfig config_;
  Log log_;
  LoopWatch watch_;
  std::shared_ptr<net::TlsContext> tls_;  // For clients on other machines; may be null.
  // There from start() on: until then we do not know who we are.
  Joined joined_;
  std::optional<Leadership> leadership_;  // Of a fixed list.
  Outbox elected_;                        // Empty between calls.
  std::optional<Waiters> waiters_;
  std::optional<Inquiries> inquiries_;
  std::optional<Recordings> recordings_;
  std::optional<Breaking> breaking_;
  std::optional<GroupFiles> files_;
  std::optional<Clients> clients_;
  LockStats past_;  // Of views that have stopped: what only grows.
  bool is_winding_up_ = false;
  bool is_stopped_ = false;
  std::set<std::shared_ptr<Timer>> timers_;
  std::set<std::string> logged_;
  std::map<std::string, std::chrono::steady_clock::time_point> logged_lately_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace hapax
