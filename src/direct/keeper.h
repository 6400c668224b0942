// A session at a server, for as long as anybody needs one: opened, renewed, and replaced when it is
// over.
//
// How long what stands in its name can be relied on is counted on our own clock, from before the
// last renewal that was acknowledged was sent, less a margin for clocks that differ: so it ends
// here before it can end at the server.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "direct/server.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace hapax::direct {

// Who needs the session. On the loop.
class SessionUser {
 public:
  virtual void on_open() = 0;
  virtual void on_renewed() = 0;
  virtual void on_doubt() = 0;  // It was not renewed in time; it may be over, or be renewed yet.
  virtual void on_over() = 0;   // There will be another one.
  virtual void on_refused(const std::string& why) = 0;

 protected:
  ~SessionUser() = default;
};

// On the loop's thread, but for what says otherwise.
class Keeper {
 public:
  // `user` is told from start() on.
  Keeper(Loop& io, Server& server, std::chrono::milliseconds ttl, SessionUser& user);

  void start() { open(); }
  // REQUIRES of all below: started.
  bool is_open() const { return session_.id != 0; }
  // REQUIRES: is_open().
  const Session& session() const { return session_; }
  // The server says that this session is over.
  void is_over(std::uint64_t id);
  // Ends it, so that nobody has to wait for what stood in its name; no other one follows.
  void close(std::function<void()> then);

  // Any thread.
  std::chrono::milliseconds valid_for() const;
  std::chrono::milliseconds ttl() const { return std::chrono::milliseconds{ttl_ms_.load()}; }

 private:
  using Nanoseconds = std::chrono::nanoseconds;

  void open();
  void renew();
  void after(Nanoseconds pause, void (Keeper::*step)());
  void is_good_from(Nanoseconds sent, std::chrono::milliseconds ttl);
  void doubt_at_end();

  Server& server_;
  SessionUser& user_;
  const std::chrono::milliseconds wanted_ttl_;
  Timer next_;  // Of opening or renewing.
  Timer end_;   // Of what can be relied on.
  Session session_;
  bool is_closed_ = false;
  std::uint64_t step_ = 0;                   // Answers to earlier ones are late.
  std::atomic<std::int64_t> good_until_{0};  // On the boot clock, in ns.
  std::atomic<std::int64_t> ttl_ms_;
};

}  // namespace hapax::direct
