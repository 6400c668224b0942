#include "handles/farewell.h"

#include <mutex>
#include <set>
#include <utility>

namespace hapax::detail {
namespace {

struct Open {
  std::mutex mutex;
  std::set<const Farewell*> all;
};

Open& open_ones() {
  static Open& open = *new Open;  // Never destroyed: a thread may outlive the rest.
  return open;
}

}  // namespace

Farewell::Farewell(std::function<void()> say) : say_(std::move(say)) {
  const std::lock_guard lock{open_ones().mutex};
  open_ones().all.insert(this);
}

Farewell::~Farewell() {
  const std::lock_guard lock{open_ones().mutex};
  open_ones().all.erase(this);
}

void Farewell::say_all() {
  const std::lock_guard lock{open_ones().mutex};
  for (const Farewell* farewell : open_ones().all) farewell->say_();
}

}  // namespace hapax::detail
