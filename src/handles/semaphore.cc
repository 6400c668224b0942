#include "hapax/semaphore.h"

#include <utility>

#include "handles/grants.h"

namespace hapax {

using detail::Grants;

Semaphore::Semaphore(Client& client, std::string_view name)
    : grants_(std::make_unique<Grants>(client, name)) {}
Semaphore::Semaphore(Node& node, std::string_view name)
    : grants_(std::make_unique<Grants>(node, name)) {}
Semaphore::~Semaphore() = default;

void Semaphore::acquire() { grants_->acquire_or_throw(Want::unit); }
bool Semaphore::try_acquire() { return try_acquire_for(Grants::kPatience); }
void Semaphore::release() { grants_->release_anybodys(Want::unit, "Semaphore::release"); }

bool Semaphore::try_until(Clock::time_point deadline) {
  return grants_->try_acquire(Want::unit, deadline);
}

std::error_code Semaphore::acquire_until(Clock::time_point deadline,
                                         std::stop_token cancel) noexcept {
  return grants_->acquire(Want::unit, deadline, cancel);
}

const std::string& Semaphore::name() const { return grants_->name(); }
Fence Semaphore::fence() const { return grants_->fence(); }
std::stop_token Semaphore::lost() const { return grants_->lost(); }
std::chrono::milliseconds Semaphore::valid_for() const { return grants_->valid_for(); }

}  // namespace hapax
