// ^C and the like, as something to wait for beside other things, so that the program can tidy up in
// order. A SIGPIPE, from a reader who has seen enough, takes effect when this is gone.
// REQUIRES: made before the process has other threads, which must not take the signals instead.
#pragma once

#include <csignal>
#include <exception>

namespace hapax::bank {

struct Interrupted : std::exception {
  explicit Interrupted(int signal_in) : signal(signal_in) {}
  const char* what() const noexcept override { return "interrupted"; }
  int signal;
};

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int descriptor() const { return fd_; }  // Readable once there is a signal.
  void throw_if_any();                    // Throws Interrupted.

 private:
  sigset_t before_{};
  int fd_ = -1;
};

}  // namespace hapax::bank
