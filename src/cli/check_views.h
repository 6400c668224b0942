// `hapax check views`: the view change with an algorithm inside.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace hapax::cli {

// Options of `hapax check` that only the views have.
struct ViewArguments {
  std::string inside = "ricart-agrawala";
  std::int64_t joiners = 0;
  std::int64_t most_faults = 1;
  bool gate = false;
  std::string without;
  std::vector<const CLI::Option*> options;

  void add_to(CLI::App& command);
};

// The rest comes from the options that all checks have.
int run_check_views(const ViewArguments& a, std::int64_t n, std::int64_t entries,
                    const std::vector<std::string>& faults, std::uint64_t most_bytes, bool json);

}  // namespace hapax::cli
