#include "cli/graph.h"

#include <algorithm>
#include <utility>

#include "catalog/catalog.h"

namespace hapax::cli {

WaitsFor::WaitsFor(std::vector<LockInfo> locks, Awaits awaits)
    : locks_(std::move(locks)), awaits_(std::move(awaits)) {
  for (const LockInfo& lock : locks_) {
    if (lock.holder) edges_[lock.name] = wanted_by(*lock.holder);
    // Every reader keeps a writer out; but another of a semaphore's units may come back first.
    const Operations* algorithm = find_algorithm(lock.algorithm);
    if (algorithm == nullptr || !algorithm->info.readers_join) continue;
    for (const Person& reader : lock.sharers) edges_[lock.name].merge(wanted_by(reader));
  }
}

std::set<std::string> WaitsFor::kept_by(const Person& waiter) const {
  std::set<std::string> names;
  for (const LockInfo& lock : locks_) {
    if (lock.holder && awaits_(*lock.holder, waiter)) names.insert(lock.name);
    const bool shares = std::any_of(lock.sharers.begin(), lock.sharers.end(),
                                    [&](const Person& p) { return awaits_(p, waiter); });
    if (shares) names.insert(lock.name);
  }
  return names;
}

std::set<std::string> WaitsFor::wanted_by(const Person& holder) const {
  std::set<std::string> names;
  for (const LockInfo& lock : locks_) {
    const bool waits = std::any_of(lock.waiters.begin(), lock.waiters.end(),
                                   [&](const Person& waiter) { return awaits_(holder, waiter); });
    if (waits) names.insert(lock.name);
  }
  return names;
}

std::set<std::vector<std::string>> WaitsFor::cycles_from(const std::string& lock) const {
  std::set<std::vector<std::string>> cycles;
  std::set<std::string> done;
  std::vector<std::string> path{lock};
  search(path, done, cycles);
  return cycles;
}

// Depth first. A lock that was left is not visited again: every knot shows at least one cycle.
void WaitsFor::search(std::vector<std::string>& path, std::set<std::string>& done,
                      std::set<std::vector<std::string>>& cycles) const {
  const auto edges = edges_.find(path.back());
  const auto& nexts = edges == edges_.end() ? std::set<std::string>{} : edges->second;
  for (const std::string& next : nexts) {
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
