// Threads that do one thing together, again and again: run(f) calls f(0) … f(size-1), each on its
// own thread, f(0) on the caller's, and returns when all have. A team of one is no thread at all.
#pragma once

#include <barrier>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace hapax {

class Team {
 public:
  explicit Team(unsigned size) : size_(size), gate_(static_cast<std::ptrdiff_t>(size)) {
    for (unsigned t = 1; t < size; ++t) {
      threads_.emplace_back([this, t] { serve(t); });
    }
  }
  ~Team() {
    if (size_ == 1) return;
    job_ = nullptr;
    gate_.arrive_and_wait();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  unsigned size() const { return size_; }

  // What one of them throws is thrown here, when all are done.
  void run(const std::function<void(unsigned)>& job) {
    if (size_ == 1) return job(0);
    job_ = &job;
    gate_.arrive_and_wait();
    do_job(0);
    gate_.arrive_and_wait();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  void serve(unsigned t) {
    for (;;) {
      gate_.arrive_and_wait();
      if (job_ == nullptr) return;
      do_job(t);
      gate_.arrive_and_wait();
    }
  }
  void do_job(unsigned t) {
    try {
      (*job_)(t);
    } catch (...) {
      const std::lock_guard lock{mutex_};
      thrown_ = std::current_exception();
    }
  }

  unsigned size_;
  std::barrier<> gate_;  // Before each job and after it.
  const std::function<void(unsigned)>* job_ = nullptr;
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::vector<std::jthread> threads_;
};

}  // namespace hapax
