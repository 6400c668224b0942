#include "bank/interrupts.h"

#include <cerrno>
#include <pthread.h>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

namespace hapax::bank {

Interrupts::Interrupts() {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&ours, signal);  // As nohup and `&` want it.
  }
  sigset_t blocked = ours;
  sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  fd_ = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) throw std::system_error{errno, std::generic_category(), "signalfd"};
}

Interrupts::~Interrupts() {
  close(fd_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupts::throw_if_any() {
  signalfd_siginfo info{};
  if (read(fd_, &info, sizeof info) == sizeof info) {
    throw Interrupted{static_cast<int>(info.ssi_signo)};
  }
}

}  // namespace hapax::bank
