#include "handles/library_thread.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/forks.h"
#include "base/no_signals.h"

namespace hapax::client {
namespace {

struct UnderWay {
  std::mutex mutex;
  std::condition_variable is_less;
  int count = 0;
};

// The program ends: until then a daemon may be told goodbye, and a member leave its group. Not if
// exit() was called on a thread of the library, which may be the one that is waited for.
class AtExit {
 public:
  explicit AtExit(UnderWay& under_way) : under_way_(under_way) {}
  ~AtExit() {
    if (forks() != forks_) return;  // Those threads are our parent's.
    if (LibraryThread::is_this()) return;
    constexpr std::chrono::seconds kPatience{10};
    std::unique_lock lock{under_way_.mutex};
    under_way_.is_less.wait_for(lock, kPatience, [&] { return under_way_.count == 0; });
  }
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;

 private:
  UnderWay& under_way_;
  const std::uint32_t forks_ = forks();
};

}  // namespace

void do_elsewhere(std::function<void()> work) {
  static UnderWay& under_way = *new UnderWay;  // Never destroyed: a thread may outlive the rest.
  static const AtExit at_exit{under_way};
  {
    const std::lock_guard lock{under_way.mutex};
    ++under_way.count;
  }
  const NoSignals none;
  std::thread{[work = std::move(work)]() mutable {
    work();
    work = nullptr;
    const std::lock_guard lock{under_way.mutex};
    --under_way.count;
    under_way.is_less.notify_all();
  }}.detach();
}

}  // namespace hapax::client
