// A member across views: the keeper, the lock table of the view that runs, what is held and waited
// for while none does, and the clock. The daemon drives it with a real engine and a real network,
// the simulator with virtual ones; this is all of the view change that the two do not have in
// common.
//
// Pure and deterministic: calls in, Orders out. Every call is told the time, on a monotonic clock,
// and settles first what has run out by then. Not thread-safe.
//
// A client's lock and fence survive a change of view; so does its place in the queue here. Lost
// means: `lost` is told for a waiter that holds, and then its lock is given back.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "core/fence.h"
#include "core/shared_algorithm.h"
#include "core/want.h"
#include "service/lease_times.h"
#include "core/lock_name.h"
#include "locks/lock_table.h"
#include "service/orders.h"
#include "locks/outbox.h"
#include "locks/policy.h"
#include "service/view_frame.h"
#include "view/keeper.h"
#include "view/roll.h"

namespace hapax {

// Who holds locks here. Asked when a view stops, or all is lost.
class Holders {
 public:
  virtual ~Holders() = default;
  // Whether the client is inside. One that only keeps the lock for later gives it up by answering
  // no, and is not inside from then on.
  virtual bool is_inside(WaiterId waiter) = 0;
  // Its grant is about to be lost, and it does not enter by it any more. The turn of its last
  // entry, if it may have entered again by itself: whoever is next counts on from there.
  virtual std::optional<Turn> take_back(WaiterId /*waiter*/) { return std::nullopt; }
};

struct ServiceStats {
  std::uint64_t views = 0;  // Begun here.
  std::uint64_t lives = 0;
  std::uint64_t old_frames = 0;   // Of a view that was over: dropped.
  std::uint64_t kept_frames = 0;  // Of a view that had not begun: kept for later.
  std::uint64_t lost_grants = 0;
  std::uint64_t beats = 0;  // Sent to the engine …
  std::uint64_t reads = 0;  // … and so on.
  std::uint64_t proposals = 0;
};

class Service {
 public:
  // Nobody yet: see be_born(). REQUIRES: `holders` outlives it.
  Service(Policy policy, const LeaseTimes& times, Holders& holders);

  // --- time ---

  // To be called at next_deadline() at the latest.
  void on_time(Instant now, Orders& orders);
  Instant next_deadline() const;

  // --- the engine ---

  // We are connected to everybody in the register: let us in. REQUIRES: outside.
  void announce(Instant now, Orders& orders);
  void on_committed(Instant now, const EngineAsk& ask, Outcome outcome, Orders& orders);
  void on_register(Instant now, const Register& reg, Orders& orders);
  void on_unreadable(Instant now, Orders& orders);

  // --- the other members; links are reliable and FIFO as long as both lives last ---

  void on_frame(Instant now, Life from, std::span<const std::uint8_t> frame, Orders& orders);
  // What it sends next would have to be kept, and too much is kept already: do not read on.
  bool is_full(Life from) const;
  // A link lost something: start the view afresh.
  void on_link_broken(Instant now, Orders& orders);
  // --- clients ---

  // The grant comes in these Orders or in later ones. An error as of the lock table's.
  Result<void> acquire(Instant now, std::string_view name, WaiterId waiter, Orders& orders) {
    return acquire(now, name, waiter, Want::exclusive, orders);
  }
  Result<void> acquire(Instant now, std::string_view name, WaiterId waiter, Want want,
                       Orders& orders);
  // An error if the waiter does not hold the lock: it may have lost it.
  // `last`: the turn of its last entry, if it entered again by itself.
  Result<void> release(Instant now, std::string_view name, WaiterId waiter,
                       std::optional<Turn> last, Orders& orders);
  // An error if it does not wait: it may hold the lock by now.
  Result<void> abandon(Instant now, std::string_view name, WaiterId waiter, Orders& orders);

  // --- coming and going ---

  // Grants nothing any more, and proposes a view without us when nothing is held any more, at the
  // latest when the lease is over. Also for who is cut off from another member for too long and is
  // the one to give way.
  void leave(Instant now, Orders& orders);
  // At first, and after `ended`: be that life, with the waiters there are.
  // REQUIRES: outside and not announced, or ended.
  void be_born(Life life);

