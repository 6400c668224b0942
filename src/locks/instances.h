// What the locks of a table have in common, whether one may hold them or several: how an instance
// is made, how it is forgotten, and how what it sends becomes payloads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
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
#include "wire/codec.h"

namespace hapax {

class Instances {
 public:
  Instances(const Membership& membership, const Policy& policy, LockStats& stats);
  // For a copy of the table, which has stats of its own. REQUIRES: no step is under way.
  Instances(const Instances& other, LockStats& stats)
      : membership_(other.membership_), stats_(stats), sets_(other.sets_), floors_(other.floors_) {}
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
  void encode_floors_to(Bytes& bytes) const;

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
    if (kind.sets == 0) return nullptr;
    const auto& sets = (*sets_)[kind.sets - 1];
    return sets ? &*sets : nullptr;
  }

  Membership membership_;
  LockStats& stats_;
  // Those that the policy names. Empty where there are none for so many members, and the algorithm
  // takes its own. Instances refer to them, also those of a copy.
  std::shared_ptr<const std::vector<std::optional<VotingSets>>> sets_;
  std::array<std::uint64_t, kMostAlgorithmIds> floors_{};
  InstanceEffects fx_;
};

}  // namespace hapax
