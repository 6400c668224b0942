#include "cli/graph.h"

#include <algorithm>

namespace hapax::cli {
namespace {

const std::set<std::string> kNone;

const std::set<std::string>& at_or_none(const std::map<std::string, std::set<std::string>>& map,
                                        const std::string& key) {
  const auto at = map.find(key);
  return at == map.end() ? kNone : at->second;
}

}  // namespace

WaitsFor::WaitsFor(const std::vector<LockInfo>& locks, const PartyOf& party_of) {
  for (const LockInfo& lock : locks) {
    if (lock.holder) held_[party_of(*lock.holder)].insert(lock.name);
    for (const Person& waiter : lock.waiters) wanted_[party_of(waiter)].insert(lock.name);
  }
  for (const auto& [party, names] : held_) {
    for (const std::string& name : names) {
      const auto& wanted = wanted_by(party);
      edges_[name].insert(wanted.begin(), wanted.end());
    }
  }
}

const std::set<std::string>& WaitsFor::held_by(const Party& party) const {
  return at_or_none(held_, party);
}
const std::set<std::string>& WaitsFor::wanted_by(const Party& party) const {
  return at_or_none(wanted_, party);
}

std::set<std::vector<std::string>> WaitsFor::cycles_from(const std::string& lock) const {
  std::set<std::vector<std::string>> cycles;
  std::set<std::string> done;
  std::vector<std::string> path{lock};
  search(path, done, cycles);
  return cycles;
}

// Depth first. A lock that was left is not entered again: every knot shows at least one cycle.
void WaitsFor::search(std::vector<std::string>& path, std::set<std::string>& done,
                      std::set<std::vector<std::string>>& cycles) const {
  for (const std::string& next : at_or_none(edges_, path.back())) {
    const auto seen = std::find(path.begin(), path.end(), next);
    if (seen != path.end()) {
      std::vector<std::string> cycle{seen, path.end()};
      std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
      cycles.insert(std::move(cycle));
    } else if (!done.contains(next)) {
      path.push_back(next);
      search(path, done, cycles);
      path.pop_back();
    }
  }
  done.insert(path.back());
}

}  // namespace hapax::cli
