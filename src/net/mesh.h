// The members of a group, each connected to each: what the lectures call reliable FIFO channels, on
// Unix sockets of one user, or TCP with TLS 1.3.
//
// A message is delivered exactly once and in order as long as both incarnations live, however often
// the connection between them breaks (net/link.h). When a peer comes back as a new process,
// everything that was under way to the old one is gone, and on_forgotten says so.
//
// One connection per pair: the higher id dials the lower, and keeps trying. Everything sent to one
// peer during one turn leaves in one write. A turn is what one read brings, or what a Turn spans;
// what is sent outside of either leaves when the handlers that are ready have run.
//
// Threads: none of its own. All calls and all handlers happen on the thread that runs the
// loop. A handler may call send() and stop(), but not destroy the mesh.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/seat.h"
#include "loop/loop.h"
#include "net/address.h"
#include "net/stats.h"
#include "tls/tls.h"

namespace hapax::net {

using Milliseconds = std::chrono::milliseconds;

struct MeshLimits {
  std::size_t frame_bytes = std::size_t{1} << 20;    // The largest frame; a message is a bit less.
  std::size_t resend_bytes = std::size_t{16} << 20;  // Unacknowledged, per peer.
  std::size_t resend_messages = std::size_t{1} << 18;
  std::size_t pending = 32;      // Accepted connections that have not introduced themselves yet.
  std::size_t per_identity = 4;  // … and those that claim to be the same member.
  Milliseconds handshake{5'000};
  Milliseconds backoff_min{20};  // Between two attempts to dial; doubles, with jitter.
  Milliseconds backoff_max{2'000};
  Milliseconds ping{1'000};  // A silent connection is pinged this often; dead after three.
  Milliseconds linger{500};  // How long a goodbye may take.
};

struct MeshOptions {
  Seat self{};
  std::vector<Address> members;   // Where member 0, 1, … is reached. Only lower ids are dialled.
  std::uint32_t seats = 0;        // At least this many; where the others are is said later.
  std::optional<Address> listen;  // If not where the others reach us, e.g. 0.0.0.0:7400.
  std::string group;              // 1 … 64 characters; members of different groups never mix.
  std::string settings;           // What all must have in common; who differs is refused.
  std::uint64_t incarnation = 0;  // Of this process; 0: the wall clock in microseconds.
  std::string release{};          // What it runs, for people.
  std::optional<TlsFiles> tls;    // Without it every address must be a Unix socket …
  bool is_insecure = false;       // … or on this machine, all of whose users are trusted.
  MeshLimits limits;
  std::function<void(const std::string&)> log;  // May be empty. Must not call back.
  std::function<std::string(Seat)> called{};    // What people call it: member 2, if empty.
};

struct MeshHandlers {
  // `message` is gone when the handler returns.
  std::function<void(Seat from, std::span<const std::uint8_t> message)> on_message;
  std::function<void(Seat peer)> on_up;
  std::function<void(Seat peer, std::string_view why)> on_down;
  // The peer is a new process: what we sent and it had not acknowledged is lost, and so is what it
  // knew. Comes after on_down of the old and before on_up of the new one. Messages sent from here
  // on go to the new one.
  std::function<void(Seat peer)> on_forgotten;
};

class Mesh {
 public:
  // Refuses options that make no sense, files that do not load, and addresses at which we could
  // not tell who speaks. Opens nothing yet. Any handler may be empty.
  static Result<std::unique_ptr<Mesh>> create(Loop& io, MeshOptions options, MeshHandlers handlers);
  ~Mesh();  // Without a goodbye, unless stop() came first. No handler runs any more.
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  // Listens and dials. REQUIRES: not started before.
  [[nodiscard]] Result<void> start();

  // Where a member is reached now. An error if we could not tell there who speaks.
  // REQUIRES: started; another member.
  Result<void> set_address(Seat peer, const Address& address);

  // Takes what the certificates' files have now, for links that are made from here on.
  Result<void> renew_tls();

  // Writes what is queued, says goodbye and closes; handlers are silent from here on. The
  // loop runs out of work within limits.linger.
  void stop();

  // Queues a message, even while the peer is down; it leaves at the end of the loop's turn. False
  // if the peer has left more unacknowledged than limits allow, or the message does not fit a
  // frame: it was not taken, and if it mattered, the channel is no longer reliable. REQUIRES: `to`
  // is another member.
  [[nodiscard]] bool send(Seat to, std::span<const std::uint8_t> message);

  bool is_up(Seat peer) const;
  // Why it is not up, for people: what it or we object to. Empty: nothing was said.
  const std::string& trouble_with(Seat peer) const;
  // Of the process that the peer is, or was last; 0: it was never up.
  std::uint64_t incarnation_of(Seat peer) const;
  // The version that we speak with it, or spoke last with that process; 0: it was never up.
  std::uint32_t version_of(Seat peer) const;
  // What that process runs; empty if it did not say: then it is of an earlier version.
  const std::string& release_of(Seat peer) const;
  // Reads nothing more from a peer that is up, until told otherwise.
  void hold(Seat peer, bool on);
  std::size_t largest_message() const;
  Address listening() const;  // With the port that was free. REQUIRES: started.
  std::uint64_t incarnation() const;
  const Stats& stats() const;

 private:
  class Impl;
  explicit Mesh(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;
};

}  // namespace hapax::net
