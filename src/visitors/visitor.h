// A client at the daemon's door: who it is, and what it has asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/process_group.h"
#include "campaigns/leader_watch.h"
#include "figures/request_counts.h"
#include "files/group_files.h"
#include "roles/roles.h"
#include "session/protocol.h"
#include "visitors/client_request.h"
#include "visitors/kept_locks.h"
#include "visitors/session_stream.h"

namespace hapax {

class Visitor final : public SessionStream {
 public:
  struct Handlers {
    // A Hello comes first, and once.
    std::function<void(Visitor&, session::Ask&&)> on_ask;
    std::function<void(Visitor&)> on_gone;
    std::function<void(Visitor&, const std::string& why)> on_refused{};
    // Whether what it is granted now may stay with it when it is released.
    std::function<bool(const Grant&)> may_keep{};
    // It only kept what that request was granted, whose last entry had that turn.
    std::function<void(Visitor&, session::RequestId, Turn last)> on_given_back{};
  };

  static constexpr std::size_t kMostRequests = 1 << 20;
  static constexpr std::size_t kMostObservations = 1 << 10;

  Visitor(net::Socket socket, std::shared_ptr<net::TlsContext> tls, Handlers handlers,
          std::shared_ptr<RequestCounts> request_counts);

  std::shared_ptr<Visitor> shared() {
    return std::static_pointer_cast<Visitor>(shared_from_this());
  }

  // --- who it is, for people ---
  // 10.0.0.7: without its port, which is another one each time.
  const std::string& remote() const { return remote_; }
  void introduce(const session::Hello& hello);
  std::uint32_t pid() const { return pid_; }
  const std::string& host() const { return host_; }
  const std::string& command() const { return command_; }
  bool only_asks() const { return only_asks_; }
  // For rights: only what can be proved. From the greeting on.
  const Caller& caller() const { return caller_; }

  // Only a process that has ended closes a Unix socket. Whoever is behind TCP, or was hung up on,
  // may be there and not know; unless it said goodbye.
  bool may_live_on() const { return (is_behind_tcp() || was_hung_up_on()) && !has_said_goodbye_; }
  void say_goodbye() { has_said_goodbye_ = true; }
  // Whether its version understands what it is told unasked of another TTL.
  bool knows_terms() const {
    return has_introduced_itself() && version() >= session::Terms::kSince;
  }
  bool has_said_goodbye() const { return has_said_goodbye_; }
  // On this machine only, and of its own user.
  void has_job(const session::Job& job);
  const std::optional<ProcessGroup>& job() const { return job_; }

  bool holds_anything() const;

  // --- what it may keep: only on this machine can it share memory with us ---
  void share();
  // What it only keeps is given back.
  void stop_keeping();
  KeptGrant* word(std::uint32_t index) { return kept ? kept->by(index) : nullptr; }
  bool may_keep(const Grant& grant) const { return handlers_.may_keep(grant); }
  void give_back(session::RequestId request, Turn last) {
    handlers_.on_given_back(*this, request, last);
  }

  const std::shared_ptr<RequestCounts> counts;  // The requests count themselves there.
  std::optional<KeptLocks> kept;                // Its requests point there.
  std::map<session::RequestId, ClientRequest> requests;
  std::map<session::RequestId, ObserverId> observations;
  std::optional<GroupFiles::SessionId> files;  // From its first question about one.

 private:
  void on_ask(session::Ask&& ask) override { handlers_.on_ask(*this, std::move(ask)); }
  void on_end() override { handlers_.on_gone(*this); }
  void on_refused(const std::string& why) override { handlers_.on_refused(*this, why); }

  Handlers handlers_;
  std::string remote_;
  bool has_said_goodbye_ = false;
  std::uint32_t pid_ = 0;
  std::string host_;
  std::string command_;
  bool only_asks_ = false;
  Caller caller_;
  bool has_our_pids_ = false;  // It is in no container of its own: its numbers are ours.
  std::optional<ProcessGroup> job_;
};

}  // namespace hapax
