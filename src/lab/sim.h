// What `hapax sim` was asked for, before it is known whether the algorithm excludes or elects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "console/command.h"

namespace hapax::cli {

struct SimArguments {
  std::string algorithm;
  std::int64_t n = 10;
  std::int64_t requests = 1000;
  std::int64_t requesters = 0;
  std::string load = "low";
  std::string latency = "const:1ms";
  std::string inside = "5ms";
  bool fifo = false;
  bool unordered = false;
  std::vector<std::string> faults;
  std::uint64_t seed = 1;
  std::string swarm;  // Empty, or `swarm`.
  std::uint64_t seeds = 100;
  std::string voting_sets = "smallest";
  std::int64_t holder = 0;
  bool held = false;
  bool say_denied = false;
  double readers = 0;
  std::int64_t units = 1;
  bool self_check = false;
  std::vector<std::int64_t> starters;
  std::vector<std::int64_t> down;
  std::string trace;
  bool json = false;
};

// The number of processes, checked: `-n` is the first thing that people get wrong.
std::uint32_t processes(std::int64_t n);

int simulate_mutex(const SimArguments& arguments);
int simulate_election(const SimArguments& arguments);
int simulate_swarm(const SimArguments& arguments);

}  // namespace hapax::cli
