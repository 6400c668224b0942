// What other threads hand to a loop. It outlives the loop, so that a thread need not know whether
// that is still there: what comes too late is dropped.
#pragma once

#include <mutex>
#include <vector>

#include "loop/once.h"

namespace hapax {

class Inbox {
 public:
  Inbox();  // Throws std::system_error.
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // From any thread.
  void post(Task task);

  // The rest is the loop's.
  // Readable when somebody is to be woken.
  int descriptor() const { return event_; }
  void wake();
  // Takes what has come into `tasks`, which are empty.
  void take(std::vector<Task>& tasks);
  bool empty();
  // Nobody will look from now on: whoever posts must wake. False if there is something already.
  bool rest();
  void attend();  // Somebody looks again.
  void close();

 private:
  std::mutex mutex_;  // Guards what follows but event_.
  std::vector<Task> tasks_;
  bool rests_ = false;
  bool closed_ = false;
  const int event_;
};

}  // namespace hapax
