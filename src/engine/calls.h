// The open calls of an engine: each is answered once, by the engine or by the clock, on the loop's
// thread; or never, if the engine is gone by then.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <utility>

namespace hapax::engine {

class Calls;

class Call {
 public:
  virtual ~Call() = default;
  virtual void drop() = 0;  // No answer any more.
};

template <class... Args>
class Answer : public Call, public std::enable_shared_from_this<Answer<Args...>> {
 public:
  Answer(Calls& calls, boost::asio::io_context& io, std::function<void(Args...)> callback)
      : calls_(&calls), callback_(std::move(callback)), timer_(io) {}

  bool open() const { return callback_ != nullptr; }
  std::chrono::steady_clock::time_point deadline() const { return timer_.expiry(); }

  // Called on the loop's thread, and never from inside the call. Late answers count for nothing.
  void give(Args... args);
  void drop() override {
    callback_ = nullptr;
    timer_.cancel();
  }

 private:
  friend class Calls;

  Calls* calls_;
  std::function<void(Args...)> callback_;
  boost::asio::steady_timer timer_;
};

class Calls {
 public:
  Calls(boost::asio::io_context& io, std::chrono::milliseconds limit) : io_(io), limit_(limit) {}
  ~Calls() {
    for (const auto& call : open_) call->drop();
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // When time is up, `too_late` is to give an answer.
  template <class... Args>
  std::shared_ptr<Answer<Args...>> open(std::function<void(Args...)> callback,
                                        std::function<void(Answer<Args...>&)> too_late) {
    auto answer = std::make_shared<Answer<Args...>>(*this, io_, std::move(callback));
    open_.insert(answer);
    answer->timer_.expires_after(limit_);
    answer->timer_.async_wait([answer, too_late = std::move(too_late)](auto failed) {
      if (!failed && answer->open()) too_late(*answer);
    });
    return answer;
  }

  void close(const std::shared_ptr<Call>& call) { open_.erase(call); }

 private:
  boost::asio::io_context& io_;
  const std::chrono::milliseconds limit_;
  std::set<std::shared_ptr<Call>> open_;
};

template <class... Args>
void Answer<Args...>::give(Args... args) {
  if (!open()) return;
  const auto self = this->shared_from_this();
  const auto callback = std::exchange(callback_, nullptr);
  timer_.cancel();
  calls_->close(self);
  callback(std::move(args)...);
}

}  // namespace hapax::engine
