// A descriptor that a loop looks at. The kernel says when it *becomes* ready and is asked nothing
// else: whoever finds that there is nothing more to read, or no more room, says so here, and only
// then waits again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loop/loop.h"

namespace hapax {

class Descriptor {
 public:
  // It stays the caller's, who closes it after close(). REQUIRES: it does not block.
  Descriptor(Loop& loop, int fd) : loop_(loop), fd_(fd) {}
  virtual ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  // Nobody waits any more.
  void close();

  Loop& loop() const { return loop_; }

 protected:
  // on_readable() comes when there may be something to read, an end, or an error; on_writable()
  // when there may be room to write. Once, and a moment later at the earliest.
  void await_readable();
  void await_writable();
  virtual void on_readable() = 0;
  virtual void on_writable() = 0;
  // The loop is gone. What this would have called at last goes, too, in that order.
  virtual void drop_into(std::vector<Task>& dropped) = 0;

  bool awaits_readable() const { return awaits_readable_; }
  bool awaits_writable() const { return awaits_writable_; }
  // There was nothing more to read.
  void has_nothing();
  // There was less to read than asked for: nothing is left, unless the other side has ended what it
  // says.
  void has_given_all() {
    if (!has_ended_) has_nothing();
  }
  // Why the kernel would not look at it, as errno has it; 0: it does. Who waits again asks again.
  int refusal() const { return refusal_; }
  // There was no room to write.
  void has_no_room() { is_writable_ = false; }

 private:
  friend class Loop;

  void watch(bool for_room);
  void refuse(int error);
  void note(std::uint32_t events);
  bool is_due() const {
    return (is_readable_ && awaits_readable_) || (is_writable_ && awaits_writable_);
  }
  void queue_if_due();
  bool act();  // False if there was nothing to do.

  Loop& loop_;
  const int fd_;
  std::optional<std::uint64_t> key_;  // What the kernel calls it.
  int refusal_ = 0;
  bool is_watched_ = false;
  bool is_watched_for_room_ = false;
  bool awaits_readable_ = false;
  bool awaits_writable_ = false;
  bool is_readable_ = false;
  bool is_writable_ = false;
  bool has_ended_ = false;
  bool is_queued_ = false;  // Invariant: true if and only if in the loop's ready_ or ready_later_.
};

// For who has nothing to read or write that way: it is told, and does the rest.
class Readiness final : public Descriptor {
 public:
  using Descriptor::Descriptor;
  ~Readiness() override { close(); }

  // REQUIRES: nobody waits for the same.
  void await_readable(Task then) {
    on_readable_ = std::move(then);
    Descriptor::await_readable();
  }
  void await_writable(Task then) {
    on_writable_ = std::move(then);
    Descriptor::await_writable();
  }
  using Descriptor::has_nothing;
  using Descriptor::refusal;
  // What it would have called goes a moment later: it may be what keeps our owner alive.
  void close() {
    Descriptor::close();
    if (!on_readable_ && !on_writable_) return;
    loop().post([read = std::move(on_readable_), write = std::move(on_writable_)] {});
  }

 private:
  void on_readable() override { on_readable_(); }
  void on_writable() override { on_writable_(); }
  void drop_into(std::vector<Task>& dropped) override {
    dropped.push_back(std::move(on_readable_));
    dropped.push_back(std::move(on_writable_));
  }

  Task on_readable_;
  Task on_writable_;
};

}  // namespace hapax
