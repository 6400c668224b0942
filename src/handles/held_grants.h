// What a connection was granted and has not been given back: each grant is lost by itself, or all
// at once. Holders are told on the thread that loses. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <stop_token>
#include <utility>

namespace hapax::client {

class HeldGrants {
 public:
  // Fires when that grant is lost; at once if all were lost for good.
  std::stop_token add(std::uint64_t request) {
    const std::lock_guard lock{mutex_};
    if (is_over_) return all_.get_token();
    return held_[request].get_token();
  }
  // It was given back.
  void forget(std::uint64_t request) noexcept {
    const std::lock_guard lock{mutex_};
    held_.erase(request);
  }
  void lose(std::uint64_t request) {
    std::stop_source lost{std::nostopstate};
    {
      const std::lock_guard lock{mutex_};
      const auto at = held_.find(request);
      if (at == held_.end()) return;
      lost = std::move(at->second);
      held_.erase(at);
    }
    lost.request_stop();
  }
  // What is granted from here on is another matter; `for_good`: there will be no more.
  void lose_all(bool for_good) {
    std::map<std::uint64_t, std::stop_source> held;
    std::stop_source all;
    {
      const std::lock_guard lock{mutex_};
      held.swap(held_);
      all = all_;
      is_over_ = is_over_ || for_good;
      if (!is_over_) all_ = std::stop_source{};
    }
    all.request_stop();
    for (auto& [request, lost] : held) lost.request_stop();
  }
  // Fires when all are lost.
  std::stop_token lost() const {
    const std::lock_guard lock{mutex_};
    return all_.get_token();
  }

 private:
  mutable std::mutex mutex_;  // Guards what follows.
  std::map<std::uint64_t, std::stop_source> held_;
  std::stop_source all_;
  bool is_over_ = false;  // There will be no more, and all_ has fired, or is about to.
};

}  // namespace hapax::client
