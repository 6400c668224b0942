#include "membership/upkeep.h"

#include <algorithm>

namespace hapax {
namespace {

constexpr int kStaleTtls = 10;  // An unannounced life is struck off after so many.

}  // namespace

Upkeep::Upkeep(const Service& service, const Registrar& registrar, const LeaseTimes& times,
               IsUp is_up)
    : service_(service), registrar_(registrar), times_(times), is_up_(std::move(is_up)) {}

bool Upkeep::is_outside() const {
  const Keeper& keeper = service_.keeper();
  return keeper.standing() == Standing::outside && keeper.self() == registrar_.me().life;
}

bool Upkeep::is_struck_off() const {
  const Life self = service_.keeper().self();
  return is_outside() && number(self) != 0 && registrar_.is_up_to_date() &&
         registrar_.directory().find(self) == nullptr;
}

// Those whose beat stands still are not waited for: nobody may be left to remove them but us.
bool Upkeep::may_announce(Instant now) const {
  const Directory& directory = registrar_.directory();
  if (!is_outside() || directory.find(service_.keeper().self()) == nullptr) return false;
  return std::all_of(directory.reg.beats.begin(), directory.reg.beats.end(), [&](const Beat& beat) {
    return is_up_(beat.life) || service_.beats().is_overdue(beat.life, now);
  });
}

bool Upkeep::is_time_to_show_life(Instant now) {
  if (!is_outside() || now - shown_ < times_.ttl) return false;
  shown_ = now;
  return true;
}

// Of two members that do not reach each other for a TTL, one goes, and comes back when it is
// connected: who reaches fewer, then who is younger. Who does not reach the engine, either, is dead
// or soon given up on, and nobody gives way to it.
std::optional<Upkeep::Reach> Upkeep::reach(Instant now) {
  const Keeper& keeper = service_.keeper();
  const bool is_member =
      keeper.standing() == Standing::running || keeper.standing() == Standing::changing;
  if (!is_member || keeper.is_leaving()) return std::nullopt;
  Reach reach;
  std::vector<Life> away;
  for (const Life life : keeper.roll().members) {
    if (life == keeper.self()) continue;
    if (is_up_(life)) {
      ++reach.members;
      down_since_.erase(life);
    } else if (now - down_since_.try_emplace(life, now).first->second > times_.ttl) {
      away.push_back(life);
    }
  }
  for (const Life life : away) {
    const Enlisted* other = registrar_.directory().find(life);
    if (other == nullptr || !service_.is_fresh(life, now)) continue;
    const bool is_ours_to_go =
        std::pair{reach.members, number(life)} < std::pair{other->reached, number(keeper.self())};
    if (!is_ours_to_go) continue;
    down_since_.clear();
    reach.gives_way_to = life;
    break;
  }
  return reach;
}

std::vector<Enlisted> Upkeep::stale(Instant now) {
  std::vector<Enlisted> stale;
  if (service_.keeper().standing() != Standing::running) return stale;
  const Directory& directory = registrar_.directory();
  std::erase_if(unannounced_, [&](const auto& u) { return directory.find(u.first) == nullptr; });
  for (const Enlisted& e : directory.lives) {
    if (e.announced) continue;
    const auto [at, is_new] = unannounced_.try_emplace(e.life, std::pair{e.version, now});
    if (!is_new && at->second.first != e.version) at->second = {e.version, now};
    if (now - at->second.second < kStaleTtls * times_.ttl || is_up_(e.life)) continue;
    at->second.second = now;
    stale.push_back(e);
  }
  return stale;
}

}  // namespace hapax
