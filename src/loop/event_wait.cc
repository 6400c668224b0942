#include "loop/event_wait.h"

#include <cerrno>

#include "base/check.h"

namespace hapax {
namespace {

using Clock = std::chrono::steady_clock;

int milliseconds_until(Clock::time_point end) {
  constexpr std::chrono::hours kLongest{1};  // A look an hour costs nothing.
  if (end == Clock::time_point::max()) return -1;
  const auto now = Clock::now();
  if (end <= now) return 0;
  if (end - now > kLongest) return static_cast<int>(kLongest / std::chrono::milliseconds{1});
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(end - now).count());
}

int wait(int epoll, std::span<epoll_event> events, int milliseconds) {
  const int count = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), milliseconds);
  HAPAX_CHECK((count >= 0 || errno == EINTR));
  return count < 0 ? 0 : count;
}

}  // namespace

int look_for_events(int epoll, std::span<epoll_event> events) { return wait(epoll, events, 0); }

int wait_for_events(int epoll, std::span<epoll_event> events, Clock::time_point end,
                    Wakefulness& wakefulness) {
  int count = 0;
  if (wakefulness.finds(end, [&] { return (count = look_for_events(epoll, events)) > 0; })) {
    return count;
  }
  return wait(epoll, events, milliseconds_until(end));
}

}  // namespace hapax
