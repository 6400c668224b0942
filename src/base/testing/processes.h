// Processes that contend for something.
#pragma once

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace hapax::testing {

// REQUIRES: the test has one thread. An exception in one of them fails the test.
inline void in_processes(std::uint64_t count, const std::function<void(std::uint64_t)>& work) {
  std::vector<pid_t> children;
  for (std::uint64_t i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        work(i);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "process %d: %s\n", static_cast<int>(i), e.what());
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

}  // namespace hapax::testing
