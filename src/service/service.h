// A member across views, with the clock and an engine: when to beat, to read, to propose, and when
// the lease is over. The daemon drives it with a real
// engine and a real network, the simulator with virtual ones; this is all of the view change that
// the two do not have in common.
//
// Pure and deterministic: calls in, Orders out. Every call is told the time, on a monotonic clock,
// and settles first what has run out by then. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/fence.h"
#include "core/want.h"
#include "locks/outbox.h"
#include "locks/policy.h"
#include "service/beat_watch.h"
#include "service/lease.h"
#include "service/lease_times.h"
#include "service/member_views.h"
#include "service/orders.h"
#include "service/record_sight.h"
#include "view/keeper.h"
#include "view/roll.h"

namespace hapax {

struct ServiceStats : ViewStats {
  std::uint64_t beats = 0;  // Sent to the engine …
  std::uint64_t reads = 0;  // … and so on.
  std::uint64_t proposals = 0;
};

class Service {
 public:
  // Nobody yet: see be_born(). `is_new_group`: see RecordSight. REQUIRES: `holders` outlives it.
  Service(Policy policy, const LeaseTimes& times, Holders& holders, bool is_new_group = false);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // --- time ---

  // To be called at next_deadline() at the latest.
  void on_time(Instant now, Orders& orders);
  Instant next_deadline() const;

  // --- the engine ---

  // We are connected to everybody in the register: let us in. REQUIRES: outside.
  void announce(Instant now, Orders& orders);
  void on_committed(Instant now, const EngineAsk& ask, Outcome outcome, Orders& orders);
  // `beyond`: see Keeper. REQUIRES: read after our last commit that has been answered.
  void on_register(Instant now, const Register& reg, Epoch beyond, Orders& orders);
  void on_went_back(Instant now, Orders& orders);  // Its records are older than what we have seen.
  void on_unreadable(Instant now, Orders& orders);
  // The engine was out of reach for a moment, and may have been restored.
  void look_anew() { sight_.look_anew(); }
  void set_ttl(Instant now, Span ttl, Span started, Span longest);

  // --- the other members; links are reliable and FIFO as long as both lives last ---

  void on_frame(Instant now, Life from, std::span<const std::uint8_t> frame, Orders& orders);
  // A link lost something: start the view afresh. What else these Orders send is not to be sent.
  void on_link_broken(Instant now, Orders& orders);

  // --- clients ---

  // The grant comes in these Orders or in later ones. An error if the lock table refuses, or if
  // more is asked for at this member than it can carry into the next view.
  Result<void> acquire(Instant now, std::string_view name, WaiterId waiter, Want want,
                       Orders& orders);
  // An error if the waiter does not hold the lock: it may have lost it.
  // `last`: the turn of its last entry, if it entered again by itself.
  Result<void> release(Instant now, std::string_view name, WaiterId waiter,
                       std::optional<Turn> last, Orders& orders);
  // An error if it does not wait: it may hold the lock by now.
  Result<void> abandon(Instant now, std::string_view name, WaiterId waiter, Orders& orders);
  void lose(Instant now, const std::string& name, WaiterId waiter, Orders& orders);  // Broken.

  // --- coming and going ---

  // Grants nothing any more, and proposes a view without us when nothing is held any more, at the
  // latest when the lease is over. Also for who is cut off from another member for too long and is
  // the one to give way.
  void leave(Instant now, Orders& orders);
  // Be that life, with the waiters there are, in views above `above`, and by that policy where a
  // roll does not say. REQUIRES: outside and not announced, or ended.
  void be_born(Life life, Epoch above = {}, const Policy* policy = nullptr);

  // --- what to ask ---

  const MemberViews& views() const { return views_; }
  const Keeper& keeper() const { return views_.keeper(); }
  const Register& reg() const { return reg_; }
  // How long clients may rely on what they hold; nothing if there is no lease. A margin less than
  // the lease: they have left when it is over and others come in.
  std::optional<Span> lease_left(Instant now) const;
  const Lease& lease() const { return lease_; }
  Instant promised_until() const { return lease_.end() - lease_.margin(); }
  bool is_new_group() const { return sight_.is_new_group(); }  // And nobody has been in it.
  const BeatWatch& beats() const { return beats_; }            // Of the others, as we saw them.
  // Its beat has changed not long ago.
  bool is_fresh(Life life, Instant now) const {
    return beats_.has_changed_within(lease_.times().ttl / 2, life, now);
  }
  // No answer of the engine for longer than a beat should take: the lease may run out.
  bool is_in_jeopardy(Instant now) const;
  ServiceStats stats() const;

 private:
  void settle_time(Instant now, Orders& orders);
  bool is_lease_to_end() const;
  template <class What>
  void tell_keeper(Instant now, What&& what, Orders& orders) {
    follow_up(now, views_.tell_keeper(what, orders), orders);
  }
  void follow_up(Instant now, const Keeper::Effects& effects, Orders& orders);
  void go_on(Instant now, Orders& orders);
  void ask(EngineAsk::Kind kind, Instant now, Orders& orders);
  void propose_if_due(Instant now, Orders& orders);
  Span propose_delay() const;

  MemberViews views_;
  Lease lease_;
  Register reg_;
  BeatWatch beats_;
  Instant next_beat_{};
  Instant next_read_{};
  RecordSight sight_;
  std::optional<Instant> due_since_;  // There is something to propose.
  bool is_reading_ = false;
  bool is_beating_ = false;
  bool is_announcing_ = false;
  ServiceStats stats_;  // But for what the views count.
};

}  // namespace hapax
