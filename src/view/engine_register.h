// The register with its rules, as one value: what an engine makes of each step that a member may
// ask for. The swarm and the checker keep this one; the records of a real engine are compared with
// it step by step (membership/directory_test.cc).
//
// Each step is atomic. Versions are counted for each record by itself: members only compare
// versions of the same one, and what lies between two of them is nobody's business.
#pragma once

#include <cstdint>
#include <vector>

#include "base/record.h"
#include "view/keeper.h"
#include "view/roll.h"

namespace hapax {

struct EngineRegister {
  Register reg;                // Beats are in the order of their lives.
  std::vector<Life> enlisted;  // Not announced yet; in order.
  std::vector<Life> evicted;   // Their beats are refused; in order.
  HAPAX_RECORD(EngineRegister, reg, enlisted, evicted)

  // REQUIRES: it has never been.
  void enlist(Life life);
  // Its first beat announces it: from then on it counts. A conflict: it is marked, or was removed.
  // `ttl_ms`: what it says; see Beat.
  Outcome beat(Life life, std::uint32_t ttl_ms = 0);
  Outcome commit(const Proposal& proposal);
  // Marks it, so that its lease runs out. A conflict: there is no such life.
  Outcome evict(Life life);
  // Its record is deleted, by people or by itself.
  void remove(Life life);

  bool is_evicted(Life life) const;
};

}  // namespace hapax
