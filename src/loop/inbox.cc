#include "loop/inbox.h"

#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "loop/event_descriptor.h"

namespace hapax {

Inbox::Inbox() : event_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {}
Inbox::~Inbox() { ::close(event_); }

void Inbox::post(Task task) {
  bool sleeps = false;
  {
    const std::lock_guard lock{mutex_};
    if (closed_) return;
    tasks_.push_back(std::move(task));
    sleeps = std::exchange(rests_, false);
  }
  if (sleeps) wake();
}

void Inbox::wake() { signal(event_); }

void Inbox::take(std::vector<Task>& tasks) {
  const std::lock_guard lock{mutex_};
  tasks.swap(tasks_);
}

bool Inbox::empty() {
  const std::lock_guard lock{mutex_};
  return tasks_.empty();
}

bool Inbox::rest() {
  const std::lock_guard lock{mutex_};
  rests_ = tasks_.empty();
  return rests_;
}

void Inbox::attend() {
  const std::lock_guard lock{mutex_};
  rests_ = false;
}

void Inbox::close() {
  std::vector<Task> dropped;  // Without the lock: what ends with them may want to post.
  const std::lock_guard lock{mutex_};
  closed_ = true;
  dropped.swap(tasks_);
}

}  // namespace hapax
