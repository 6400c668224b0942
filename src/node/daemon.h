// A member of a group as a service: the mesh to the other members, the lock table, and the clients
// at its door. One thread, that of the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "net/address.h"
#include "net/tls.h"
#include "node/policy.h"

namespace hapax {

struct NodeConfig {
  NodeId self{};
  std::vector<net::Address> members;   // Where member 0, 1, … is reached by the others.
  std::optional<net::Address> listen;  // If not where the others reach us.
  std::vector<net::Address> clients;   // Where programs of this machine reach us.
  std::string group = "hapax";
  Epoch epoch{1};
  std::optional<net::TlsFiles> tls;  // Needed unless every address is of this machine.
  Policy policy;
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

  bool is_up(NodeId peer) const;
  // Prometheus' text format.
  std::string metrics() const;

 private:
  class Impl;
  explicit Daemon(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;
};

}  // namespace hapax
