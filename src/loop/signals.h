// Signals of this process, on a loop.
#pragma once

#include <initializer_list>
#include <memory>
#include <vector>

#include "loop/descriptor.h"

namespace hapax {

// From its beginning to its end these signals do nothing but tell it. One at a time for each
// signal.
class Signals {
 public:
  Signals(Loop& loop, std::initializer_list<int> signals);  // Throws std::system_error.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // then(signal) for the next one, also if it has come already. REQUIRES: nobody waits.
  void await(Once<int> then);
  void cancel();  // Nobody waits any more.

 private:
  void read();

  const std::vector<int> signals_;
  int write_end_ = -1;
  int read_end_ = -1;
  std::unique_ptr<Readiness> readiness_;
  Once<int> then_;
};

}  // namespace hapax
