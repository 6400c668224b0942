#include "cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace hapax::cli {
namespace {
using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::milliseconds(400);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::uint64_t kWidth = 30;
}  // namespace

Progress::Progress(bool wanted)
    : enabled_(wanted && isatty(STDERR_FILENO) == 1), begin_(Clock::now()), last_(begin_) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::show(std::uint64_t done, std::uint64_t total, std::string_view note) {
  const Clock::time_point now = Clock::now();
  if (!enabled_ || now - begin_ < kPatience || now - last_ < kInterval) return;
  last_ = now;
  drawn_ = true;
  const std::uint64_t filled = total == 0 ? 0 : std::min(done, total) * kWidth / total;
  std::string bar;
  for (std::uint64_t i = 0; i < kWidth; ++i) bar += i < filled ? "█" : "░";
  fmt::print(stderr, "\r\x1b[K{} {:3}%  {}", bar,
             total == 0 ? 0 : std::min(done, total) * 100 / total, note);
  std::fflush(stderr);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

}  // namespace hapax::cli
