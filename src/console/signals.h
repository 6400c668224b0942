// Signals as something to read instead of something that interrupts.
#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>

namespace hapax::cli {

class Signals {
 public:
  // Blocks these in this thread and in those that it starts from now on. Throws Failure.
  explicit Signals(std::initializer_list<int> signals);
  ~Signals();  // Unblocks them again.
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int descriptor() const { return descriptor_; }      // Readable when there is one to take.
  std::optional<int> take();                          // Does not wait.
  const sigset_t& former() const { return former_; }  // What was blocked before.

 private:
  sigset_t former_{};
  int descriptor_ = -1;
};

// Rung by any thread; heard by the one that polls.
class Bell {
 public:
  Bell();
  ~Bell();
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  void ring() noexcept;
  void hush() noexcept;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// Until a signal or the bell, or for this long; -1: for ever.
void wait_for(const Signals& signals, const Bell* bell, int milliseconds);

// Stops our process group as ^Z would, although we block that; returns when we are continued. Where
// no shell would continue us, the kernel does not stop us in the first place.
void stop_like_others() noexcept;

}  // namespace hapax::cli
