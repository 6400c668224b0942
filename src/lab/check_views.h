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

// Of the options that other checks have as well.
struct CommonArguments {
  std::int64_t n = 3;
  std::int64_t entries = 1;
  std::int64_t units = 1;
  std::vector<std::string> faults;
  std::uint64_t most_bytes = 0;
  bool json = false;
};
int run_check_views(const ViewArguments& a, const CommonArguments& common);

}  // namespace hapax::cli
