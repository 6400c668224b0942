// The locks of a member across views: the lock table of the view that runs; what is held and waited
// for while none does; and grants that wait for a lease.
//
// Pure, a value, and knows no time. Calls are told the keeper of the same member, as it is after
// what has happened. A client's lock and fence survive a change of view; so does its place in
// the queue here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "base/result.h"
#include "core/fence.h"
#include "core/shared_algorithm.h"
#include "core/want.h"
#include "locks/lock_table.h"
#include "locks/outbox.h"
#include "locks/policy.h"
#include "service/orders.h"
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
  // A view has stopped, and this is what was counted in it.
  virtual void on_stopped(const LockStats& /*stats*/) {}
};

class ViewLocks {
 public:
  // REQUIRES: `holders` outlives it and its copies, which ask the same.
  ViewLocks(Policy policy, Holders& holders);

  // --- clients; see Service ---

  Result<void> acquire(const Keeper& keeper, std::string_view name, WaiterId waiter, Want want,
                       ViewOrders& orders);
  // It is about to release, after an entry with that turn; its word knows nothing of it any more.
  void note_turn(WaiterId waiter, Turn last) { noted_.emplace(waiter, last); }
  Result<void> release(const Keeper& keeper, std::string_view name, WaiterId waiter,
                       std::optional<Turn> last, ViewOrders& orders);
  Result<void> abandon(const Keeper& keeper, std::string_view name, WaiterId waiter,
                       ViewOrders& orders);

  // --- the view that runs ---

  // REQUIRES: one does; a member of it, another one.
  void receive(const Keeper& keeper, NodeId from, std::span<const std::uint8_t> payload,
               ViewOrders& orders);
  // There is a lease again: grants that waited for one are handed out.
  void grant_what_waits_for_a_lease(ViewOrders& orders);
  // The lease is over: the clients are told, then the algorithms release.
  void lose_all(const Keeper& keeper, ViewOrders& orders);
  // The same for one holder, whose lock is broken. REQUIRES: it holds that lock, and a view runs.
  void lose(const Keeper& keeper, const std::string& name, WaiterId waiter, ViewOrders& orders);
  // We leave: who holds a lock is told to give it back.
  void recall_all(ViewOrders& orders);

  // By which locks are served in views whose roll does not say. REQUIRES: no view runs.
  void start_with(Policy policy);

  // --- from one view to the next ---

  // What survives of the view: who is inside, and who waits.
  void stop();
  // Tells the other members of the next view what is held here.
  void report(const Keeper& keeper, ViewOrders& orders);
  // A part of another member's report. An error if it reports more than a member can hold.
  Result<void> hear(Life from, ReportPart part);
  void begin(const Keeper& keeper, ViewOrders& orders);
  // Waiters go on waiting, for the next life's first view.
  void end();

  const LockTable* table() const { return table_ ? &*table_ : nullptr; }  // Null: there is no view.
  std::size_t waiting() const;
  std::size_t held() const;
  // All that what comes depends on.
  void encode_to(Bytes& bytes) const;

 private:
  struct Waiting {
    std::string name;
    WaiterId waiter{};
    Want want{};
    HAPAX_RECORD(Waiting, name, waiter, want)
  };
  struct Held {
    std::string name;
    WaiterId waiter{};
    Fence fence;
    Mode mode{};
    bool given_back = false;  // After the report: to be made up for when the view begins.
    HAPAX_RECORD(Held, name, waiter, fence, mode, given_back)
  };

  // Held and waited for: what a report and the requests after it can carry into the next view.
  static constexpr std::size_t kMostAsked = 400'000;
  // What is only kept for later counts as held, and must leave room for what is asked for: no lock
  // stays where it was used while more than that are held.
  static constexpr std::size_t kMostKept = kMostAsked / 2;

  void take_from(const std::string& name, WaiterId waiter, ViewOrders& orders);
  void follow(const Roll& roll);
  void begin_held(NodeId self);
  void begin_reported(const Keeper& keeper, ViewOrders& orders);
  void flush(const Keeper& keeper, ViewOrders& orders);
  bool is_unleased(WaiterId waiter) const;
  Want want_of(const std::string& name, Mode mode) const;
  template <class F>
  void for_each_holder(F&& f) const;

  Policy given_;
  Policy policy_;           // Of the last view, or the one that runs.
  std::string algorithms_;  // As its roll has them.
  Holders* holders_;
  std::optional<LockTable> table_;  // Invariant: there exactly while the keeper runs.
  std::vector<Held> held_;          // While no view runs.
  std::vector<Waiting> wants_;      // While no view runs, in order.
  // While one does: entered by the algorithm, but without a lease no client is let in.
  std::vector<Grant> unleased_;
  std::optional<std::pair<WaiterId, Turn>> noted_;  // Who is about to release; not for long.
  // What others have reported for the view that is about to begin.
  std::map<Life, std::vector<std::string>> reports_;
  Outbox out_;
};

}  // namespace hapax
