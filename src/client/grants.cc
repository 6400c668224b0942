#include "client/grants.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "client/asking.h"
#include "hapax/error.h"

namespace hapax::detail {

Grants::Grants(std::shared_ptr<Gateway> gateway, std::string_view name)
    : gateway_(std::move(gateway)), name_(checked_name(name)) {}

Grants::~Grants() {
  for (const Grant& grant : held_) gateway_->give_back(grant.holding);
}

std::error_code Grants::acquire(Want want, Clock::time_point deadline,
                                const std::stop_token& cancel) noexcept {
  return without_throwing([&]() -> std::error_code {
    Holding holding;
    std::string why;
    const auto error = gateway_->acquire_as(name_, want, deadline, cancel, holding, why);
    const std::lock_guard lock{mutex_};
    if (error) {
      if (!why.empty()) refusal_ = std::move(why);
      return error;
    }
    held_.push_back({want, holding});
    return {};
  });
}

void Grants::acquire_or_throw(Want want) {
  const auto error = acquire(want, never(), {});
  if (error == Errc::refused || error == Errc::forbidden) throw std::system_error{error, refusal()};
  if (error) throw std::system_error{error, name_};
}

void Grants::release(Want want) {
  Holding holding;
  {
    const std::lock_guard lock{mutex_};
    const auto at = std::find_if(held_.rbegin(), held_.rend(),
                                 [&](const Grant& grant) { return grant.want == want; });
    HAPAX_CHECK(at != held_.rend());
    holding = at->holding;
    held_.erase(std::next(at).base());
  }
  gateway_->give_back(holding);
}

Fence Grants::fence(Want want) const {
  const std::lock_guard lock{mutex_};
  const auto at = std::find_if(held_.rbegin(), held_.rend(),
                               [&](const Grant& grant) { return grant.want == want; });
  HAPAX_CHECK(at != held_.rend());
  return at->holding.fence;
}

bool Grants::holds(Want want) const {
  const std::lock_guard lock{mutex_};
  return std::any_of(held_.begin(), held_.end(),
                     [&](const Grant& grant) { return grant.want == want; });
}

std::string Grants::refusal() const {
  const std::lock_guard lock{mutex_};
  return refusal_;
}

}  // namespace hapax::detail
