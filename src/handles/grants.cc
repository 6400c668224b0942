#include "handles/grants.h"

#include <utility>

#include "handles/asking.h"
#include "handles/misuse.h"
#include "hapax/error.h"

namespace hapax::detail {

Grants::Grants(Served served)
    : gateway_(std::move(served.gateway)), name_(std::move(served.name)) {}

Grants::~Grants() {
  for (const Grant& grant : held_) gateway_->give_back(grant.holding);
}

std::error_code Grants::acquire(Want want, Clock::time_point deadline,
                                const std::stop_token& cancel) noexcept {
  return without_throwing([&]() -> std::error_code {
    if (!gateway_.is_ours()) return Errc::forked;
    Holding holding;
    std::string why;
    const auto error = ask_until_good(
        *gateway_, deadline, holding,
        [&] { return gateway_->acquire_as(name_, want, deadline, cancel, holding, why); },
        [&] { gateway_->give_back(holding); });
    const std::lock_guard lock{mutex_};
    if (error) {
      if (!why.empty()) refusal_ = std::move(why);
      return error;
    }
    held_.push_back({want, std::move(holding)});
    return {};
  });
}

void Grants::acquire_or_throw(Want want) { (void)try_acquire(want, never()); }

bool Grants::try_acquire(Want want, Clock::time_point deadline) {
  const auto error = acquire(want, deadline, {});
  const bool has_reason =
      error == Errc::refused || error == Errc::forbidden || error == Errc::unavailable;
  return is_granted(error, has_reason ? refusal() : name_);
}

void Grants::release(Want want, std::string_view call) { release_one(want, call, true); }
void Grants::release_anybodys(Want want, std::string_view call) { release_one(want, call, false); }

void Grants::release_one(Want want, std::string_view call, bool is_own) {
  if (!gateway_.is_ours()) return;
  Holding holding;
  {
    const std::lock_guard lock{mutex_};
    const auto at = find(want);
    if (at == held_.end()) misused(call, name_, "it is not held");
    if (is_own && at->owner != std::this_thread::get_id()) {
      misused(call, name_, "it is held, but not by this thread");
    }
    holding = at->holding;
    held_.erase(at);
  }
  gateway_->give_back(holding);
}

Grants::Held::const_iterator Grants::find(std::optional<Want> want) const {
  const auto self = std::this_thread::get_id();
  auto best = held_.end();
  int best_claim = 0;
  for (auto at = held_.begin(); at != held_.end(); ++at) {
    if (want && at->want != *want) continue;
    const int claim = at->owner == self ? 3 : gateway_->lost(at->holding).stop_requested() ? 2 : 1;
    if (claim < best_claim) continue;
    best = at;  // The latest of equals.
    best_claim = claim;
  }
  return best;
}

Fence Grants::fence() const {
  if (!gateway_.is_ours()) throw std::system_error{make_error_code(Errc::forked), name_};
  const std::lock_guard lock{mutex_};
  const auto at = find(std::nullopt);
  if (at == held_.end()) throw std::system_error{make_error_code(Errc::not_held), name_};
  return at->holding.fence;
}

std::stop_token Grants::lost() const {
  if (!gateway_.is_ours()) return gateway_->lost();
  const std::lock_guard lock{mutex_};
  const auto at = find(std::nullopt);
  return at == held_.end() ? gateway_->lost() : gateway_->lost(at->holding);
}

std::string Grants::refusal() const {
  if (!gateway_.is_ours()) return {};
  const std::lock_guard lock{mutex_};
  return refusal_;
}

}  // namespace hapax::detail
