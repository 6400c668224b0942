// The subcommands of hapax. Each adds itself to the command line and runs when it was chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hapax::cli {

// Exit statuses: as of a test or a checker, so that scripts can tell a finding from a mistake.
inline constexpr int kHolds = 0;
inline constexpr int kViolated = 1;
inline constexpr int kUsage = 2;         // Or output that could not be written, as with grep.
inline constexpr int kOutOfMemory = 70;  // Or a bug.
inline constexpr int kUnfinished = 3;

// Input that makes no sense: one line that says what to do, exit status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
T value_or_usage(Result<T> result) {
  if (!result) throw UsageError{result.error().message};
  return std::move(*result);
}

// What the chosen subcommand returned; main exits with it.
struct Outcome {
  int status = kHolds;
  std::vector<std::string> command;  // `--` and what stood behind it: `hapax run`, `hapax elect`.
};

// The commands of this group take or show real locks; their statuses are in exit_status.h.
inline constexpr const char* kLockGroup = "Locks across processes";

void add_algorithms(CLI::App& app, Outcome& outcome);
void add_compare(CLI::App& app, Outcome& outcome);
void add_sim(CLI::App& app, Outcome& outcome);
void add_check(CLI::App& app, Outcome& outcome);
void add_trace(CLI::App& app, Outcome& outcome);
void add_replay(CLI::App& app, Outcome& outcome);
void add_audit(CLI::App& app, Outcome& outcome);
void add_certs(CLI::App& app, Outcome& outcome);
void add_demo(CLI::App& app, Outcome& outcome);
void add_up(CLI::App& app, Outcome& outcome);
void add_node(CLI::App& app, Outcome& outcome);
void add_run(CLI::App& app, Outcome& outcome);
void add_lock(CLI::App& app, Outcome& outcome);
void add_try(CLI::App& app, Outcome& outcome);
void add_who(CLI::App& app, Outcome& outcome);
void add_why(CLI::App& app, Outcome& outcome);
void add_watch(CLI::App& app, Outcome& outcome);
void add_elect(CLI::App& app, Outcome& outcome);
void add_resign(CLI::App& app, Outcome& outcome);
void add_stats(CLI::App& app, Outcome& outcome);
void add_status(CLI::App& app, Outcome& outcome);
void add_members(CLI::App& app, Outcome& outcome);
void add_leave(CLI::App& app, Outcome& outcome);
void add_evict(CLI::App& app, Outcome& outcome);
void add_completion(CLI::App& app, Outcome& outcome);
void add_man(CLI::App& app, Outcome& outcome);

}  // namespace hapax::cli
