// A member of a group as a service: the mesh to the other members, the lock table, and the clients
// at its door. One thread, that of the loop.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/log.h"
#include "base/result.h"
#include "campaigns/campaigns.h"
#include "core/want.h"
#include "daemon/node_config.h"
#include "figures/facts.h"
#include "locks/outbox.h"
#include "loop/loop.h"
#include "roles/roles.h"
#include "session/protocol.h"
#include "session/recording.h"
#include "visitors/asker.h"

namespace hapax {

class Daemon {
 public:
  // Reads the certificates and refuses what makes no sense; opens nothing, contacts nobody.
  static Result<std::unique_ptr<Daemon>> create(Loop& io, NodeConfig config, Log log);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Listens for members, dials them, and listens for clients. With an engine it waits until that
  // has answered, running the loop.
  [[nodiscard]] Result<void> start();
  // Runs the loop until it is out of work, and watches that it is never busy for long.
  void run();
  // Tells all who hold a lock here to leave, and calls on_left() when they have; at the latest when
  // the lease is over, or after a few seconds in a group without leases.
  void wind_up();
  // Hangs up on everybody; the loop then runs out of work. What is still held here is not
  // given back: others get it when the lease is over, and without leases never.
  void stop();

  // --- for this process itself; on the thread of the loop, once it has started ---

  // Who is about to ask.
  WaiterId next_waiter();
  // The grant comes through `asker`, perhaps before this returns. An error if it cannot be asked
  // for. REQUIRES: `asker` lives until it has been granted and released, or abandoned.
  Result<void> acquire(const std::string& name, WaiterId waiter, Asker& asker,
                       Want want = Want::exclusive);
  // `last`: the turn of its last entry, if it entered again by itself.
  void release(const std::string& name, WaiterId waiter, Turn last);
  // False if it was granted meanwhile.
  bool abandon(const std::string& name, WaiterId waiter);

  // The same for whoever wants to lead: released and abandoned alike.
  Result<WaiterId> campaign(const std::string& name, const std::string& value, Asker& asker);
  // For what leaders and observers do.
  Campaigns& campaigns();

  // Why a request for that lock was not granted in time, as far as this member knows: empty if
  // somebody holds it, or may.
  std::string why_not(const std::string& name) const;

  // `tell` is called when all members have answered, or in a second. An error if there are too many
  // such questions.
  Result<void> who(const std::string& name, std::function<void(session::Locks&&)> tell);
  // The same of all locks, up to ten thousand; one such question at a time.
  Result<void> all_locks(std::function<void(session::Locks&&)> tell);
  // The messages of one lock at all members, during so long.
  Result<void> record(const std::string& name, std::chrono::milliseconds duration,
                      std::function<void(const Result<session::Recording>&)> tell);
  // The same, with what all members say of themselves.
  Result<void> ask_how_all_are(std::function<void(session::State&&)> tell);
  session::State state() const;
  session::Stats stats() const;

  // What is granted is good until then; said again whenever it is longer, and again after a loss,
  // when everybody has been told of that. Never said in a group without leases. To be asked for
  // before start().
  void on_leased(std::function<void(Instant)> then);
  Epoch epoch() const;
  // A view runs, by a lease, and all its members are connected to us.
  bool is_complete() const;
  // As `hapax leave`; on_left() when it is done. An error if the group has a fixed list.
  Result<void> leave(std::chrono::milliseconds patience);
  // What clients may do from now on; what they hold stays theirs.
  void set_roles(Roles roles);
  const Roles& roles() const;
  // Says where the live page is and how that client gets in, if there is one.
  void on_page(std::function<Result<std::string>(const Caller&)> then);
  // Takes what the files of its certificate have now; open connections stay. Until when it is good;
  // nothing: it has none.
  Result<std::optional<std::chrono::system_clock::time_point>> renew_certificate();
  // Called when the daemon has left its group, because somebody asked it to.
  void on_left(std::function<void()> then);
  // For as long as the daemon does nothing; nothing before it has started.
  std::optional<Facts> facts() const;
  // Why nothing can be granted here now, in a sentence; empty: it can.
  std::string obstacle() const;

 private:
  class Impl;
  explicit Daemon(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;
};

}  // namespace hapax
