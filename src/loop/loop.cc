#include "loop/loop.h"

#include <algorithm>
#include <unistd.h>

#include "base/check.h"
#include "loop/descriptor.h"
#include "loop/event_descriptor.h"
#include "loop/event_wait.h"
#include "loop/timer.h"

namespace hapax {
namespace {

constexpr std::uint64_t kInbox = ~std::uint64_t{0};

}  // namespace

Loop::Loop() : epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll")) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kInbox;
  HAPAX_CHECK(epoll_ctl(epoll_, EPOLL_CTL_ADD, inbox_->descriptor(), &event) == 0);
}

// Whoever waits may be kept alive by what it waits with.
Loop::~Loop() {
  inbox_->close();
  std::vector<Task> dropped;
  places_.for_each([&](Descriptor& who) { who.drop_into(dropped); });
  for (const auto& [at, timer] : std::exchange(timers_, {})) timer->drop_into(dropped);
  dropped.clear();
  tasks_.clear();
  gatherers_.clear();
  close(epoll_);
}

void Loop::stop() {
  stopped_ = true;
  wake();
}

std::size_t Loop::run_until(Instant end) {
  std::size_t done = 0;
  while (run_one_until(end) > 0) ++done;
  return done;
}

std::size_t Loop::poll() {
  std::size_t done = 0;
  while (poll_one() > 0) ++done;
  return done;
}

std::size_t Loop::run_one_until(Instant end) {
  bool has_looked = false;
  while (!stopped_) {
    if (do_ready()) return 1;
    end_turn();
    if (is_out_of_work()) {
      stopped_ = true;
      break;
    }
    if (std::exchange(has_looked, true) && looked_at_ >= end) break;
    wait(end);
  }
  end_turn();
  return 0;
}

// Tasks, descriptors and timers that were there at the last look, before there is another: nobody
// is kept waiting by those who come again and again. False if nothing was left to do.
bool Loop::do_ready() {
  if (next_task_ < tasks_.size()) {
    Task task = std::move(tasks_[next_task_++]);
    task();
    return true;
  }
  while (next_ready_ < ready_.size()) {
    Descriptor* const descriptor = ready_[next_ready_++];
    if (descriptor != nullptr && descriptor->act()) return true;
  }
  if (!timers_.empty() && timers_.begin()->first <= looked_at_) {
    timers_.begin()->second->fire();
    return true;
  }
  return false;
}

bool Loop::is_anything_ready() const {
  return next_task_ < tasks_.size() || next_ready_ < ready_.size() || !ready_later_.empty() ||
         (!timers_.empty() && timers_.begin()->first <= looked_at_);
}

bool Loop::is_out_of_work() { return work_ == 0 && inbox_->empty() && !is_anything_ready(); }

// Waits until something is ready, or the end.
void Loop::wait(Instant end) {
  const Instant until = std::min(end, next_timer());
  const bool may_wait = !take_next() && until > looked_at_ && inbox_->rest();
  if (!may_wait) return note(look());
  const Seen seen = await(until);
  inbox_->attend();
  note(seen);
}

Loop::Seen Loop::await(Instant end) {
  Seen seen;
  seen.count = wait_for_events(epoll_, seen.events, end, wakefulness_);
  return seen;
}

Loop::Seen Loop::look() const {
  Seen seen;
  seen.count = look_for_events(epoll_, seen.events);
  return seen;
}

void Loop::note(const Seen& seen) {
  looked_at_ = Clock::now();
  for (int i = 0; i < seen.count; ++i) {
    const epoll_event& event = seen.events[static_cast<std::size_t>(i)];
    if (event.data.u64 == kInbox) {
      reset(inbox_->descriptor());
      continue;
    }
    if (Descriptor* who = places_.find(event.data.u64)) who->note(event.events);
  }
  take_next();
}

bool Loop::take_next() {
  if (next_task_ == tasks_.size()) {
    tasks_.clear();
    next_task_ = 0;
    inbox_->take(tasks_);
  }
  if (next_ready_ == ready_.size()) {
    ready_.clear();
    next_ready_ = 0;
    ready_.swap(ready_later_);
  }
  return next_task_ < tasks_.size() || next_ready_ < ready_.size();
}

Loop::Instant Loop::next_timer() const {
  return timers_.empty() ? Instant::max() : timers_.begin()->first;
}

bool Loop::rest() { return !is_anything_ready() && inbox_->rest(); }

void Loop::tell_at_end(std::shared_ptr<Gatherer> who) { gatherers_.push_back(std::move(who)); }

// What they do may make others gather.
void Loop::end_turn() {
  while (!gatherers_.empty()) {
    told_.swap(gatherers_);
    for (const auto& who : told_) who->on_end_of_turn();
    told_.clear();
  }
}

}  // namespace hapax
