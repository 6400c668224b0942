// Threads that do one thing together, again and again: run(f) calls f(0) … f(size-1), each on its
// own thread, f(0) on the caller's, and returns when all have. A team of one is no thread at all.
#pragma once

#include <functional>
#include <memory>

namespace hapax {

class Team {
 public:
  explicit Team(unsigned size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  unsigned size() const { return size_; }

  // What one of them throws is thrown here, when all are done.
  void run(const std::function<void(unsigned)>& job) { size_ == 1 ? job(0) : run_together(job); }

 private:
  class Threads;

  void run_together(const std::function<void(unsigned)>& job);

  unsigned size_;
  std::unique_ptr<Threads> threads_;  // Null for a team of one.
};

}  // namespace hapax
