// The live page of a daemon: a JSON API and the files of the page, over plain HTTP on this machine,
// for people who have a pass. It only reads. On the thread of the loop.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "loop/loop.h"
#include "net/address.h"
#include "roles/roles.h"
#include "session/protocol.h"
#include "session/recording.h"

namespace hapax::live {

// What the page needs of its daemon, which lives until close().
struct LiveHost {
  std::function<bool()> has_started;  // Nothing below is called before.
  std::function<const Roles&()> roles;
  std::function<session::State()> state;
  std::function<std::string()> figures;  // What the daemon counts, as JSON.
  // As those of Daemon.
  std::function<Result<void>(std::function<void(session::State&&)>)> ask_how_all_are;
  std::function<Result<void>(const std::string& name, std::function<void(session::Locks&&)>)> who;
  std::function<Result<void>(std::function<void(session::Locks&&)>)> all_locks;
  std::function<Result<void>(const std::string& name, std::chrono::milliseconds,
                             std::function<void(const Result<session::Recording>&)>)>
      record;
};

class Live {
 public:
  // Who has said nothing for so long is cut off, and whoever takes so long to take an answer.
  static constexpr std::chrono::milliseconds kPatience{5'000};

  // Listens. An error unless the address is on this machine.
  static Result<std::unique_ptr<Live>> open(Loop& io, const net::Address& address, LiveHost host,
                                            std::chrono::milliseconds patience = kPatience);
  ~Live();
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  const net::Address& address() const;  // With the port that was free.
  // Where that person finds the page: its URL, and after a # a pass of its own.
  Result<std::string> place_for(const Caller& caller);
  // A line of the daemon's log.
  void note(const std::string& line, LogLevel level);
  // Hangs up on everybody.
  void close();

 private:
  class Impl;
  explicit Live(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace hapax::live
