// How many connections this process can have, and how many of them clients may take up: members
// must always be able to connect, and people to ask what is going on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sys/resource.h>

namespace hapax {

// As many as the system allows this process. For programs of our own: in others' it is theirs to
// say.
inline void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);  // If it is refused, there are fewer.
}

inline constexpr std::size_t kForQuestions = 32;  // Who takes no locks, and is soon gone.
// Members and those about to be one, the engine, files, listeners, and those who are told to go.
inline constexpr std::size_t kForOurselves = 256;

// Clients that may take locks.
inline std::size_t most_clients() {
  constexpr std::size_t kLeast = 64, kMost = 100'000;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kLeast;
  const std::size_t all = std::min<std::size_t>(limit.rlim_cur, kMost);
  return std::max(all, kLeast + kForOurselves + kForQuestions) - kForOurselves - kForQuestions;
}

}  // namespace hapax
