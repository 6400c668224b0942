#include "hapax/mutex.h"

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "handles/asking.h"
#include "handles/misuse.h"
#include "handles/own_gateway.h"

namespace hapax {

class Mutex::Impl {
 public:
  explicit Impl(detail::Served served)
      : gateway_(std::move(served.gateway)),
        name_(std::move(served.name)),
        handle_(gateway_->handle(name_)),
        can_lose_(gateway_->can_lose()) {}
  ~Impl() {
    if (!gateway_.is_ours()) return;
    if (asked_.load() != 0) {
      detail::misused("Mutex::~Mutex", name_, "async_acquire has yet to call done");
    }
    if (is_held_) gateway_->release(handle_.get(), holding_);
  }

  // Nothing is allocated and nobody is told; no clock is read unless there is a lease.
  bool enter_again() noexcept {
    if (!can_lose_) {
      // Straight into its place: a copy waits for what was written a moment ago. Who enters is
      // alone.
      if (!gateway_->enter_again(handle_.get(), holding_)) return false;
      is_held_.store(true, std::memory_order_relaxed);
      return true;
    }
    detail::Holding holding;
    return gateway_->enter_again(handle_.get(), holding) && keep(std::move(holding));
  }
  std::error_code acquire(Clock::time_point deadline, const std::stop_token& cancel) {
    for (;;) {
      if (enter_again()) return {};
      detail::Holding holding;
      const auto error = ask_until_good(
          *gateway_, deadline, holding,
          [&] { return gateway_->acquire(name_, handle_.get(), deadline, cancel, holding); },
          [&] { gateway_->release(handle_.get(), holding); });
      if (error) return error;
      if (keep(std::move(holding))) return {};
      // Another thread was given the lock by this object, lost it, and has yet to unlock it. Polled
      // rather than signalled: an unlock() that signals would cost even when nobody waits.
      constexpr std::chrono::milliseconds kLook{5};
      while (is_held_.load(std::memory_order_acquire)) {
        if (cancel.stop_requested()) return make_error_code(Errc::cancelled);
        if (Clock::now() >= deadline) return make_error_code(Errc::timed_out);
        std::this_thread::sleep_for(kLook);
      }
    }
  }
  void acquire_later(std::function<void(std::error_code)> done, const std::stop_token& cancel) {
    ++asked_;
    Asked::ask(std::make_unique<Asked>(*this, std::move(done), cancel));
  }
  void release() {
    if (!is_held_.load(std::memory_order_relaxed) && gateway_.is_ours()) {
      detail::misused("Mutex::unlock", name_, "it is not held");
    }
    if (!can_lose_) {
      // Not copied, for the same reason as in enter_again(): until the gateway has read it nobody
      // else is granted the lock.
      is_held_.store(false, std::memory_order_relaxed);
      return gateway_->release(handle_.get(), holding_);
    }
    // Without the token, which would be counted up and down.
    detail::Holding holding;
    holding.request = holding_.request;
    holding.entry = holding_.entry;
    is_held_.store(false, std::memory_order_release);
    gateway_->release(handle_.get(), holding);
  }
  Fence fence() const {
    if (!gateway_.is_ours()) throw std::system_error{make_error_code(Errc::forked), name_};
    if (!is_held_) throw std::system_error{make_error_code(Errc::not_held), name_};
    return holding_.fence;
  }
  std::stop_token lost() const { return gateway_->lost(holding_); }
  std::chrono::milliseconds valid_for() const { return gateway_->valid_for(holding_); }

  const detail::OwnGateway gateway_;
  const std::string name_;
  const std::shared_ptr<detail::LockHandle> handle_;
  std::atomic<std::chrono::milliseconds::rep> patience_ms_{250};

 private:
  // An asynchronous request, until it is answered.
  class Asked final : public detail::Completion {
   public:
    Asked(Impl& impl, std::function<void(std::error_code)> done, std::stop_token cancel)
        : impl_(impl), done_(std::move(done)), cancel_(std::move(cancel)) {}
    // It owns itself from here on, until it is answered.
    static void ask(std::unique_ptr<Asked> asked) {
      Asked& self = *asked.release();
      Impl& impl = self.impl_;
      impl.gateway_->acquire_later(impl.name_, impl.handle_.get(), self.cancel_, self);
    }
    void on_answer(std::error_code error, const detail::Holding& holding) noexcept override {
      std::unique_ptr<Asked> self{this};
      if (!error && impl_.gateway_->valid_for(holding) <= std::chrono::milliseconds{0}) {
        impl_.gateway_->release(impl_.handle_.get(), holding);  // Dead on arrival: once more.
        return ask(std::move(self));
      }
      if (!error && !impl_.keep(detail::Holding{holding})) error = Errc::lost;
      --impl_.asked_;
      done_(error);
    }

   private:
    Impl& impl_;
    const std::function<void(std::error_code)> done_;
    const std::stop_token cancel_;
  };

  // Notes that it is held, for unlock(). False if an earlier grant of this object, lost meanwhile,
  // is still to be unlocked: this one is then given back.
  bool keep(detail::Holding&& holding) noexcept {
    if (can_lose_) {
      if (is_held_.exchange(true, std::memory_order_acquire)) {
        gateway_->release(handle_.get(), holding);
        return false;
      }
    } else {
      // Nobody else touches it: the holder of the lock is alone.
      is_held_.store(true, std::memory_order_relaxed);
    }
    holding_ = std::move(holding);
    return true;
  }

  const bool can_lose_;
  std::atomic<int> asked_{0};  // Asynchronous requests without an answer.
  // Invariant: written only by the thread that has set is_held_.
  detail::Holding holding_;
  std::atomic<bool> is_held_{false};
};

Mutex::Mutex(Client& client, std::string_view name)
    : impl_(std::make_unique<Impl>(detail::served(client.gateway_, detail::checked_name(name)))) {}
Mutex::Mutex(Node& node, std::string_view name)
    : impl_(std::make_unique<Impl>(detail::served(node.gateway_, detail::checked_name(name)))) {}
Mutex::~Mutex() = default;

void Mutex::lock() {
  if (impl_->enter_again()) return;
  if (const auto error = acquire_until(detail::never(), {})) {
    throw std::system_error{error, impl_->name_};
  }
}

bool Mutex::try_lock() { return impl_->enter_again() || try_lock_for(patience()); }

bool Mutex::try_until(Clock::time_point deadline) {
  return detail::is_granted(acquire_until(deadline, {}), impl_->name_);
}

void Mutex::unlock() { impl_->release(); }

std::error_code Mutex::acquire_until(Clock::time_point deadline, std::stop_token cancel) noexcept {
  return detail::without_throwing([&] { return impl_->acquire(deadline, cancel); });
}

void Mutex::async_acquire(std::function<void(std::error_code)> done, std::stop_token cancel) {
  impl_->acquire_later(std::move(done), cancel);
}

std::chrono::milliseconds Mutex::patience() const {
  return std::chrono::milliseconds{impl_->patience_ms_.load()};
}
void Mutex::patience(std::chrono::milliseconds patience) { impl_->patience_ms_ = patience.count(); }

const std::string& Mutex::name() const { return impl_->name_; }
Fence Mutex::fence() const { return impl_->fence(); }
std::stop_token Mutex::lost() const { return impl_->lost(); }
std::chrono::milliseconds Mutex::valid_for() const { return impl_->valid_for(); }

}  // namespace hapax
