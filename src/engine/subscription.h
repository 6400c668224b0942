// A watch as its engine sees it: whom to tell, as long as somebody listens.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "engine/engine.h"

namespace hapax::engine {

// On the loop's thread only, except for the last release, which may be on any: the handler, which
// is the caller's, is gone by then.
class Subscriber {
 public:
  explicit Subscriber(WatchHandler handler)
      : handler_(std::make_shared<WatchHandler>(std::move(handler))) {}

  bool over() const { return handler_ == nullptr; }
  void end() { handler_.reset(); }
  void commit(const Commit& commit) {
    const auto handler = handler_;  // It may end its own watch.
    if (handler) handler->on_commit(commit);
  }
  void gap() {
    const auto handler = handler_;
    if (handler && handler->on_gap) handler->on_gap();
  }
  void resync() {
    const auto handler = std::exchange(handler_, nullptr);
    if (handler) handler->on_resync();
  }

 private:
  std::shared_ptr<WatchHandler> handler_;  // Nothing: it is over.
};

// What the caller of watch() holds. `gone` lets the engine clean up; it must not rely on the engine
// still being there.
class Subscription : public Watch {
 public:
  Subscription(std::shared_ptr<Subscriber> subscriber, std::function<void()> gone)
      : subscriber_(std::move(subscriber)), gone_(std::move(gone)) {}
  ~Subscription() override {
    subscriber_->end();
    gone_();
  }

 private:
  std::shared_ptr<Subscriber> subscriber_;
  std::function<void()> gone_;
};

}  // namespace hapax::engine
