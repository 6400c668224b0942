// A lock that was asked for without waiting: the request, its answer, and who may call it off.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <system_error>

#include "c_interface/event.h"
#include "hapax/error.h"
#include "hapax/mutex.h"

namespace hapax::c_interface {

class Request {
 public:
  // False if there is one already. Throws std::system_error.
  bool ask(Mutex& mutex) {
    std::stop_token cancel;
    {
      const std::lock_guard lock{mutex_};
      if (state_ != State::none) return false;
      state_ = State::asked;
      cancel_ = std::stop_source{};
      cancel = cancel_.get_token();
    }
    try {
      mutex.async_acquire([this](std::error_code error) { on_answer(error); }, cancel);
    } catch (...) {
      const std::lock_guard lock{mutex_};
      state_ = State::none;
      throw;
    }
    return true;
  }
  // Ends it, unless it is not answered yet: std::errc::operation_in_progress. Errc::not_held if
  // nobody has asked.
  std::error_code take_answer() {
    const std::lock_guard lock{mutex_};
    if (state_ == State::none) return Errc::not_held;
    if (state_ == State::asked) return std::make_error_code(std::errc::operation_in_progress);
    state_ = State::none;
    event_.lower();
    return answer_;
  }
  // False if nobody has asked.
  bool withdraw() {
    std::stop_source cancel;
    {
      const std::lock_guard lock{mutex_};
      if (state_ == State::none) return false;
      cancel = cancel_;
    }
    cancel.request_stop();  // Calls the daemon, and perhaps on_answer() at once.
    return true;
  }
  // Calls it off, and waits until nobody will answer any more.
  void end() {
    if (!withdraw()) return;
    std::unique_lock lock{mutex_};
    answered_.wait(lock, [&] { return state_ != State::asked; });
  }

  int descriptor() const { return event_.descriptor(); }

 private:
  enum class State { none, asked, answered };

  // On a thread of the library.
  void on_answer(std::error_code error) {
    const std::lock_guard lock{mutex_};
    answer_ = error;
    state_ = State::answered;
    event_.raise();
    answered_.notify_all();
  }

  const Event event_;
  std::mutex mutex_;  // Guards what follows.
  State state_ = State::none;
  std::stop_source cancel_;
  std::error_code answer_;
  std::condition_variable answered_;
};

}  // namespace hapax::c_interface
