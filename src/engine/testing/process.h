// Servers and commands that a test runs; they end with the test, whatever happens.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/child.h"
#include "base/testing/free_port.h"

namespace hapax::engine::testing {

// A server whose output goes to the log. It may be ended, and another one put in its place.
inline Child server(std::vector<std::string> words, const std::filesystem::path& log) {
  std::string name = words.front();
  return Child::logging_to(log, std::move(name), {.words = std::move(words)});
}

// True if a command runs and says that all is well.
inline bool run(std::vector<std::string> words, const std::filesystem::path& log) {
  Child command = server(std::move(words), log);
  return command.wait_for_end(std::chrono::minutes{1}) && command.status() == 0;
}

using hapax::testing::free_port;

inline bool is_installed(const char* program) {
  return std::system((std::string{"command -v "} + program + " >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace hapax::engine::testing
