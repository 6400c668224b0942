// A member across views, as a value: the keeper, its locks, and frames that came too early. What
// the keeper decides is carried out on the locks here; what only a driver can do (announce, beat,
// read, propose) is left to whoever drives it.
//
// Pure and deterministic, and knows neither the time nor how members agree on a roll: what happens
// is told to the keeper. The service drives it with a lease and an engine, the checker of views in
// every order. Copies go their own ways, and ask the same Holders.
//
// Lost means: `lost` is told for a waiter that holds, and then its lock is given back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "core/fence.h"
#include "core/want.h"
#include "locks/lock_table.h"
#include "locks/outbox.h"
#include "locks/policy.h"
#include "service/orders.h"
#include "service/view_locks.h"
#include "view/keeper.h"
#include "view/roll.h"
#include "wire/codec.h"

namespace hapax {

struct ViewStats {
  std::uint64_t views = 0;  // Begun here.
  std::uint64_t lives = 0;
  std::uint64_t old_frames = 0;   // Of a view that was over: dropped.
  std::uint64_t kept_frames = 0;  // Of a view that had not begun: kept for later.
  std::uint64_t lost_grants = 0;
};

// Frames of a view that has not begun here, in the order in which they came.
struct Backlog {
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // From one life.
  std::deque<Bytes> frames;                                        // Invariant: not empty.
  std::size_t bytes = 0;
};

class MemberViews {
 public:
  // Nobody yet: see be_born(). REQUIRES: `holders` outlives it and its copies.
  MemberViews(Policy policy, Holders& holders) : locks_(std::move(policy), holders) {}

  // Be that life, with the waiters there are, in views above those seen here and above `above`.
  // REQUIRES: outside and not announced, or ended.
  void be_born(Life life, Epoch above = {});
  // See ViewLocks. REQUIRES: as be_born().
  void start_with(Policy policy) { locks_.start_with(std::move(policy)); }

  // what(keeper, effects) happens to the keeper, and all that follows here. Returned for what is
  // left to do: announce, beat, read, proposal.
  template <class What>
  Keeper::Effects tell_keeper(What&& what, ViewOrders& orders) {
    Keeper::Effects effects;
    what(keeper_, effects);
    carry_out(effects, orders);
    go_on(orders);
    return effects;
  }

  // --- the other members; links are reliable and FIFO as long as both lives last ---

  void on_frame(Life from, std::span<const std::uint8_t> frame, ViewOrders& orders);
  // What it sends next would have to be kept, and too much is kept already: do not read on.
  bool is_full(Life from) const;
  // The two halves of on_frame(), for a driver that keeps its links' frames in order itself.
  Keeper::Handling what_to_do_with(std::span<const std::uint8_t> frame) const;
  void handle(Life from, std::span<const std::uint8_t> frame, ViewOrders& orders);

  // --- clients; see Service ---

  Result<void> acquire(std::string_view name, WaiterId waiter, Want want, ViewOrders& orders) {
    return locks_.acquire(keeper_, name, waiter, want, orders);
  }
  void note_turn(WaiterId waiter, Turn last) { locks_.note_turn(waiter, last); }
  Result<void> release(std::string_view name, WaiterId waiter, std::optional<Turn> last,
                       ViewOrders& orders);
  Result<void> abandon(std::string_view name, WaiterId waiter, ViewOrders& orders) {
    return locks_.abandon(keeper_, name, waiter, orders);
  }

  // Its lock is broken. REQUIRES: it holds that lock, and a view runs.
  void lose(const std::string& name, WaiterId waiter, ViewOrders& orders);

  // --- what to ask ---

  const Keeper& keeper() const { return keeper_; }
  const LockTable* table() const { return locks_.table(); }  // Null while there is no view.
  std::size_t waiting() const { return locks_.waiting(); }
  std::size_t held() const { return locks_.held(); }
  const ViewStats& stats() const { return stats_; }
  // All that what comes depends on.
  void encode_to(Bytes& bytes) const;

 private:
  void carry_out(const Keeper::Effects& effects, ViewOrders& orders);
  void go_on(ViewOrders& orders);
  bool take_backlog(ViewOrders& orders);
  bool take(Life from, std::span<const std::uint8_t> frame, ViewOrders& orders);
  void on_report(Life from, std::span<const std::uint8_t> bytes, ViewOrders& orders);

  Keeper keeper_{Life{}};
  ViewLocks locks_;
  std::map<Life, Backlog> backlogs_;
  ViewStats stats_;
};

}  // namespace hapax
