// What one object of a program holds on a lock, in any mode and any number: behind SharedMutex and
// Semaphore, and the command line, which does not know what kind of lock it asks for.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "core/want.h"
#include "handles/asking.h"
#include "handles/own_gateway.h"
#include "hapax/client.h"
#include "hapax/fence.h"
#include "hapax/node.h"

namespace hapax::detail {

// Every grant belongs to the thread that asked for it, and each thread speaks for its own: one that
// has lost its grant must not give back, or rely on, what another has got since. A thread without
// any asks about the others'; of these one that is lost comes first.
class Grants {
 public:
  using Clock = std::chrono::steady_clock;

  // Throws std::system_error if no lock can have that name.
  Grants(Client& client, std::string_view name)
      : Grants(served(client.gateway_, checked_name(name))) {}
  Grants(Node& node, std::string_view name) : Grants(served(node.gateway_, checked_name(name))) {}
  ~Grants();  // Gives back what is held. Never throws, never waits.
  Grants(const Grants&) = delete;
  Grants& operator=(const Grants&) = delete;

  // One more of that kind.
  std::error_code acquire(Want want, Clock::time_point deadline,
                          const std::stop_token& cancel) noexcept;
  // The same without end. Throws std::system_error that says what the daemon said.
  void acquire_or_throw(Want want);
  // Until then: false if others have it. Throws as well.
  bool try_acquire(Want want, Clock::time_point deadline);
  // The caller's latest of that kind. REQUIRES: it has one; `call` is who is to blame if not.
  void release(Want want, std::string_view call);
  // The same, or another thread's if the caller has none. REQUIRES: somebody has one.
  void release_anybodys(Want want, std::string_view call);

  // REQUIRES: held.
  Fence fence() const;
  // Why the daemon refused last, or could not grant; empty if that never was.
  std::string refusal() const;

  const std::string& name() const { return name_; }
  std::stop_token lost() const;
  std::chrono::milliseconds valid_for() const {
    return lost().stop_requested() ? std::chrono::milliseconds{0} : gateway_->valid_for();
  }

  // How long a try may take, since everybody has to be asked.
  static constexpr std::chrono::milliseconds kPatience{250};

 private:
  explicit Grants(Served served);

  struct Grant {
    Want want{};
    Holding holding;
    std::thread::id owner = std::this_thread::get_id();
  };
  using Held = std::vector<Grant>;

  // The one the caller means, of that kind or of any. REQUIRES: mutex_ is held.
  Held::const_iterator find(std::optional<Want> want) const;
  void release_one(Want want, std::string_view call, bool is_own);

  const OwnGateway gateway_;
  const std::string name_;
  mutable std::mutex mutex_;  // Guards what follows.
  Held held_;                 // In the order in which they came.
  std::string refusal_;
};

}  // namespace hapax::detail
