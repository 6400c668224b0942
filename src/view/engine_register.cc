#include "view/engine_register.h"

#include <algorithm>

#include "base/check.h"

namespace hapax {
namespace {

bool has(const std::vector<Life>& lives, Life life) {
  return std::binary_search(lives.begin(), lives.end(), life);
}
void add(std::vector<Life>& lives, Life life) {
  const auto at = std::lower_bound(lives.begin(), lives.end(), life);
  if (at == lives.end() || *at != life) lives.insert(at, life);
}

}  // namespace

void EngineRegister::enlist(Life life) {
  HAPAX_CHECK(!has(enlisted, life));
  HAPAX_CHECK(reg.beat_of(life) == nullptr);
  add(enlisted, life);
}

Outcome EngineRegister::beat(Life life, std::uint32_t ttl_ms) {
  if (is_evicted(life)) return Outcome::conflict;
  const bool is_first = std::erase(enlisted, life) > 0;
  const auto at = std::find_if(reg.beats.begin(), reg.beats.end(),
                               [&](const Beat& other) { return other.life >= life; });
  if (is_first) {
    reg.beats.insert(at, Beat{life, 1, ttl_ms});
    return Outcome::committed;
  }
  if (at == reg.beats.end() || at->life != life) return Outcome::conflict;
  ++at->version;
  at->ttl_ms = ttl_ms;
  return Outcome::committed;
}

Outcome EngineRegister::commit(const Proposal& proposal) {
  if (proposal.version != reg.version) return Outcome::conflict;
  for (const Beat& beat : proposal.gone) {
    const Beat* there = reg.beat_of(beat.life);
    if (there == nullptr || *there != beat) return Outcome::conflict;
  }
  reg.roll = proposal.next;
  ++reg.version;
  for (const Beat& beat : proposal.gone) {
    std::erase(reg.beats, beat);
    std::erase(evicted, beat.life);
  }
  return Outcome::committed;
}

Outcome EngineRegister::evict(Life life) {
  if (!has(enlisted, life) && reg.beat_of(life) == nullptr) return Outcome::conflict;
  add(evicted, life);
  return Outcome::committed;
}

void EngineRegister::remove(Life life) {
  std::erase(enlisted, life);
  std::erase(evicted, life);
  std::erase_if(reg.beats, [&](const Beat& beat) { return beat.life == life; });
}

bool EngineRegister::is_evicted(Life life) const { return has(evicted, life); }

}  // namespace hapax
