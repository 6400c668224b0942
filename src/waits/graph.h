// Who waits for whom, over the names of locks: there is an edge from a lock to every lock that its
// holder waits for, since it is given back only after that. A cycle is a deadlock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hapax/client.h"

namespace hapax {

// The processes that go on only when this one does, itself first: see families.h.
using Lineage = std::function<std::vector<std::uint32_t>(const Person& waiter)>;

class WaitsFor {
 public:
  using Edges = std::map<std::string, std::set<std::string>>;

  WaitsFor(const std::vector<LockInfo>& locks, const Lineage& lineage);

  // What the waiter keeps of these from others meanwhile, by name.
  std::set<std::string> kept_by(const Person& waiter, const std::vector<LockInfo>& locks) const;
  std::set<std::string> wanted_by(const Person& holder) const;  // What the holder waits for.

  const Edges& edges() const { return edges_; }
  // The cycles that can be reached from here, each once and starting at its least name.
  std::set<std::vector<std::string>> cycles_from(const std::string& lock) const;
  // Of each knot (locks that can all be reached from each other) a shortest cycle through its least
  // name. In time that grows with the edges only, whoever made them.
  std::vector<std::vector<std::string>> cycles() const;

 private:
  using Process = std::pair<std::string, std::uint32_t>;  // Host and pid.

  void search(std::vector<std::string>& path, std::set<std::string>& done,
              std::set<std::vector<std::string>>& cycles) const;
  std::vector<std::set<std::string>> knots() const;
  std::vector<std::string> cycle_in(const std::set<std::string>& knot) const;

  Lineage lineage_;
  // By those who wait, and by whoever waits for them.
  std::map<Process, std::set<std::string>> wanted_;
  Edges edges_;
};

}  // namespace hapax
