#include "engine/blocking.h"

#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "engine/calls.h"
#include "engine/subscription.h"
#include "engine/worker.h"
#include "loop/loop.h"

namespace hapax::engine {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{20};  // How late a watch may learn of others' commits …
// … unless there are many: a large group beats all the time, each member hears of it, and looking
// costs several calls.
constexpr std::chrono::milliseconds kRest{100};

class Blocking : public Engine {
 public:
  Blocking(Loop& io, std::unique_ptr<Backing> backing, std::chrono::milliseconds timeout,
           std::string late)
      : io_(io),
        timeout_(timeout),
        late_(std::move(late)),
        calls_(io, timeout, [this] { return too_late(); }),
        backing_(std::move(backing)),
        worker_(kPoll, [this] { return poll(); }) {}
  ~Blocking() override { backing_->interrupt(); }

  void read(std::vector<std::string> prefixes, ReadCallback callback) override {
    HAPAX_CHECK(admissible(prefixes).has_value());
    const auto answer = calls_.open(std::move(callback));
    before(answer, [this, prefixes = std::move(prefixes), answer, deadline = answer->deadline()] {
      to_loop([this, result = backing_->read(prefixes, deadline), answer] {
        note(result);
        answer->give(result);
      });
    });
  }

  void commit(std::vector<Condition> conditions, std::vector<Write> writes,
              CommitCallback callback) override {
    HAPAX_CHECK(admissible(conditions, writes).has_value());
    const auto answer = calls_.open(std::move(callback));
    before(answer, [this, conditions = std::move(conditions), writes = std::move(writes), answer,
                    deadline = answer->deadline()] {
      to_loop([this, result = backing_->commit(conditions, writes, deadline), answer] {
        note(result);
        if (!result) return answer->give(Outcome::unknown, 0);
        answer->give(*result ? Outcome::committed : Outcome::conflict, result->value_or(0));
      });
    });
  }

  std::unique_ptr<Watch> watch(std::string prefix, Revision from, WatchHandler handler) override {
    auto subscriber = std::make_shared<Subscriber>(std::move(handler));
    const std::uint64_t id = ++last_watch_;
    worker_.add([this, id, watching = Watching{std::move(prefix), from, subscriber}]() mutable {
      watching_.emplace(id, std::move(watching));
      pulse_.reset();  // It has not looked yet.
    });
    return std::make_unique<Subscription>(subscriber,
                                          [this, id, alive = std::weak_ptr<int>{alive_}] {
                                            if (!alive.expired())
                                              worker_.add([this, id] { watching_.erase(id); });
                                          });
  }

  Health health() const override { return health_; }

 private:
  struct Watching {
    std::string prefix;
    Revision seen;
    std::shared_ptr<Subscriber> subscriber;
  };

  // Gives the worker a job, to be done if somebody still waits for its answer by then.
  template <class A, class F>
  void before(const std::shared_ptr<A>& answer, F&& job) {
    worker_.add([job = std::forward<F>(job), deadline = answer->deadline()] {
      if (steady_clock::now() < deadline) job();
    });
  }

  // On the worker's thread. What it posts is dropped if the engine is gone by then.
  template <class F>
  void to_loop(F&& work) {
    io_.post([work = std::forward<F>(work), alive = std::weak_ptr<int>{alive_}] {
      if (!alive.expired()) work();
    });
  }

  bool poll() {
    if (watching_.empty()) return false;
    if (steady_clock::now() < rests_until_ && pulse_) return true;
    const auto pulse = backing_->pulse();
    if (!pulse) {
      to_loop([this, pulse] { note(pulse); });
    } else if (!pulse_ || *pulse_ != *pulse) {
      pulse_ = *pulse;
      rests_until_ = steady_clock::now() + kRest;
      for (auto at = watching_.begin(); at != watching_.end();) {
        at = look(at->second) ? std::next(at) : watching_.erase(at);
      }
    }
    return !watching_.empty();
  }

  // False if this watch is over.
  bool look(Watching& watching) {
    auto since = backing_->since(watching.prefix, watching.seen, steady_clock::now() + timeout_);
    if (!since) {
      pulse_.reset();  // Look again.
      to_loop([this, since, subscriber = watching.subscriber] {
        note(since);
        subscriber->gap();
      });
      return true;
    }
    if (!since->commits) {
      to_loop([subscriber = watching.subscriber] { subscriber->resync(); });
      return false;
    }
    watching.seen = since->revision;
    for (Commit& commit : *since->commits) {
      to_loop([subscriber = watching.subscriber, commit = std::move(commit)] {
        subscriber->commit(commit);
      });
    }
    return true;
  }

  // On the loop's thread.
  template <class T>
  void note(const Result<T>& result) {
    if (result) {
      health_.well();
    } else {
      health_.ill(result.error().message);
    }
  }
  std::string too_late() {
    // What it last complained of says more, unless all was well.
    if (health_.reachable || health_.said == Health{}.said) health_.ill(late_);
    return health_.said;
  }

  Loop& io_;
  const std::chrono::milliseconds timeout_;
  const std::string late_;
  Calls calls_;
  Health health_;
  std::uint64_t last_watch_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>();

  // The worker's, as soon as it runs.
  std::unique_ptr<Backing> backing_;
  std::map<std::uint64_t, Watching> watching_;
  std::optional<std::uint64_t> pulse_;  // As of the last look.
  Deadline rests_until_{};
  Worker worker_;  // The last member: it stops before the rest goes.
};

}  // namespace

std::unique_ptr<Engine> make_blocking(Loop& io, std::unique_ptr<Backing> backing,
                                      std::chrono::milliseconds timeout, std::string late) {
  return std::make_unique<Blocking>(io, std::move(backing), timeout, std::move(late));
}

}  // namespace hapax::engine
