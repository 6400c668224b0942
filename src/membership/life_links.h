// The mesh as views see it: links to lives rather than to seats. Here, and nowhere else, a life is
// found at its seat and a seat's life is told; what a life is inside a view, its place, is the
// roll's to say (view/roll.h). One thread, that of the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/seat.h"
#include "loop/loop.h"
#include "membership/group_options.h"
#include "net/mesh.h"
#include "records/directory.h"
#include "service/orders.h"
#include "view/roll.h"

namespace hapax {

class LifeLinks {
 public:
  struct Handlers {
    Log log;
    std::function<std::string(Seat)> called;  // What people call it.
    std::function<void(Seat, Life, std::span<const std::uint8_t>)> on_message;
    std::function<void(Seat, Life)> on_up;  // Connected, again perhaps.
    std::function<void(Seat)> on_down;
    std::function<void()> on_broken;  // A link has lost something.
  };

  LifeLinks(Loop& io, const GroupOptions& options, Handlers handlers);

  // We are that life now: listens, and lets itself be dialled. Nothing that was for the links of
  // the life before counts. May fail, because the address is taken for a moment.
  Result<void> open(Seat own, Life life);
  bool is_open() const { return mesh_ != nullptr; }
  void close();  // This life is over.
  void stop();
  Result<void> renew_tls() { return mesh_ ? mesh_->renew_tls() : Result<void>{}; }

  // Who is where.
  void learn(const Directory& directory);
  // That life sits there, or will.
  void expect(Life life, Seat seat) { seats_[life] = seat; }
  // Dials those. REQUIRES: is_open().
  void meet(const Directory& directory);

  bool is_up(Life life) const;
  std::optional<Seat> seat_of(Life life) const;
  // Also to who is not connected yet. False: the link is full and has lost it, and on_broken was
  // told; what was to be sent after it, to whomever, must not be.
  [[nodiscard]] bool send(Life to, std::span<const std::uint8_t> frame);
  // Nothing more is read from whoever sits there, until it is let go.
  void hold(Seat seat);
  void let_go(const std::function<bool(Life)>& is_to_be_held);

  // To whoever sits there and is connected; others do not hear it.
  void tell(Seat seat, std::span<const std::uint8_t> message);
  bool is_up(Seat seat) const;
  // Whether all of them, or those that are not us, are known to speak at least that version of the
  // members' wire (net/frame.h).
  bool all_speak(std::uint32_t version, const std::vector<Life>& lives) const;
  bool speaks(Seat seat, std::uint32_t version) const {
    return mesh_ && mesh_->version_of(seat) >= version;
  }
  // The release of hapax that it runs, "older" if it is too old to say; empty: never met.
  std::string release_of(Life life) const;
  std::string release_of(Seat seat) const;  // Of whoever was there last.
  // Why it is not up, as far as it or we said. REQUIRES: another one.
  std::string trouble_with(Seat seat) const { return mesh_ ? mesh_->trouble_with(seat) : ""; }
  const net::Stats& stats() const { return mesh_ ? mesh_->stats() : no_links_; }

 private:
  struct Unsent {
    std::vector<Bytes> frames;
    std::size_t bytes = 0;
  };

  net::MeshHandlers handlers();
  void on_up(Seat seat);
  Life life_at(Seat seat) const { return Life{mesh_->incarnation_of(seat)}; }

  Loop& io_;
  const GroupOptions& options_;
  Handlers handlers_;
  Seat own_{};
  std::map<Life, Seat> seats_;
  std::unique_ptr<net::Mesh> mesh_;
  std::unique_ptr<net::Mesh> last_mesh_;  // Of the life before; it may be calling us.
  std::map<Life, Unsent> unsent_;         // For lives that we are not connected to yet.
  std::set<Seat> held_;                   // Not read from.
  std::set<std::string> undialled_;       // Addresses that were complained about.
  net::Stats no_links_;
};

}  // namespace hapax
