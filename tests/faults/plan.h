// What a run is to be.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace hapax::faults {

using Clock = std::chrono::steady_clock;

enum class EngineKind { embedded, etcd, zookeeper, none };  // None: a fixed list of members.

struct Plan {
  std::filesystem::path hapax, worker;  // The programs.
  std::filesystem::path folder;  // For histories and logs: stays, if there is something to see.
  // For engine, counters and gates, which sync to disk at every step: in memory, and gone with the
  // sandbox.
  std::filesystem::path fast_folder = "/dev/shm";
  EngineKind engine = EngineKind::embedded;
  unsigned servers = 3;  // Of an engine that has some.
  unsigned members = 3;
  unsigned workers = 9;
  unsigned locks = 3;
  unsigned files = 0;  // That the workers read and write as well.
  std::chrono::milliseconds ttl{1'000};
  std::chrono::milliseconds length{30'000};
  std::uint64_t seed = 1;
  std::string only;             // Kind of strike; empty: all that are possible.
  unsigned paused_holders = 0;  // Instead of drawn faults: pause the one inside, this many times.
  unsigned takeovers = 0;       // Or: kill the daemon of the one inside, this many times.
  bool has_gate = true;
  // Through libfaketime, which a daemon then runs under from its start.
  bool clocks_jump = true;
};

}  // namespace hapax::faults
