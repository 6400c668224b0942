// A member of a group as a service: the mesh to the other members, the lock table, and the clients
// at its door. One thread, that of the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "net/address.h"
#include "net/tls.h"
#include "node/outbox.h"
#include "node/policy.h"

namespace hapax {

struct NodeConfig {
  NodeId self{};
  std::vector<net::Address> members;   // Where member 0, 1, … is reached by the others.
  std::optional<net::Address> listen;  // If not where the others reach us.
  std::vector<net::Address> clients;   // Where programs reach us; over TCP with `tls`, if given.
  std::string group = "hapax";
  Epoch epoch{1};
  std::optional<net::TlsFiles> tls;  // Needed unless every address is of this machine.
  Policy policy;
};

// Somebody inside this process who takes locks without a socket. All calls are on the thread of the
// io_context.
class LocalAsker {
 public:
  virtual ~LocalAsker() = default;
  // Holds the lock from now on. `may_keep`: may enter again by itself until it is wanted.
  virtual void on_granted(WaiterId waiter, Fence fence, bool may_keep) = 0;
  // Somebody else waits for the lock that it holds. May release it at once.
  virtual void on_wanted(WaiterId waiter) = 0;
};

class Daemon {
 public:
  using Log = std::function<void(const std::string&)>;

  static Result<std::unique_ptr<Daemon>> create(boost::asio::io_context& io, NodeConfig config,
                                                Log log);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Listens for clients and members, and dials the latter.
  [[nodiscard]] Result<void> start();
  // Says goodbye to everybody; the io_context then runs out of work.
  void stop();

  // --- for this process itself; on the thread of the io_context ---

  // Who is about to ask.
  WaiterId next_waiter();
  // The grant comes through `asker`, perhaps before this returns. An error if it cannot be asked
  // for. REQUIRES: `asker` lives until it has been granted and released, or abandoned.
  Result<void> acquire(const std::string& name, WaiterId waiter, LocalAsker& asker);
  // `last`: the turn of its last entry, if it entered again by itself.
  void release(const std::string& name, WaiterId waiter, Turn last);
  // False if it was granted meanwhile.
  bool abandon(const std::string& name, WaiterId waiter);

  bool is_up(NodeId peer) const;
  // Prometheus' text format.
  std::string metrics() const;

 private:
  class Impl;
  explicit Daemon(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;
};

}  // namespace hapax
