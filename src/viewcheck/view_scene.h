// What can happen to a group that changes its views, step by step. view_model.h lets the search do
// all of it in every order. A rule is left out from outside: by withholding, forging or repeating
// what a member is told.
#pragma once

#include <cstdint>

#include "viewcheck/view_clients.h"

namespace hapax {

class ViewScene : public ViewClients {
 public:
  ViewScene(const Operations& algorithm, const ViewCheckOptions& options);

  // --- what can happen to process i, alive and not late unless said otherwise ---

  using ViewStage::is_late;

  bool can_deliver(std::uint32_t from, std::uint32_t i) const;
  void deliver(std::uint32_t from, std::uint32_t i, bool again = false);
  void lose(std::uint32_t from, std::uint32_t i) { pop(from, i); }

  bool can_learn(std::uint32_t i);
  void learn(std::uint32_t i);
  bool can_propose(std::uint32_t i);
  // Reads, and has its proposal ready.
  void propose(std::uint32_t i);
  bool can_commit(std::uint32_t i) const { return keeper(i).pending().has_value(); }
  // `answered`: what became of it is told. `done`: it reached the engine.
  void commit(std::uint32_t i, bool answered, bool done);

  // Late ones only.
  void wake(std::uint32_t i);
  // As long as all is well, beats change nothing: only those that end a silence, or are refused,
  // are steps.
  bool can_beat(std::uint32_t i) const;
  void beat(std::uint32_t i);
  bool can_announce(std::uint32_t i) const;
  void announce(std::uint32_t i);

  // --- real time ---

  // The lease of i runs out. Its clients no longer count as inside, whatever they believe.
  bool can_expire(std::uint32_t i) const;
  void expire(std::uint32_t i) { touch(i).expired = true; }
  void expire_ghost(std::uint32_t i);

  // --- faults, and what people do ---

  void spend() { --touch_commons().faults; }

  void crash(std::uint32_t i);
  void restart(std::uint32_t i);
  bool can_leave(std::uint32_t i) const;
  void leave(std::uint32_t i);
  bool can_be_evicted(std::uint32_t i) const;
  void evict(std::uint32_t i);
  bool can_be_deleted(std::uint32_t i) const;
  void delete_record(std::uint32_t i);
  void wipe() { touch_commons().engine = number_of(EngineRegister{}); }
  // Restored to the first view, if there has been another since.
  bool can_be_restored() const { return engine().reg.roll.epoch > Epoch{1}; }
  void restore() { touch_commons().engine = first_engine_; }
  bool can_set() const { return engine().reg.version != 0 && engine().reg.roll.algorithms.empty(); }
  void set();  // Another algorithm, once, for the next view.
  bool can_follow(std::uint32_t i) const;
  void follow(std::uint32_t i);  // Only without settings_by_view: it goes by it at once.
  // Cut off from another member for too long: it gives way, and comes back.
  void give_way(std::uint32_t i);
  // Only without ViewRule::instance_kept.
  bool can_forget(std::uint32_t i) const;
  void forget(std::uint32_t i);

 private:
  using Handling = Keeper::Handling;

  // Runs from the start, as if it had always done so: a member that has just begun that view.
  std::uint32_t member_in(const Roll& roll, Life life);
  template <class What>
  void tell_and_take(std::uint32_t i, const Input& input, What&& what) {
    take(i, tell(i, input, what));
  }
  Register read_by(const Keeper& keeper) const;
  const Reaction& learning(std::uint32_t i);
  const Reaction& proposing(std::uint32_t i);
  // Whether somebody still relies on a lease that the engine has forgotten. Whoever sees anything
  // stand still for TTL plus margin has outwaited it: see service/record_sight.h.
  bool has_forgotten_a_lease() const;
  // An epoch that no view has exceeded, where that matters.
  Epoch by_the_clock() const;
  // Who counts in the register: with a beat, or in the roll without one.
  std::vector<Beat> sights() const;
  // Those that stand still long enough, a bit for each of sights().
  std::uint64_t overdue_for(std::uint32_t i) const;
  // Whether it goes to the member as it was before it stopped.
  bool is_for_before(std::uint32_t i, const Parcel& parcel) const;
  Handling handling(std::uint32_t i, const Parcel& parcel) const;
  void pop(std::uint32_t from, std::uint32_t i);

  std::uint32_t first_engine_ = 0;  // By number.
};

}  // namespace hapax
