#include "loop/signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/check.h"

namespace hapax {
namespace {

// Where a signal is told, plus one: 0 is nowhere.
std::array<std::atomic<int>, NSIG> told_at{};

extern "C" void tell(int signal) {
  const int before = errno;
  const int at = told_at[static_cast<std::size_t>(signal)].load() - 1;
  const auto word = static_cast<unsigned char>(signal);
  if (at >= 0) (void)!write(at, &word, 1);  // If it is full, there are enough of them.
  errno = before;
}

void act_on(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  HAPAX_CHECK(sigaction(signal, &action, nullptr) == 0);
}

}  // namespace

Signals::Signals(Loop& loop, std::initializer_list<int> signals) : signals_(signals) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error{errno, std::generic_category(), "pipe"};
  }
  read_end_ = ends[0];
  write_end_ = ends[1];
  readiness_ = std::make_unique<Readiness>(loop, read_end_);
  for (const int signal : signals_) {
    const int before = told_at[static_cast<std::size_t>(signal)].exchange(write_end_ + 1);
    HAPAX_CHECK(before == 0);
    act_on(signal, tell);
  }
}

Signals::~Signals() {
  for (const int signal : signals_) {
    act_on(signal, SIG_DFL);
    told_at[static_cast<std::size_t>(signal)] = 0;
  }
  readiness_.reset();
  close(read_end_);
  close(write_end_);
}

void Signals::await(Once<int> then) {
  HAPAX_CHECK(!then_);
  then_ = std::move(then);
  readiness_->await_readable([this] { read(); });
}

void Signals::cancel() {
  readiness_->close();
  then_ = {};
}

void Signals::read() {
  unsigned char signal = 0;
  if (::read(read_end_, &signal, 1) == 1) return then_(signal);
  readiness_->has_nothing();
  readiness_->await_readable([this] { read(); });
}

}  // namespace hapax
