// A thread for what blocks: jobs in order, and something to do now and then while there is none.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace hapax::engine {

class Worker {
 public:
  using Job = std::function<void()>;

  // `idle` is called after every job, and each time `every` has passed; it says whether it wants to
  // be called again before the next job.
  Worker(std::chrono::milliseconds every, std::function<bool()> idle)
      : every_(every), idle_(std::move(idle)), thread_([this] { run(); }) {}
  // Jobs not yet begun are dropped.
  ~Worker() {
    {
      const std::lock_guard lock{mutex_};
      stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void add(Job job) {
    {
      const std::lock_guard lock{mutex_};
      jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
  }

 private:
  void run() {
    std::unique_lock lock{mutex_};
    bool again = false;
    const auto woken = [this] { return stopping_ || !jobs_.empty(); };
    while (true) {
      if (again) {
        changed_.wait_for(lock, every_, woken);
      } else {
        changed_.wait(lock, woken);
      }
      if (stopping_) return;
      Job job;
      if (!jobs_.empty()) {
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      lock.unlock();
      if (job) job();
      job = nullptr;  // What it holds is released before the next wait.
      again = idle_();
      lock.lock();
    }
  }

  const std::chrono::milliseconds every_;
  const std::function<bool()> idle_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::thread thread_;  // The last member: it starts when all else is there.
};

}  // namespace hapax::engine
