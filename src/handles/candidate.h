// What a candidate may be told while it leads.
#pragma once

#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

namespace hapax::detail {

class Candidate {
 public:
  // Somebody wants it to step down. By the thread that hears of it; callbacks run there.
  void ask_to_resign(std::string successor) {
    {
      const std::lock_guard lock{mutex_};
      successor_ = std::move(successor);
    }
    asked_.request_stop();
  }
  std::stop_token asked() const { return asked_.get_token(); }
  std::string successor() const {
    const std::lock_guard lock{mutex_};
    return successor_;
  }

 private:
  std::stop_source asked_;
  mutable std::mutex mutex_;
  std::string successor_;
};

}  // namespace hapax::detail
