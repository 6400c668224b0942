#include "base/forks.h"

#include <pthread.h>

namespace hapax::forks_detail {

std::atomic<std::uint32_t> count{0};

namespace {

// vfork() and what starts programs by it (posix_spawn) share the parent's memory, and exec follows.
[[maybe_unused]] const int is_counting =
    pthread_atfork(nullptr, nullptr, [] { count.fetch_add(1, std::memory_order_relaxed); });

}  // namespace
}  // namespace hapax::forks_detail
