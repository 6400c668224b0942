#include "console/signals.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "console/exit_status.h"

namespace hapax::cli {

Signals::Signals(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, &former_);
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw Failure{kSystem, std::string{"signalfd: "} + std::strerror(errno)};
}

Signals::~Signals() {
  close(descriptor_);
  pthread_sigmask(SIG_SETMASK, &former_, nullptr);
}

std::optional<int> Signals::take() {
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

Bell::Bell() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0) throw Failure{kSystem, std::string{"eventfd: "} + std::strerror(errno)};
}
Bell::~Bell() { close(descriptor_); }

void Bell::ring() noexcept {
  const std::uint64_t one = 1;
  if (write(descriptor_, &one, sizeof one) < 0) return;  // Full: it rings already.
}
void Bell::hush() noexcept {
  std::uint64_t count = 0;
  if (read(descriptor_, &count, sizeof count) < 0) return;  // It did not ring.
}

void wait_for(const Signals& signals, const Bell* bell, int milliseconds) {
  std::array<pollfd, 2> ears{};
  ears[0] = {signals.descriptor(), POLLIN, 0};
  ears[1] = {bell != nullptr ? bell->descriptor() : -1, POLLIN, 0};
  poll(ears.data(), ears.size(), milliseconds);
}

void stop_like_others() noexcept {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  kill(0, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);  // Here we stop.
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
}

}  // namespace hapax::cli
