#include "loop/wakefulness.h"

#include <cstdlib>
#include <string_view>

namespace hapax {
namespace {

bool is_allowed() {
  static const bool is_allowed = [] {
    const char* const value = std::getenv("HAPAX_AWAKE");
    return value == nullptr || std::string_view{value} != "no";
  }();
  return is_allowed;
}

// A thread of a real-time policy yields to nobody whom it may be waiting for, or gives up more than
// it means to.
bool can_yield() {
  thread_local const bool can_yield = [] {
    const int policy = sched_getscheduler(0);
    return policy == SCHED_OTHER || policy == SCHED_BATCH;
  }();
  return can_yield;
}

}  // namespace

Wakefulness::Wakefulness() : is_allowed_(is_allowed()) {}

bool Wakefulness::may_be_awake() const { return is_allowed_ && can_yield(); }

}  // namespace hapax
