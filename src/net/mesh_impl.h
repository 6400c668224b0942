// What is behind Mesh: peers, guests that have yet to introduce themselves, and those on their way
// out. See mesh.h for what it promises.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/prng.h"
#include "loop/timer.h"
#include "net/connection.h"
#include "net/dialer.h"
#include "net/greeting.h"
#include "net/link.h"
#include "net/listener.h"
#include "net/mesh.h"

namespace hapax::net {

// Why the address must not be used.
std::optional<Error> objection_to(const Address& address, const MeshOptions& options);

struct MeshPeer {
  MeshPeer(Seat id_, const Identity& me, const LinkLimits& limits)
      : id(id_), link(me.incarnation, limits) {}

  Seat id;
  std::optional<Address> address;  // Nothing: not known yet.
  Link link;
  std::shared_ptr<Connection> up;  // Both know each other. Null: down.
  std::shared_ptr<Dialer> dialer;  // Null: the peer dials us, or is ourselves.
  std::uint64_t attempts = 0;      // Of our dialling it.
  std::uint64_t last_attempt = 0;  // Of this incarnation of its dialling us.
  CallVersion calls;               // In which we dial it.
  std::uint32_t version = 0;       // That we speak with it, or spoke last; 0: never.
  std::string release;             // That it runs, if it says so.
  bool is_dirty = false;           // Invariant: true if and only if in dirty_.
  bool was_up = false;
  bool is_held = false;
  std::string trouble;  // Why it is not up, if we were told.
  Milliseconds unheard{};
  Milliseconds unspoken{};
};

// A connection before both know each other.
struct MeshGuest {
  std::shared_ptr<Connection> connection;
  std::optional<Seat> dialled;    // Nothing: it came to us.
  std::optional<Seat> certified;  // By TLS.
  std::optional<Hello> hello;     // Of who came to us; it has yet to confirm.
  std::uint64_t seen;             // In our answer to it.
  std::uint64_t nonce;            // Ours.
  std::uint32_t version;          // In which it speaks.
  std::chrono::steady_clock::time_point deadline;
};

class Mesh::Impl final : public ConnectionOwner,
                         public Loop::Gatherer,
                         public std::enable_shared_from_this<Mesh::Impl> {
 public:
  Impl(Loop& io, MeshOptions options, MeshHandlers handlers, std::shared_ptr<TlsContext> tls);

  Result<void> start();
  void stop();
  Result<void> renew_tls() { return tls_ ? renew(*tls_, *options_.tls) : Result<void>{}; }
  void abandon();  // The mesh is gone: ends what stop() has not.
  bool send(Seat to, std::span<const std::uint8_t> message);
  Result<void> set_address(Seat peer, const Address& address);
  void hold(Seat peer, bool on);
  const MeshPeer& peer(Seat id) const { return peers_[number(id)]; }
  std::size_t largest_message() const { return options_.limits.frame_bytes - kDataOverhead; }
  Address listening() const;
  std::uint64_t incarnation() const { return me_.incarnation; }
  const Stats& stats() const { return stats_; }

  void on_end_of_turn() override { flush(); }
  void on_open(Connection& connection) override;
  void on_frame(Connection& connection, std::span<const std::uint8_t> body) override;
  void on_written(Connection& connection) override;
  void on_lost(Connection& connection, std::optional<Drop> fault, std::string_view why) override;

 private:
  using Time = std::chrono::steady_clock::time_point;

  using Peer = MeshPeer;
  using Guest = MeshGuest;
  using Guests = std::list<Guest>;  // The oldest first.
  struct Leaving {
    std::shared_ptr<Connection> connection;
    Time deadline;
  };

  // Connections begin.
  void accepted(Socket socket);
  void dialled(Seat to, Socket socket);
  Guests::iterator add_guest(Socket socket, Connection::Side side);
  Guests::iterator guest_of(const Connection& connection);
  void make_room(std::size_t most, std::optional<Seat> identity);
  void on_guest_frame(Guests::iterator guest, std::span<const std::uint8_t> body);
  void on_hello(Guests::iterator guest, const Hello& hello);
  void answer(Guests::iterator guest, const Hello& hello);
  void on_confirm(Guests::iterator guest, const Confirm& confirm);
  void establish(Guests::iterator guest, const Hello& hello, const std::string& release);
  void on_refusal(Guests::iterator guest, const Bye& bye);
  void call_again(Guests::iterator guest);
  // With a word of explanation if the other may be a member.
  void refuse(Guests::iterator guest, Drop why, const std::string& what);
  void remove(Guests::iterator guest);
  void retry(std::optional<Seat> dialled);

  void make_dialer(Peer& peer);

  // They go on.
  void on_peer_frame(Peer& peer, std::span<const std::uint8_t> body);
  void on_data(Peer& peer, const Data& data, Frame& frame);
  void mark_dirty(Peer& peer);
  void flush();
  void pump(Peer& peer);

  // They end.
  void hang_up(Peer& peer, Drop why, const std::string& what);
  void down(Peer& peer, std::string_view why);
  void say_bye(std::shared_ptr<Connection> up, std::optional<Drop> why, const std::string& what);
  void close_all();

  // Time passes.
  void schedule_tick();
  void tick();
  void watch(Peer& peer);

  void count(Drop why, std::optional<Seat> who, const std::string& remote, const std::string& what);
  void log(const std::string& line) const;
  // Once for each reason; without one, once for all.
  void log_unreachable(Seat peer, std::string_view why, std::optional<Drop> reason = std::nullopt);

  Loop& io_;
  MeshOptions options_;
  MeshHandlers handlers_;
  std::shared_ptr<TlsContext> tls_;
  Identity me_;
  Stats stats_;
  Prng prng_;
  std::vector<Peer> peers_;  // By id; our own place is unused.
  Guests guests_;
  std::list<Leaving> leaving_;
  std::shared_ptr<Listener> listener_;
  std::vector<Seat> dirty_;
  std::vector<Seat> flushing_;
  bool is_stopped_ = false;
  Timer timer_;
  Milliseconds tick_{};
  // What has been logged: one bit per reason for each member, and for strangers (last).
  std::vector<std::uint32_t> logged_;
};

// What people call that member.
std::string called(const MeshOptions& options, Seat peer);

}  // namespace hapax::net
