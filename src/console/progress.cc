#include "console/progress.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "console/terminal.h"

namespace hapax::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::milliseconds(400);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::size_t kWidest = 30;
constexpr std::size_t kAround = 8;  // " 100%  ", and the last column, which would wrap.

bool can_redraw() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view{term} != "dumb";
}

// ^C: the shell's prompt is to begin on a line of its own.
extern "C" void end_line(int signal) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, "\n", 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

Progress::Progress(bool wanted)
    : enabled_(wanted && can_redraw()), begin_(Clock::now()), last_(begin_) {}

Progress::~Progress() {
  if (!drawn_) return;
  std::signal(SIGINT, on_interrupt_);
  std::fputs("\r\x1b[K", stderr);
}

void Progress::show(std::uint64_t done, std::uint64_t total, std::string_view note) {
  const Clock::time_point now = Clock::now();
  if (!enabled_ || now - begin_ < kPatience || now - last_ < kInterval) return;
  last_ = now;
  if (!std::exchange(drawn_, true)) {
    on_interrupt_ = std::signal(SIGINT, end_line);
    if (on_interrupt_ == SIG_IGN) std::signal(SIGINT, SIG_IGN);  // In the background: not ours.
  }
  const std::string line =
      progress_line(done, total, note, columns_of(STDERR_FILENO).value_or(kWidest));
  std::fputs(("\r\x1b[K" + line).c_str(), stderr);
  std::fflush(stderr);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

std::string progress_line(std::uint64_t done, std::uint64_t total, std::string_view note,
                          std::size_t columns) {
  const std::size_t room = columns > kAround ? columns - kAround : 0;
  const std::size_t width = std::min(kWidest, room);
  done = std::min(done, total);
  const std::uint64_t filled = total == 0 ? 0 : done * width / total;
  std::string line;
  for (std::size_t i = 0; i < width; ++i) line += i < filled ? "█" : "░";
  return line + fmt::format(" {:3}%  {}", total == 0 ? 0 : done * 100 / total,
                            note.size() <= room - width ? note : "");
}

}  // namespace hapax::cli
