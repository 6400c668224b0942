// The open calls of an engine: each is answered once, by the engine or by the clock, on the loop's
// thread; or never, if the engine is gone by then.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "engine/engine.h"
#include "loop/loop.h"
#include "loop/timer.h"

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
  Answer(Calls& calls, Loop& io, std::function<void(Args...)> callback)
      : calls_(&calls), callback_(std::move(callback)), timer_(io) {}

  bool open() const { return callback_ != nullptr; }
  std::chrono::steady_clock::time_point deadline() const { return timer_.expiry(); }

  // Called on the loop's thread, and never from inside the call. Late answers are ignored.
  void give(Args... args);
  void drop() override {
    callback_ = nullptr;
    timer_.cancel();
  }

 private:
  friend class Calls;

  Calls* calls_;
  std::function<void(Args...)> callback_;
  Timer timer_;
};

using ReadAnswer = Answer<Result<Snapshot>>;
using CommitAnswer = Answer<Outcome, Revision>;

class Calls {
 public:
  // `too_late` is called for every call that the engine did not answer in time; it says why.
  Calls(Loop& io, std::chrono::milliseconds limit, std::function<std::string()> too_late)
      : io_(io), limit_(limit), too_late_(std::move(too_late)) {}
  ~Calls() {
    for (const auto& call : open_) call->drop();
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  std::shared_ptr<ReadAnswer> open(ReadCallback callback) {
    return open<ReadAnswer>(std::move(callback),
                            [this](ReadAnswer& answer) { answer.give(Error{too_late_()}); });
  }
  std::shared_ptr<CommitAnswer> open(CommitCallback callback) {
    return open<CommitAnswer>(std::move(callback), [this](CommitAnswer& answer) {
      too_late_();
      answer.give(Outcome::unknown, 0);
    });
  }

  void close(const std::shared_ptr<Call>& call) { open_.erase(call); }

 private:
  template <class A, class Callback, class Late>
  std::shared_ptr<A> open(Callback callback, Late late) {
    auto answer = std::make_shared<A>(*this, io_, std::move(callback));
    open_.insert(answer);
    answer->timer_.expires_after(limit_);
    answer->timer_.async_wait([answer, late](auto failed) {
      if (!failed && answer->open()) late(*answer);
    });
    return answer;
  }

  Loop& io_;
  const std::chrono::milliseconds limit_;
  const std::function<std::string()> too_late_;
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
