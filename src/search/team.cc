#include "search/team.h"

#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "search/gate.h"

namespace hapax {

class Team::Threads {
 public:
  explicit Threads(unsigned size) : gate_(size) {
    for (unsigned t = 1; t < size; ++t) {
      threads_.emplace_back([this, t] { serve(t); });
    }
  }
  ~Threads() {
    job_ = nullptr;
    gate_.arrive_and_wait();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void run(const std::function<void(unsigned)>& job) {
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

  Gate gate_;  // Before each job and after it.
  const std::function<void(unsigned)>* job_ = nullptr;
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::vector<std::jthread> threads_;
};

Team::Team(unsigned size)
    : size_(size), threads_(size > 1 ? std::make_unique<Threads>(size) : nullptr) {}
Team::~Team() = default;

void Team::run_together(const std::function<void(unsigned)>& job) { threads_->run(job); }

}  // namespace hapax
