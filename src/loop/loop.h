// An event loop: descriptors that become ready (descriptor.h), timers (timer.h), and what threads
// post. One thread at a time runs it, and everything on it happens on that thread; only post() and
// stop() may be called from any.
//
// A turn is what the events that were ready at one time bring about. All that it makes us say to
// somebody leaves in one write, at its end (tell_at_end()).
//
// Why our own: Asio reads each socket once more to learn that it is empty, and does not let a
// thread wait for its events that is not inside of it (docs/decisions/0022-a-loop-of-our-own.md).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <sys/epoll.h>
#include <utility>
#include <vector>

#include "loop/inbox.h"
#include "loop/once.h"
#include "loop/places.h"
#include "loop/wakefulness.h"

namespace hapax {

class Descriptor;
class Timer;

class Loop {
 public:
  using Clock = std::chrono::steady_clock;
  using Instant = Clock::time_point;

  // One who gathers what is to leave.
  class Gatherer {
   public:
    virtual ~Gatherer() = default;
    virtual void on_end_of_turn() = 0;
  };

  // As long as it lives, the loop is not out of work.
  class Work {
   public:
    explicit Work(Loop& loop) : loop_(loop) { ++loop_.work_; }
    ~Work() { --loop_.work_; }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    Loop& loop_;
  };

  Loop();   // Throws std::system_error.
  ~Loop();  // What is still to be done is dropped. REQUIRES: no descriptors or timers any more.
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // From any thread: done on the loop, a moment later.
  void post(Task task) { inbox_->post(std::move(task)); }
  // For threads that may outlive the loop.
  const std::shared_ptr<Inbox>& inbox() const { return inbox_; }

  // Each returns how much was done, until nothing is left to wait for, or stop(); a loop that ran
  // out of work, or was stopped, does nothing until restart().
  std::size_t run() { return run_until(Instant::max()); }
  std::size_t run_until(Instant end);
  std::size_t run_for(Clock::duration time) { return run_until(Clock::now() + time); }
  std::size_t run_one() { return run_one_until(Instant::max()); }
  std::size_t run_one_until(Instant end);
  std::size_t run_one_for(Clock::duration time) { return run_one_until(Clock::now() + time); }
  std::size_t poll();  // What is ready.
  std::size_t poll_one() { return run_one_until(Instant::min()); }
  // Nothing more is done, not even what is ready: it may count on somebody who is gone by now.
  void stop();
  bool stopped() const { return stopped_; }
  void restart() { stopped_ = false; }

  // It is told once, at the end of this turn.
  void tell_at_end(std::shared_ptr<Gatherer> who);
  void end_turn();

  // For who waits for events() to become readable, and does what is ready then.
  struct Seen {
    std::array<epoll_event, 64> events;
    int count = 0;
  };
  int events() const { return epoll_; }
  Seen await(Instant end);      // From any thread, one at a time: what has happened by then.
  Seen look() const;            // From any thread: what has happened by now.
  void note(const Seen& seen);  // It is ready now.
  bool do_ready();              // One thing. False if nothing is.
  bool take_next();             // Ready is what came since the last look. False if nothing is.
  bool is_out_of_work();
  Instant next_timer() const;  // Instant::max() if there is none.
  // Nobody looks from now on until events() is readable. False if something is ready already.
  bool rest();
  void attend() { inbox_->attend(); }  // Somebody does.
  void wake() { inbox_->wake(); }      // Makes events() readable.

 private:
  friend class Descriptor;
  friend class Timer;
  using Timers = std::multimap<Instant, Timer*>;

  bool is_anything_ready() const;
  void wait(Instant end);

  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  const int epoll_;
  std::uint64_t work_ = 0;  // Those who wait for a descriptor or a timer.
  std::atomic<bool> stopped_ = false;
  std::vector<Task> tasks_;  // Taken from the inbox; those before next_task_ are done.
  std::size_t next_task_ = 0;
  std::vector<Descriptor*> ready_;  // At the last look; those before next_ready_ have had it.
  std::size_t next_ready_ = 0;
  std::vector<Descriptor*> ready_later_;  // Since. In both, null: it is gone.
  Timers timers_;                         // That somebody waits for.
  Instant looked_at_{};                   // What was due by then is ready.
  Places places_;
  Wakefulness wakefulness_;
  std::vector<std::shared_ptr<Gatherer>> gatherers_;
  std::vector<std::shared_ptr<Gatherer>> told_;
};

}  // namespace hapax
