// The register as an engine keeps it, without one: each step is atomic.
#pragma once

#include <algorithm>
#include <set>

#include "view/keeper.h"
#include "view/roll.h"

namespace hapax {

class VirtualEngine {
 public:
  const Register& read() const { return reg_; }

  Outcome announce(Life life) {
    if (reg_.beat_of(life) != nullptr) return Outcome::conflict;
    reg_.beats.push_back({life, ++versions_});
    return Outcome::committed;
  }
  Outcome beat(Life life) {
    if (evicted_.contains(life)) return Outcome::conflict;
    for (Beat& beat : reg_.beats) {
      if (beat.life != life) continue;
      beat.version = ++versions_;
      return Outcome::committed;
    }
    return Outcome::conflict;
  }
  Outcome commit(const Proposal& proposal) {
    if (proposal.version != reg_.version) return Outcome::conflict;
    for (const Beat& beat : proposal.gone) {
      const Beat* there = reg_.beat_of(beat.life);
      if (there == nullptr || *there != beat) return Outcome::conflict;
    }
    reg_.roll = proposal.next;
    reg_.version = ++versions_;
    for (const Beat& beat : proposal.gone) {
      std::erase(reg_.beats, beat);
      evicted_.erase(beat.life);
    }
    return Outcome::committed;
  }
  void evict(Life life) { evicted_.insert(life); }

 private:
  Register reg_;
  std::uint64_t versions_ = 0;
  std::set<Life> evicted_;
};

}  // namespace hapax
