#include "hapax/shared_mutex.h"

#include <utility>

#include "handles/grants.h"

namespace hapax {

using detail::Grants;

SharedMutex::SharedMutex(Client& client, std::string_view name)
    : grants_(std::make_unique<Grants>(client, name)) {}
SharedMutex::SharedMutex(Node& node, std::string_view name)
    : grants_(std::make_unique<Grants>(node, name)) {}
SharedMutex::~SharedMutex() = default;

void SharedMutex::lock() { grants_->acquire_or_throw(Want::exclusive); }
bool SharedMutex::try_lock() { return try_lock_for(Grants::kPatience); }
void SharedMutex::unlock() { grants_->release(Want::exclusive, "SharedMutex::unlock"); }
void SharedMutex::lock_shared() { grants_->acquire_or_throw(Want::shared); }
bool SharedMutex::try_lock_shared() { return try_lock_shared_for(Grants::kPatience); }
void SharedMutex::unlock_shared() { grants_->release(Want::shared, "SharedMutex::unlock_shared"); }

bool SharedMutex::try_until(Clock::time_point deadline) {
  return grants_->try_acquire(Want::exclusive, deadline);
}
bool SharedMutex::try_shared_until(Clock::time_point deadline) {
  return grants_->try_acquire(Want::shared, deadline);
}

std::error_code SharedMutex::acquire_until(Clock::time_point deadline,
                                           std::stop_token cancel) noexcept {
  return grants_->acquire(Want::exclusive, deadline, cancel);
}
std::error_code SharedMutex::acquire_shared_until(Clock::time_point deadline,
                                                  std::stop_token cancel) noexcept {
  return grants_->acquire(Want::shared, deadline, cancel);
}

const std::string& SharedMutex::name() const { return grants_->name(); }
Fence SharedMutex::fence() const { return grants_->fence(); }
std::stop_token SharedMutex::lost() const { return grants_->lost(); }
std::chrono::milliseconds SharedMutex::valid_for() const { return grants_->valid_for(); }

}  // namespace hapax
