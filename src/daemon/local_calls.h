// What those in this process are still to be told: last, when all else has been done, since they
// may act on it at once.
#pragma once

#include <utility>
#include <vector>

#include "daemon/askers.h"
#include "daemon/daemon.h"

namespace hapax {

class LocalCalls {
 public:
  void granted(LocalAsker& asker, WaiterId waiter, Fence fence, bool may_keep) {
    grants_.push_back({&asker, waiter, fence, may_keep});
  }
  void wanted(WaiterId waiter) { wanted_.push_back(waiter); }
  // It has lost what it was to be told of.
  void withdraw(WaiterId waiter) {
    std::erase_if(grants_, [&](const Grant& grant) { return grant.waiter == waiter; });
  }

  // REQUIRES: whoever is granted something is among the askers.
  void tell(const Askers& askers) {
    if (telling_) return;  // Whoever is at it goes on.
    telling_ = true;
    while (!grants_.empty() || !wanted_.empty()) {
      for (const Grant& grant : std::exchange(grants_, {})) {
        grant.asker->on_granted(grant.waiter, grant.fence, grant.may_keep);
      }
      // What they did may have granted more. Who is not inside yet must not hear that it is wanted.
      if (!grants_.empty()) continue;
      for (const WaiterId waiter : std::exchange(wanted_, {})) {
        if (const Asker* asker = askers.find(waiter)) asker->local->on_wanted(waiter);
      }
    }
    telling_ = false;
  }

 private:
  struct Grant {
    LocalAsker* asker;
    WaiterId waiter;
    Fence fence;
    bool may_keep;
  };

  std::vector<Grant> grants_;
  std::vector<WaiterId> wanted_;
  bool telling_ = false;
};

}  // namespace hapax