  // --- what to ask ---

  const Keeper& keeper() const { return keeper_; }
  // The view's table; null while there is no view.
  const LockTable* table() const { return table_.get(); }
  LockTable* table() { return table_.get(); }
  const Register& reg() const { return reg_; }
  // How long clients may rely on what they hold; nothing if there is no lease. A margin less than
  // the lease: they have left when it is over and others come in.
  std::optional<Span> lease_left(Instant now) const;
  Instant lease_deadline() const { return lease_end_; }
  Instant promised_until() const { return lease_end_ - times_.margin(); }
  // Its beat stood still for so long that it is given up on, or would be if we had a say.
  bool is_overdue(Life life, Instant now) const;
  // Its beat has changed not long ago.
  bool is_fresh(Life life, Instant now) const;
  // No answer of the engine for longer than a beat should take: the lease may run out.
  bool is_in_jeopardy(Instant now) const;
  const ServiceStats& stats() const { return stats_; }
  std::size_t waiting() const;
  std::size_t held() const;

 private:
  struct Waiting {
    std::string name;
    WaiterId waiter{};
    Want want{};
  };
  struct Held {
    std::string name;
    WaiterId waiter{};
    Fence fence;
    Mode mode{};
    bool given_back = false;  // After the report: to be made up for when the view begins.
  };
  struct Kept {
    std::deque<Bytes> frames;
    std::size_t bytes = 0;
  };
  // A beat as last seen.
  struct Sight {
    Beat beat;
    Instant since{};
    bool is_told = false;  // It stood still too long, and the keeper knows.
  };
  // Entered by the algorithm; but without a lease no client is let in.
  struct Unleased {
    std::string name;
    WaiterId waiter{};
    Fence fence;
  };

  static constexpr std::size_t kMostKept = std::size_t{8} << 20;
  // Held and waited for: what a report and the requests after it can carry into the next view.
  static constexpr std::size_t kMostAsked = 400'000;

  void settle_time(Instant now, Orders& orders);
  void carry_out(Instant now, const Keeper::Effects& effects, Orders& orders);
  void lose_all(Orders& orders);
  void recall_all(Orders& orders);
  void stop();
  void report(Orders& orders);
  void begin(Orders& orders);
  void end(Orders& orders);
  void go_on(Instant now, Orders& orders);
  bool handle_kept(Instant now, Orders& orders);
  bool handle(Instant now, Life from, std::span<const std::uint8_t> frame, Orders& orders);
  void on_report(Instant now, Life from, std::span<const std::uint8_t> bytes, Orders& orders);
  void flush(Orders& orders);
  void ask(EngineAsk::Kind kind, Instant now, Orders& orders);
  void look_at_beats(Instant now, const Register& reg);
  void propose_if_due(Instant now, Orders& orders);
  Span propose_delay() const;
  bool is_unleased(WaiterId waiter) const;
  Want want_of(const std::string& name, Mode mode) const;
  static bool withdraw_grant(WaiterId waiter, Orders& orders);

  Keeper keeper_;
  Policy policy_;
  LeaseTimes times_;
  Holders& holders_;

  std::unique_ptr<LockTable> table_;  // Invariant: there exactly while the keeper runs.
  std::vector<Held> held_;            // While no view runs.
  std::vector<Waiting> wants_;        // While no view runs, in order.
  std::vector<Unleased> unleased_;    // While one does.
  // What others have reported for the view that is about to begin.
  std::map<Life, std::vector<std::string>> reports_;
  std::map<Life, Kept> kept_;
  Outbox out_;

  Register reg_;
  std::map<Life, Sight> sights_;
  Instant lease_end_{};  // Meaningful while leased.
  Instant next_beat_{};
  Instant next_read_{};
  std::optional<Instant> due_since_;  // There is something to propose.
  bool is_reading_ = false;
  bool is_beating_ = false;
  bool is_announcing_ = false;
  ServiceStats stats_;
};

}  // namespace hapax
