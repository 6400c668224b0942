// `hapax check redlock`: clients and servers of Redlock, in every order of what may happen. Time
// goes by in ticks, for all together; whoever is not paused leaves while its lock is good.
#pragma once

#include <cstdint>

#include "search/report.h"
#include "search/search.h"

namespace hapax {

inline constexpr std::uint32_t kMostRedlockServers = 5;

struct RedlockOptions {
  std::uint32_t servers = 3;
  std::uint32_t clients = 2;
  std::uint32_t tries = 1;  // Of each client.
  // Once in a run, each:
  bool pause = false;    // A client that is inside stands still for as long as it takes.
  bool drift = false;    // A server's clock begins to run twice as fast.
  bool restart = false;  // A server starts again, empty.
  // They read and write what the lock guards through a gate that checks their fences: then it is
  // not asked whether two are inside, but whether an update is lost.
  bool gate = false;
  std::uint64_t most_bytes = std::uint64_t{4} << 30;
};

// REQUIRES: 1 … kMostRedlockServers servers, 1 … 3 tries.
CheckReport check_redlock(const RedlockOptions& options, const SearchObserver& observer);

}  // namespace hapax
