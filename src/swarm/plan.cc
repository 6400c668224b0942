#include "swarm/plan.h"

#include <chrono>
#include <fmt/format.h>

#include "base/prng.h"
#include "catalog/catalog.h"

namespace hapax {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

SwarmPlan SwarmPlan::draw(std::string_view algorithm, std::uint64_t seed, bool fixed) {
  Prng prng{seed};
  const auto from_to = [&](std::uint64_t low, std::uint64_t high) {
    return low + prng.below(high - low + 1);
  };
  const auto number = [&](std::uint64_t low, std::uint64_t high) {
    return static_cast<std::uint32_t>(from_to(low, high));
  };
  // Each run leaves out half of the kinds: what is rare among all of them is then common.
  const auto share = [&] { return prng.below(2) == 0 ? 0 : number(1, 30); };
  SwarmPlan plan;
  plan.algorithm = algorithm;
  plan.seed = seed;
  plan.fixed = fixed;
  plan.members = number(2, 6);
  plan.clients = number(2, 12);
  plan.locks = number(1, 3);
  plan.times.ttl = milliseconds{from_to(500, 3'000)};
  plan.latency = microseconds{from_to(50, 20'000)};
  plan.engine_latency = microseconds{from_to(200, 20'000)};
  plan.hold = milliseconds{from_to(1, 400)};
  if (prng.below(8) == 0) plan.hold *= 10;  // Clients that outlast their members.
  plan.think = milliseconds{from_to(1, 200)};
  plan.fault_every = plan.times.ttl * from_to(2, 12);
  plan.crashes = share();
  plan.pauses = share();
  plan.cuts = share();
  plan.resets = share();
  plan.engine_cuts = share();
  plan.leaves = share();
  plan.evictions = share();
  plan.deletions = share();
  plan.wipes = share() / 3;
  plan.restores = share();
  plan.lost_answers = prng.below(2) == 0 ? 0 : number(1, 50);
  plan.lost_frames = prng.below(2) == 0 ? 0 : number(1, 100);
  plan.repeated_frames = prng.below(2) == 0 ? 0 : number(1, 50);
  plan.overflows = prng.below(4) == 0 ? number(1, 50) : 0;
  plan.give_up = number(0, 20);
  plan.drift = number(0, 40);
  plan.unsafe = plan.times.ttl * from_to(10, 40);
  if (plan.has_units()) plan.units = number(1, 4);
  if (find_algorithm(algorithm)->info.readers_join) plan.readers = number(10, 90);
  if (!fixed && plan.wipes + plan.restores == 0) plan.settings = share();
  if (!plan.has_units() && prng.below(2) == 0) plan.threads = number(1, 8);
  plan.keeping = prng.below(4) != 0;
  return plan;
}

std::string SwarmPlan::text() const {
  const auto ms = [](Span span) { return static_cast<double>(span.count()) / 1e6; };
  return fmt::format(
      "{} seed {}{}: {} members, {} clients{}, {} threads, {} locks, ttl {:.0f} ms, latency {:.2f} "
      "ms, engine "
      "{:.2f} ms, hold {:.0f} ms, think {:.0f} ms, a fault every {:.0f} ms a member for {:.0f} ms; "
      "of the "
      "faults crash {}, pause {}, cut {}, reset {}, engine cut {}, leave {}, evict {}, delete {}, "
      "wipe {}, restore {}, settings {}; "
      "answers "
      "lost "
      "{} in 1000, frames lost {} in 10000, repeated {} in 1000, {} in 10000 find a full link, {} "
      "% give "
      "up, drift {} in 10000",
      lock_kind(), seed, fixed ? ", a fixed list" : "", members, clients,
      readers == 0 ? "" : fmt::format(" ({} % of them read)", readers), threads, locks,
      ms(times.ttl), ms(latency), ms(engine_latency), ms(hold), ms(think), ms(fault_every),
      ms(unsafe), crashes, pauses, cuts, resets, engine_cuts, leaves, evictions, deletions, wipes,
      restores, settings, lost_answers, lost_frames, repeated_frames, overflows, give_up, drift);
}

bool SwarmPlan::has_units() const { return find_algorithm(algorithm)->info.takes.units; }

std::string SwarmPlan::lock_kind() const {
  return has_units() ? fmt::format("{}:{}", algorithm, units) : algorithm;
}

}  // namespace hapax
