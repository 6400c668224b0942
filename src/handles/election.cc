#include "hapax/election.h"

#include <mutex>
#include <utility>

#include "core/lock_name.h"
#include "handles/asking.h"
#include "handles/candidate.h"
#include "handles/changes.h"
#include "handles/own_gateway.h"
#include "hapax/error.h"

namespace hapax {
namespace {

// Longer than a daemon waits for its members.
constexpr std::chrono::seconds kToAnswer{4};

bool is_good_value(std::string_view value) {
  return value.empty() || (value.size() <= Election::kLongestValue && check_lock_name(value));
}

}  // namespace

// --- observers ---

class Election::Observation::Impl {
 public:
  Impl(const detail::OwnGateway& gateway, const std::string& name)
      : gateway_(gateway), id_(gateway_->observe(name, changes_)) {}
  ~Impl() { gateway_->unobserve(id_); }

  bool is_ours() const { return gateway_.is_ours(); }
  detail::Changes& changes() { return *changes_; }

 private:
  const std::shared_ptr<detail::Changes> changes_ = std::make_shared<detail::Changes>();
  const detail::OwnGateway gateway_;
  const std::uint64_t id_;
};

Election::Observation::Observation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Election::Observation::Observation(Observation&&) noexcept = default;
Election::Observation& Election::Observation::operator=(Observation&&) noexcept = default;
// In a child it stays: to destroy what threads of the parent wait for is to wait for them.
Election::Observation::~Observation() {
  if (impl_ && !impl_->is_ours()) (void)impl_.release();
}

std::optional<Election::Change> Election::Observation::next(std::stop_token cancel) {
  return next_until(detail::never(), std::move(cancel));
}
std::optional<Election::Change> Election::Observation::next_until(Clock::time_point deadline,
                                                                  std::stop_token cancel) {
  if (!impl_->is_ours()) return std::nullopt;
  return impl_->changes().next(deadline, cancel);
}
bool Election::Observation::is_lost() const {
  return !impl_->is_ours() || impl_->changes().is_closed();
}

// --- candidates ---

class Election::Impl {
 public:
  explicit Impl(detail::Served served)
      : gateway_(std::move(served.gateway)), name_(std::move(served.name)) {}
  ~Impl() {
    if (stage_ == Stage::leading) gateway_->resign(holding_);
  }

  std::error_code campaign(const std::string& value, Clock::time_point deadline,
                           const std::stop_token& cancel) {
    if (!gateway_.is_ours()) return Errc::forked;
    if (!is_good_value(value)) return Errc::bad_value;
    const auto candidate = std::make_shared<detail::Candidate>();
    {
      const std::lock_guard lock{mutex_};
      if (stage_ != Stage::idle) return std::make_error_code(std::errc::operation_in_progress);
      stage_ = Stage::campaigning;
      candidate_ = candidate;
    }
    detail::Holding holding;
    const auto error = ask_until_good(
        *gateway_, deadline, holding,
        [&] { return gateway_->campaign(name_, value, deadline, cancel, candidate, holding); },
        [&] { gateway_->resign(holding); });
    const std::lock_guard lock{mutex_};
    stage_ = error ? Stage::idle : Stage::leading;
    holding_ = holding;
    return error;
  }
  void resign() {
    if (!gateway_.is_ours()) return;
    const std::lock_guard lock{mutex_};
    if (stage_ != Stage::leading) throw std::system_error{make_error_code(Errc::not_held), name_};
    stage_ = Stage::idle;
    gateway_->resign(holding_);
  }
  std::error_code hand_over(const std::string& to) {
    if (!gateway_.is_ours()) return Errc::forked;
    detail::Holding holding;
    {
      const std::lock_guard lock{mutex_};
      if (stage_ != Stage::leading) return Errc::not_held;
      holding = holding_;
    }
    if (!is_good_value(to)) return Errc::bad_value;
    if (gateway_->lost(holding).stop_requested()) return Errc::not_held;
    if (const auto error = gateway_->hand_over(holding, to)) return error;
    const std::lock_guard lock{mutex_};
    stage_ = Stage::idle;
    return {};
  }
  bool is_leader() const {
    if (!gateway_.is_ours()) return false;
    const std::lock_guard lock{mutex_};
    return stage_ == Stage::leading && !lost_token().stop_requested();
  }
  std::stop_token lost() const {
    if (!gateway_.is_ours()) return gateway_->lost();
    const std::lock_guard lock{mutex_};
    return lost_token();
  }
  std::chrono::milliseconds valid_for() const {
    return lost().stop_requested() ? std::chrono::milliseconds{0} : gateway_->valid_for();
  }
  Fence fence() const {
    require_ours();
    const std::lock_guard lock{mutex_};
    if (stage_ != Stage::leading) throw std::system_error{make_error_code(Errc::not_held), name_};
    return holding_.fence;
  }
  std::shared_ptr<detail::Candidate> candidate() const {
    if (!gateway_.is_ours()) return std::make_shared<detail::Candidate>();  // Nobody asks it.
    const std::lock_guard lock{mutex_};
    return candidate_;
  }

