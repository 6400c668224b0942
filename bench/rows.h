// The rows of `bench/run`: each a Google benchmark that counts items, and what it is compared with.
#pragma once

#include <benchmark/benchmark.h>
#include <functional>
#include <string>

namespace hapax::bench {

// At least so many items a second of CPU time; beside another row, so many times that one's. 0: no
// goal, but the comparison is of interest.
struct Goal {
  double at_least = 0;
  std::string beside = {};
};

void add_row(const std::string& name, std::function<void(benchmark::State&)> run);
void add_row(const std::string& name, Goal goal, std::function<void(benchmark::State&)> run);

void add_simulator_rows();
void add_step_rows();

}  // namespace hapax::bench
