// Who may look at the live page. A loopback port is open to every user of the machine, so the port
// itself tells nothing of locks: one needs a pass, which the daemon gives only over its own
// sockets, where it knows who asks. Whoever shows a pass sees what that person may see.
//
// A pass is good for half a day, at this daemon and until it ends; it is nowhere but in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <string_view>

#include "base/result.h"
#include "roles/roles.h"

namespace hapax::live {

class Passes {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::hours kGoodFor{12};
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kMostOfOne = 8;  // A person's oldest makes way for the next.

  // An error if too many people have one.
  Result<std::string> issue(const Caller& caller, Instant now);
  // Whose it is; null if it is nobody's, or no more. Good until the next is issued.
  const Caller* find(std::string_view pass, Instant now) const;

 private:
  struct Issued {
    std::string pass;
    Caller caller;
    Instant until;
  };
  std::list<Issued> issued_;  // The oldest first.
};

}  // namespace hapax::live