  void require_ours() const {
    if (!gateway_.is_ours()) throw std::system_error{make_error_code(Errc::forked), name_};
  }

  const detail::OwnGateway gateway_;
  const std::string name_;

 private:
  enum class Stage { idle, campaigning, leading };

  // Of its term, while it leads. REQUIRES: mutex_ is held.
  std::stop_token lost_token() const {
    return stage_ == Stage::leading ? gateway_->lost(holding_) : gateway_->lost();
  }

  mutable std::mutex mutex_;  // Guards what follows. Not held while waiting.
  Stage stage_ = Stage::idle;
  detail::Holding holding_;  // Meaningful while leading.
  std::shared_ptr<detail::Candidate> candidate_ = std::make_shared<detail::Candidate>();
};

Election::Election(Client& client, std::string_view name)
    : impl_(std::make_unique<Impl>(detail::served(client.gateway_, detail::checked_name(name)))) {}
Election::Election(Node& node, std::string_view name)
    : impl_(std::make_unique<Impl>(detail::served(node.gateway_, detail::checked_name(name)))) {}
Election::~Election() = default;

void Election::campaign(std::string_view value) {
  if (const auto error = campaign_until(value, detail::never(), {})) {
    throw std::system_error{error, impl_->name_};
  }
}
bool Election::try_until(std::string_view value, Clock::time_point deadline) {
  return detail::is_granted(campaign_until(value, deadline, {}), impl_->name_);
}
std::error_code Election::campaign_until(std::string_view value, Clock::time_point deadline,
                                         std::stop_token cancel) noexcept {
  return detail::without_throwing(
      [&] { return impl_->campaign(std::string{value}, deadline, cancel); });
}

void Election::resign() { impl_->resign(); }
std::error_code Election::hand_over(std::string_view candidate) {
  return impl_->hand_over(std::string{candidate});
}
bool Election::is_leader() const { return impl_->is_leader(); }
Fence Election::fence() const { return impl_->fence(); }
std::stop_token Election::lost() const { return impl_->lost(); }
std::chrono::milliseconds Election::valid_for() const { return impl_->valid_for(); }
std::stop_token Election::asked_to_resign() const { return impl_->candidate()->asked(); }
std::string Election::wanted_successor() const { return impl_->candidate()->successor(); }

std::optional<Leader> Election::leader() {
  Observation observation = observe();
  auto first = observation.next_until(Clock::now() + kToAnswer);
  if (!first) {
    throw std::system_error{make_error_code(observation.is_lost() ? Errc::lost : Errc::timed_out),
                            impl_->name_};
  }
  return std::move(first->leader);
}

std::error_code Election::ask_to_resign(std::string_view successor) {
  if (!is_good_value(successor)) return Errc::bad_value;
  return impl_->gateway_->ask_to_resign(impl_->name_, std::string{successor});
}

Election::Observation Election::observe() {
  impl_->require_ours();
  return Observation{std::make_unique<Observation::Impl>(impl_->gateway_, impl_->name_)};
}

const std::string& Election::name() const { return impl_->name_; }

}  // namespace hapax
