// An event loop driven by the threads that wait for it. A thread that waits takes the loop over and
// handles what comes until its own answer is there, so that no other thread has to be woken for it;
// while nobody waits, a resident thread does the same. Only one drives at a time and wakes the
// others that wait.
//
// Everything on the loop happens under one lock, which nobody holds while nothing happens: to do
// something on the loop is to take the lock and do it, on one's own thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "handles/library_thread.h"
#include "loop/loop.h"

namespace hapax::client {

// A first come, first served mutex, so that a busy driver cannot shut the others out.
class FairMutex {
 public:
  void lock() {
    const std::lock_guard turn{next_};
    inside_.lock();
  }
  void unlock() { inside_.unlock(); }

 private:
  std::mutex next_;
  std::mutex inside_;
};

class SharedLoop {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // Somebody who waits for something on the loop.
  class Waiter {
   public:
    Waiter() = default;
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

   private:
    friend class SharedLoop;

    bool done_ = false;  // The loop's.
    std::mutex mutex_;   // Guards what follows, for those who do not drive.
    std::condition_variable told_;
    bool is_told_ = false;
  };

  SharedLoop();   // Throws std::system_error.
  ~SharedLoop();  // REQUIRES: not started, or finished.
  SharedLoop(const SharedLoop&) = delete;
  SharedLoop& operator=(const SharedLoop&) = delete;

  Loop& loop() { return loop_; }

  void start();
  // Until the loop has run out of work. REQUIRES: nobody waits, or will.
  void finish();

  // An error if this thread is on a loop, this one or another: then it must not wait for one.
  static std::error_code would_deadlock();

  // Does `f` on the loop: at once; or a moment later if this thread is on another loop, whose
  // threads might be on their way here.
  template <class F>
  void visit(F f);
  // Does `f` on the loop, a moment later. Never waits, whatever this thread holds.
  void post(Task f) { loop_.post(std::move(f)); }

  // Does `begin` on the loop and waits until wake() or the deadline; after that does `late` on the
  // loop, which must wake(). REQUIRES: not on a loop.
  template <class Begin, class Late>
  void await(Waiter& waiter, Deadline deadline, Begin begin, Late late);
  // REQUIRES: on the loop.
  void wake(Waiter& waiter);

 private:
  class Guard;

  void reside();
  void look();  // By the resident.
  void take_lead(Waiter& waiter);
  void give_lead_up();
  void lead(Waiter& waiter, Deadline deadline, Guard& guard);
  bool follow(Waiter& waiter, Deadline deadline);
  bool do_ready(const bool& enough);
  void do_ready_or_kick();
  void leave();
  void kick();

  static thread_local const SharedLoop* current_;

  int resident_ = -1;  // What the resident thread waits for: kicks, and events unless led.
  int kick_ = -1;      // For the resident thread: there is work that no event will show.
  FairMutex lock_;     // Guards what follows, and everything on the loop.
  Loop loop_;
  Loop::Instant resident_wakes_at_ = Loop::Instant::max();  // If nothing happens.
  bool is_led_ = false;                                     // By somebody who waits.
  Waiter* leader_ = nullptr;                                // Invariant: null unless led.
  bool is_leader_out_ = false;                              // It waits until something happens.
  std::thread thread_;
};

// This thread is on the loop.
class SharedLoop::Guard {
 public:
  explicit Guard(SharedLoop& loop) : loop_(loop) { lock(); }
  ~Guard() {
    if (here_) unlock();
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  void lock() {
    loop_.lock_.lock();
    current_ = &loop_;
    here_.emplace();
    loop_.loop_.attend();
  }
  void unlock() {
    loop_.leave();
    here_.reset();
    current_ = nullptr;
    loop_.lock_.unlock();
  }

 private:
  SharedLoop& loop_;
  std::optional<LibraryThread> here_;  // While it has the lock.
};

template <class F>
void SharedLoop::visit(F f) {
  if (current_ == this) return f();
  if (current_ != nullptr) return post(std::move(f));
  Guard guard{*this};
  f();
  do_ready_or_kick();
}

template <class Begin, class Late>
void SharedLoop::await(Waiter& waiter, Deadline deadline, Begin begin, Late late) {
  Guard guard{*this};
  const bool leads = !is_led_;
  if (leads) take_lead(waiter);  // Before anybody can answer, which would wake the resident.
  begin();
  if (leads) {
    lead(waiter, deadline, guard);
  } else if (!waiter.done_) {
    guard.unlock();
    if (follow(waiter, deadline)) return;
    guard.lock();
  }
  if (!waiter.done_) late();
  do_ready_or_kick();
  if (leads) give_lead_up();
}

}  // namespace hapax::client
