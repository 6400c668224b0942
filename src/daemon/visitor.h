// A client at the daemon's door: its connection, in the clear or under TLS, its requests, and what
// is still to be told to it. All on the thread of the io_context.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/fence.h"
#include "net/stream.h"
#include "locks/outbox.h"
#include "campaigns/podium.h"
#include "daemon/process_group.h"
#include "session/protocol.h"
#include "wire/codec.h"

namespace hapax {

class Visitor : public std::enable_shared_from_this<Visitor> {
 public:
  using Socket = net::Socket;
  using Clock = std::chrono::steady_clock;

  struct Handlers {
    // A Hello comes first, and once.
    std::function<void(Visitor&, session::Ask&&)> on_ask;
    std::function<void(Visitor&, const std::string& why)> on_gone;
  };
  struct Request {
    WaiterId waiter{};
    std::string name;
    bool held = false;
    Fence fence;
    Clock::time_point since;  // It waits, or holds.
    Want want = Want::exclusive;
  };

  static constexpr std::size_t kMostRequests = 1 << 20;
  static constexpr std::size_t kMostObservations = 1 << 10;
  static constexpr std::size_t kMostUnread = std::size_t{8} << 20;  // Bytes it may leave unread.
  static constexpr std::chrono::seconds kFarewell{1};  // For what is still to be told to it.
  static constexpr std::chrono::seconds kGreeting{5};  // How long it may take to introduce itself.

  // `tls`: only somebody with a client's certificate may speak. May be null.
  Visitor(Socket socket, std::shared_ptr<boost::asio::ssl::context> tls, Handlers handlers);

  void start();
  // Queues the answer; everything of one turn leaves in one write.
  void tell(const session::Answer& answer);
  // Nothing is read any more; what is queued is still written if `kindly`.
  void close(bool kindly);

  // --- who it is, for people ---
  bool has_introduced_itself() const { return introduced_; }
  std::uint32_t pid() const { return pid_; }
  const std::string& host() const { return host_; }
  const std::string& command() const { return command_; }
  void introduce(const session::Hello& hello);
  // Only a process that has ended closes a Unix socket. Whoever is behind TCP, or was hung up on,
  // may be there and not know; unless it said goodbye.
  bool may_live_on() const { return (!is_unix_ || was_hung_up_on_) && !has_said_goodbye_; }
  void say_goodbye() { has_said_goodbye_ = true; }
  // On this machine only, and of its own user.
  void has_job(const session::Job& job);
  const std::optional<ProcessGroup>& job() const { return job_; }
  bool has_said_goodbye() const { return has_said_goodbye_; }
  bool holds_anything() const;
  bool is_behind_tcp() const { return !is_unix_; }
  Clock::duration silent_for() const { return Clock::now() - last_heard_; }

  // The daemon's to keep.
  std::map<session::RequestId, Request> requests;
  std::map<session::RequestId, ObserverId> observations;

 private:
  void read();
  bool take_frames();
  void flush();
  void end(const std::string& why);
  void hang_up(const std::string& why);

  std::shared_ptr<boost::asio::ssl::context> tls_;
  net::Stream stream_;
  Handlers handlers_;
  boost::asio::steady_timer patience_;
  Bytes incoming_;
  std::size_t filled_ = 0;
  Bytes outgoing_;  // Queued …
  Bytes writing_;   // … and on its way.
  bool flush_posted_ = false;
  bool overflown_ = false;  // It does not read its answers, and will be hung up on.
  bool introduced_ = false;
  bool has_said_goodbye_ = false;
  Clock::time_point last_heard_ = Clock::now();
  bool is_unix_ = false;
  bool was_hung_up_on_ = false;  // By us.
  bool closing_ = false;
  bool ended_ = false;
  std::uint32_t pid_ = 0;
  std::string host_;
  std::string command_;
  bool has_our_pids_ = false;  // It is in no container of its own: its numbers are ours.
  std::optional<ProcessGroup> job_;
  std::string certified_;  // Its name, if its certificate says one.
};

}  // namespace hapax
