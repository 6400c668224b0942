// Who waits for whom, over the names of locks: there is an edge from a lock to every lock that its
// holder waits for, since it is given back only when that is had. A cycle is a deadlock.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hapax/client.h"

namespace hapax::cli {

// The one behind a holder or waiter: a process, or the job that it is a part of.
using Party = std::string;
using PartyOf = std::function<Party(const Person&)>;

class WaitsFor {
 public:
  WaitsFor(const std::vector<LockInfo>& locks, const PartyOf& party_of);

  // What it holds and what it waits for, by name.
  const std::set<std::string>& held_by(const Party& party) const;
  const std::set<std::string>& wanted_by(const Party& party) const;

  // The cycles that can be reached from here, each once and starting at its least name.
  std::set<std::vector<std::string>> cycles_from(const std::string& lock) const;

 private:
  void search(std::vector<std::string>& path, std::set<std::string>& done,
              std::set<std::vector<std::string>>& cycles) const;

  std::map<Party, std::set<std::string>> held_, wanted_;
  std::map<std::string, std::set<std::string>> edges_;
};

}  // namespace hapax::cli
