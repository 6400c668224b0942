#include "base/await.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <poll.h>

namespace hapax {

bool await(int fd, short events, std::chrono::steady_clock::time_point deadline) {
  using std::chrono::milliseconds;
  for (;;) {
    const auto left =
        std::min(std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()),
                 milliseconds{std::numeric_limits<int>::max()});
    if (left <= milliseconds{0}) return false;
    pollfd waiting{fd, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

}  // namespace hapax
