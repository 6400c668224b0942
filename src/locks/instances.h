// What the locks of a table have in common, whether one may hold them or several: how an instance
// is made, how it is forgotten, and how what it sends becomes payloads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "core/instance.h"
#include "core/view.h"
#include "locks/lock_table.h"
#include "locks/outbox.h"
#include "locks/policy.h"
#include "voting/voting_sets.h"

namespace hapax {

class Instances {
 public:
  Instances(const Membership& membership, const Policy& policy, LockStats& stats);
  Instances(const Instances&) = delete;
  Instances& operator=(const Instances&) = delete;

  // What the kind says, to the algorithm. Lives as long as this.
  MutexChoices choices_for(const LockKind& kind) const {
    return {.voting_sets = sets_for(kind), .units = kind.units};
  }
  View view_of(NodeId home, bool held = false) const {
    return {membership_.epoch, membership_.size, membership_.self, home, held};
  }
  static Instance make(const LockKind& kind, const View& view, const MutexChoices& choices);

  // --- forgetting ---

  // The highest counter forgotten of that algorithm, in this view.
  std::uint64_t floor_of(const Instance& instance) const { return floors_[place_of(instance)]; }
  // Whether nothing but its counter tells it from a new one; then it may be forgotten. One whose
  // counter is beyond what counting can have reached is kept: a peer that made it up must not
  // spoil, by the floor, the locks that it has nothing to do with.
  bool forget_if_like_new(const Instance& instance, const View& view, const MutexChoices& choices);

  // --- sending ---

  // What the step under way does.
  InstanceEffects& effects() { return fx_; }
  // One send of the effects, as a payload about that lock, to each receiver.
  void post(const InstanceEffects::Send& send, const Instance& instance, const LockKind& kind,
            std::string_view name, Outbox& out);
  void post_wake(const Instance& instance, std::string_view name, NodeId home, Outbox& out);
  // The algorithm refuses what `from` sent.
  void complain_if_rejected(NodeId from, const Instance& instance, std::string_view name,
                            Outbox& out) const;
  void count_received(const Instance& instance) { ++counts(instance).received; }

 private:
  static std::size_t place_of(const Instance& instance) { return number(instance.info().id); }
  LockStats::PerAlgorithm& counts(const Instance& instance) {
    return stats_.algorithms[place_of(instance)];
  }
  const VotingSets* sets_for(const LockKind& kind) const {
    return kind.sets == 0 || !sets_[kind.sets - 1] ? nullptr : &*sets_[kind.sets - 1];
  }

  Membership membership_;
  LockStats& stats_;
  // Those that the policy names. Empty where there are none for so many members, and the algorithm
  // takes its own.
  std::vector<std::optional<VotingSets>> sets_;
  std::array<std::uint64_t, kMostAlgorithmIds> floors_{};
  InstanceEffects fx_;
};

}  // namespace hapax
