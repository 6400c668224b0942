#include "swarm/faults.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "catalog/catalog.h"

namespace hapax {

Faults::Faults(SwarmStage& stage, Members& members) : stage_(stage), members_(members) {
  for (std::uint32_t i = 0; i < stage.plan.members; ++i) schedule(members[i]);
}

void Faults::schedule(SwarmMember& m) {
  stage_.agenda.after(stage_.about(stage_.plan.fault_every), [this, &m] {
    if (stage_.is_healed) return;
    strike(m);
    schedule(m);
  });
}

void Faults::strike(SwarmMember& m) {
  if (!m.runs() || stage_.now() < m.asleep_until) return;
  const SwarmPlan& plan = stage_.plan;
  ++stage_.report.faults;
  const Span length = std::min(stage_.about(2 * plan.times.ttl), 8 * plan.times.ttl);
  std::uint64_t dice = stage_.prng.below(100);
  const auto falls = [&](std::uint32_t share) {
    const bool hit = dice < share;
    dice = hit ? 0 : dice - share;
    return hit;
  };
  if (falls(plan.crashes)) {
    crash(m, length);
  } else if (falls(plan.pauses)) {
    members_.sleep(m, length);
  } else if (falls(plan.cuts)) {
    cut(m, length);
  } else if (falls(plan.resets)) {
    reset(m);
  } else if (plan.fixed && falls(plan.evictions)) {
    crash(m, length);
    members_.lose_file(m);
  } else if (plan.fixed && falls(plan.engine_cuts)) {
    crash_all(length);
  } else if (falls(plan.engine_cuts)) {
    stage_.note("member {} does not reach the engine", m.index);
    m.engine_cut_until = stage_.now() + length;
  } else if (falls(plan.leaves)) {
    stage_.note("member {} leaves", m.index);
    members_.at(m, [](SwarmMember& me, Instant now) { me.leave(now); });
  } else if (falls(plan.evictions)) {
    stage_.note("member {} is evicted", m.index);
    members_.engine().state.evict(m.life());
  } else if (!plan.fixed && falls(plan.deletions)) {
    stage_.note("the record of member {} is deleted", m.index);
    members_.engine().state.remove(m.life());
  } else if (plan.fixed) {
    return;
  } else if (falls(plan.wipes)) {
    stage_.note("the engine is wiped");
    members_.engine().wipe();
    members_.break_engine_connections();
  } else if (falls(plan.restores)) {
    const bool is_copied = stage_.prng.below(2) == 0;
    stage_.note("the engine is {}", is_copied ? "copied" : "restored");
    is_copied ? members_.engine().copy() : members_.engine().restore();
    if (!is_copied) members_.break_engine_connections();
  } else if (falls(plan.settings)) {
    set();
  }
}

// A TTL that is shorter or longer, by up to three times.
void Faults::set() {
  const SwarmPlan& plan = stage_.plan;
  const Span third = std::max(Span{kShortestTtl}, plan.times.ttl / 3);
  const auto more = static_cast<std::uint64_t>((plan.longest_ttl() - third).count());
  const auto ms = std::chrono::milliseconds{1};
  const Span ttl = (third + Span{static_cast<std::int64_t>(stage_.prng.below(more + 1))}) / ms * ms;
  constexpr std::array kOthers{"naimi-trehel", "ricart-agrawala", "maekawa", "central"};
  const bool is_shared = find_algorithm(plan.algorithm)->shared;
  const std::string algorithms =
      is_shared ? plan.lock_kind() : kOthers[stage_.prng.below(kOthers.size())];
  stage_.note("somebody sets {} and a TTL of {} ms", algorithms, ttl / ms);
  members_.engine().set(algorithms, ttl);
}

void Faults::crash(SwarmMember& m, Span length) {
  members_.crash(m);
  stage_.agenda.after(length, [this, &m] { members_.start_if_down(m); });
}

void Faults::crash_all(Span length) {
  members_.crash_all();
  for (std::uint32_t i = 0; i < stage_.plan.members; ++i) {
    stage_.agenda.after(stage_.about(length), [this, i] { members_.start_if_down(members_[i]); });
  }
}

// From one other member, or from all of them, both ways or one.
void Faults::cut(const SwarmMember& m, Span length) {
  const auto only = static_cast<std::uint32_t>(stage_.prng.below(stage_.plan.members));
  const bool both_ways = stage_.prng.below(2) == 0;
  const Instant until = stage_.now() + length;
  for (std::uint32_t other = 0; other < stage_.plan.members; ++other) {
    // Whoever draws itself is cut off from everybody.
    if (other == m.index || (only != m.index && only != other)) continue;
    stage_.note("members {} and {} are cut off{}", m.index, other, both_ways ? "" : ", one way");
    members_.network().cut(m.index, other, until);
    if (both_ways) members_.network().cut(other, m.index, until);
  }
}

void Faults::reset(const SwarmMember& m) {
  const auto other = static_cast<std::uint32_t>(stage_.prng.below(stage_.plan.members));
  if (other == m.index) return;
  stage_.note("the connection of members {} and {} breaks", m.index, other);
  members_.network().reset(m.index, other);
}

}  // namespace hapax
