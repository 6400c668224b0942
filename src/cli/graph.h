// Who waits for whom, over the names of locks: there is an edge from a lock to every lock that its
// holder waits for, since it is given back only after that. A cycle is a deadlock.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hapax/client.h"

namespace hapax::cli {

// Whether the holder goes on only when the waiter does: they are one process, or the holder's
// command is what waits.
using Awaits = std::function<bool(const Person& holder, const Person& waiter)>;

class WaitsFor {
 public:
  WaitsFor(std::vector<LockInfo> locks, Awaits awaits);

  // What the waiter keeps from others meanwhile, and what the holder waits for, by name.
  std::set<std::string> kept_by(const Person& waiter) const;
  std::set<std::string> wanted_by(const Person& holder) const;

  // The cycles that can be reached from here, each once and starting at its least name.
  std::set<std::vector<std::string>> cycles_from(const std::string& lock) const;

 private:
  void search(std::vector<std::string>& path, std::set<std::string>& done,
              std::set<std::vector<std::string>>& cycles) const;

  std::vector<LockInfo> locks_;
  Awaits awaits_;
  std::map<std::string, std::set<std::string>> edges_;
};

}  // namespace hapax::cli
