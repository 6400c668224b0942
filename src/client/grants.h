// What one object of a program holds on a lock, in any mode and any number: behind SharedMutex and
// Semaphore, and the command line, which does not know what kind of lock it asks for.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "client/gateway.h"
#include "core/want.h"
#include "hapax/client.h"
#include "hapax/fence.h"
#include "hapax/node.h"

namespace hapax::detail {

// All functions may be called from any thread.
class Grants {
 public:
  using Clock = std::chrono::steady_clock;

  // Throws std::system_error if no lock can have that name.
  Grants(Client& client, std::string_view name) : Grants(client.gateway_, name) {}
  Grants(Node& node, std::string_view name) : Grants(node.gateway_, name) {}
  ~Grants();  // Gives back what is held. Never throws, never waits.
  Grants(const Grants&) = delete;
  Grants& operator=(const Grants&) = delete;

  // One more of that kind.
  std::error_code acquire(Want want, Clock::time_point deadline,
                          const std::stop_token& cancel) noexcept;
  // The same without end. Throws std::system_error that says what the daemon said.
  void acquire_or_throw(Want want);
  // One of that kind. REQUIRES: held.
  void release(Want want);

  // Of the latest grant of that kind. REQUIRES: held.
  Fence fence(Want want) const;
  bool holds(Want want) const;
  // Why the daemon refused last; empty if it never did.
  std::string refusal() const;

  const std::string& name() const { return name_; }
  // Of the latest grant.
  std::stop_token lost() const {
    const std::lock_guard lock{mutex_};
    return held_.empty() ? gateway_->lost() : gateway_->lost(held_.back().holding);
  }
  std::chrono::milliseconds valid_for() const {
    return lost().stop_requested() ? std::chrono::milliseconds{0} : gateway_->valid_for();
  }

  // How long a try may take, since everybody has to be asked.
  static constexpr std::chrono::milliseconds kPatience{250};

 private:
  Grants(std::shared_ptr<Gateway> gateway, std::string_view name);

  struct Grant {
    Want want{};
    Holding holding;
  };

  const std::shared_ptr<Gateway> gateway_;
  const std::string name_;
  mutable std::mutex mutex_;  // Guards what follows.
  std::vector<Grant> held_;   // In the order in which they came.
  std::string refusal_;
};

}  // namespace hapax::detail
