#include "waits/graph.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "catalog/catalog.h"

namespace hapax {

WaitsFor::WaitsFor(const std::vector<LockInfo>& locks, const Lineage& lineage) : lineage_(lineage) {
  for (const LockInfo& lock : locks) {
    for (const Person& waiter : lock.waiters) {
      for (const std::uint32_t pid : lineage_(waiter)) {
        wanted_[{waiter.host, pid}].insert(lock.name);
      }
    }
  }
  if (wanted_.empty()) return;
  const auto add = [&](const std::string& lock, const Person& holder) {
    const auto at = wanted_.find({holder.host, holder.pid});
    if (at != wanted_.end()) edges_[lock].insert(at->second.begin(), at->second.end());
  };
  for (const LockInfo& lock : locks) {
    if (lock.holder) add(lock.name, *lock.holder);
    // Every reader keeps a writer out; but another of a semaphore's units may come back first.
    if (lock.sharers.empty()) continue;
    const Operations* algorithm = find_algorithm(lock.algorithm);
    if (algorithm == nullptr || !algorithm->info.readers_join) continue;
    for (const Person& reader : lock.sharers) add(lock.name, reader);
  }
}

std::set<std::string> WaitsFor::kept_by(const Person& waiter,
                                        const std::vector<LockInfo>& locks) const {
  const std::vector<std::uint32_t> pids = lineage_(waiter);
  const auto keeps = [&](const Person& holder) {
    return holder.host == waiter.host &&
           std::find(pids.begin(), pids.end(), holder.pid) != pids.end();
  };
  std::set<std::string> names;
  for (const LockInfo& lock : locks) {
    if ((lock.holder && keeps(*lock.holder)) ||
        std::any_of(lock.sharers.begin(), lock.sharers.end(), keeps)) {
      names.insert(lock.name);
    }
  }
  return names;
}

std::set<std::string> WaitsFor::wanted_by(const Person& holder) const {
  const auto at = wanted_.find({holder.host, holder.pid});
  return at == wanted_.end() ? std::set<std::string>{} : at->second;
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

std::vector<std::vector<std::string>> WaitsFor::cycles() const {
  std::vector<std::vector<std::string>> cycles;
  for (const std::set<std::string>& knot : knots()) {
    if (auto cycle = cycle_in(knot); !cycle.empty()) cycles.push_back(std::move(cycle));
  }
  return cycles;
}

// Tarjan's strongly connected components, with a stack of its own: a chain may be very long.
std::vector<std::set<std::string>> WaitsFor::knots() const {
  struct Mark {
    std::size_t index = 0, low = 0;
    bool is_open = true;
  };
  struct Visit {
    const std::string* lock;
    std::set<std::string>::const_iterator next, end;
  };
  static const std::set<std::string> kNone;
  std::vector<std::set<std::string>> knots;
  std::map<std::string, Mark> marks;
  std::vector<const std::string*> open;
  std::vector<Visit> stack;
  const auto enter = [&](const std::string& lock) {
    const auto at = marks.emplace(lock, Mark{marks.size(), marks.size()}).first;
    open.push_back(&at->first);
    const auto edges = edges_.find(lock);
    const auto& nexts = edges == edges_.end() ? kNone : edges->second;
    stack.push_back({&at->first, nexts.begin(), nexts.end()});
  };
  for (const auto& [first, nexts] : edges_) {
    if (!marks.contains(first)) enter(first);
    while (!stack.empty()) {
      Visit& visit = stack.back();
      Mark& mark = marks.at(*visit.lock);
      if (visit.next != visit.end) {
        const std::string& next = *visit.next++;
        const auto seen = marks.find(next);
        if (seen == marks.end()) {
          enter(next);
        } else if (seen->second.is_open) {
          mark.low = std::min(mark.low, seen->second.index);
        }
        continue;
      }
      if (mark.low == mark.index) {
        std::set<std::string>& knot = knots.emplace_back();
        for (bool is_last = false; !is_last; open.pop_back()) {
          is_last = open.back() == visit.lock;
          marks.at(*open.back()).is_open = false;
          knot.insert(*open.back());
        }
      }
      const std::size_t low = mark.low;
      stack.pop_back();
      if (!stack.empty()) {
        std::size_t& below = marks.at(*stack.back().lock).low;
        below = std::min(below, low);
      }
    }
  }
  return knots;
}

// Breadth first from the least name until an edge leads back to it. Empty: it is none.
std::vector<std::string> WaitsFor::cycle_in(const std::set<std::string>& knot) const {
  const std::string& start = *knot.begin();
  std::map<std::string, std::string> from;  // Where a lock was reached from.
  std::deque<std::string> todo{start};
  while (!todo.empty()) {
    const std::string lock = std::move(todo.front());
    todo.pop_front();
    const auto edges = edges_.find(lock);
    if (edges == edges_.end()) continue;
    for (const std::string& next : edges->second) {
      if (next == start) {
        std::vector<std::string> cycle{lock};
        while (cycle.back() != start) cycle.push_back(from.at(cycle.back()));
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (knot.contains(next) && from.emplace(next, lock).second) todo.push_back(next);
    }
  }
  return {};
}

}  // namespace hapax
