// The laboratory's commands, described for two programs: hapax-lab, which runs them, and hapax,
// which knows their words and hands them over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "console/command.h"

namespace hapax::cli {

struct AlgorithmsArguments {
  bool json = false;
};
Command describe_algorithms(AlgorithmsArguments& a);

struct CompareArguments {
  std::int64_t n = 10;
  std::string latency = "1ms";
  std::string inside;  // Empty: 5T.
  std::string voting_sets = "smallest";
  std::uint64_t seed = 1;
  bool narrow = false;
  bool json = false;
};
Command describe_compare(CompareArguments& a);

// Before it is known whether the algorithm excludes or elects.
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
  bool fixed = false;
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
Command describe_sim(SimArguments& a);

// Of `hapax check views` only.
struct ViewArguments {
  std::string inside = "ricart-agrawala";
  std::int64_t joiners = 0;
  std::int64_t most_faults = 1;
  std::int64_t again = 0;
  bool gate = false;
  bool fixed = false;
  std::string without;
};

struct CheckArguments {
  std::string algorithm;
  std::int64_t n = 3;
  std::int64_t entries = 1;
  bool forever = false;
  bool fifo = false;
  bool unordered = false;
  std::vector<std::string> faults;
  bool expect_progress = false;
  std::int64_t holder = 1;
  bool held = false;
  std::vector<std::int64_t> inside;
  std::int64_t units = 1;
  std::int64_t per_member = 0;
  bool no_fences = false;
  bool say_denied = false;
  std::string voting_sets = "smallest";
  bool reduce = false;
  std::int64_t threads = 1;
  std::int64_t memory_mib = 4096;
  std::string trace;
  bool json = false;
  ViewArguments views;
};
Command describe_check(CheckArguments& a);

struct TraceArguments {
  std::string file;
  std::string out;
  bool ascii = false;
  bool svg = false;
  bool json = false;
  bool shiviz = false;
};
Command describe_trace(TraceArguments& a);

struct ReplayArguments {
  std::string file;
  std::string out;
  bool check = false;
  bool minimise = false;
};
Command describe_replay(ReplayArguments& a);

struct AuditArguments {
  std::vector<std::string> files;
  bool json = false;
};
Command describe_audit(AuditArguments& a);

}  // namespace hapax::cli
