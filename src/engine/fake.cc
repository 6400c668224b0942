#include "engine/fake.h"

#include <utility>

#include "base/check.h"
#include "loop/loop.h"

namespace hapax::engine {

class FakeWatch : public Watch {
 public:
  FakeWatch(Loop& io, FakeServer& server, std::string prefix, Revision from, WatchHandler handler)
      : io_(io),
        server_(server),
        prefix_(std::move(prefix)),
        seen_(from),
        handler_(std::move(handler)) {
    server_.watches.insert(this);
    look();
  }
  ~FakeWatch() override { server_.watches.erase(this); }

  void look() {
    io_.post([this, alive = std::weak_ptr<int>{alive_}] {
      if (!alive.expired()) tell();
    });
  }

 private:
  void tell() {
    const std::weak_ptr<int> alive{alive_};
    if (over_ || !server_.up) return;
    const auto commits = server_.store.since(prefix_, seen_);
    if (!commits) {
      over_ = true;
      const auto on_resync = handler_.on_resync;
      return on_resync();  // It may destroy this watch.
    }
    seen_ = server_.store.revision();
    const auto on_commit = handler_.on_commit;
    for (const Commit& commit : *commits) {
      on_commit(commit);
      if (alive.expired()) return;
    }
  }

  Loop& io_;
  FakeServer& server_;
  const std::string prefix_;
  Revision seen_;
  bool over_ = false;
  WatchHandler handler_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

namespace {

class FakeEngine : public Engine {
 public:
  FakeEngine(Loop& io, FakeServer& server) : io_(io), server_(server) {}

  void read(std::vector<std::string> prefixes, ReadCallback callback) override {
    HAPAX_CHECK(admissible(prefixes).has_value());
    ++server_.reads;
    if (!reach()) return later([callback] { callback(error("the engine is down")); });
    later([callback, snapshot = server_.store.read(prefixes)] { callback(snapshot); });
  }

  void commit(std::vector<Condition> conditions, std::vector<Write> writes,
              CommitCallback callback) override {
    HAPAX_CHECK(admissible(conditions, writes).has_value());
    ++server_.commits;
    const Fate fate = server_.fate ? server_.fate() : Fate::answered;
    const bool reached = reach();
    if (!reached || fate == Fate::request_lost) {
      return later([callback] { callback(Outcome::unknown, 0); });
    }
    const auto revision = server_.store.commit(conditions, writes);
    for (FakeWatch* watch : server_.watches) watch->look();
    if (fate == Fate::answer_lost) return later([callback] { callback(Outcome::unknown, 0); });
    later([callback, revision] {
      callback(revision ? Outcome::committed : Outcome::conflict, revision.value_or(0));
    });
  }

  std::unique_ptr<Watch> watch(std::string prefix, Revision from, WatchHandler handler) override {
    return std::make_unique<FakeWatch>(io_, server_, std::move(prefix), from, std::move(handler));
  }

  Health health() const override { return health_; }

 private:
  bool reach() {
    if (server_.up) {
      health_.well();
    } else {
      health_.ill("the engine is down");
    }
    return server_.up;
  }

  template <class F>
  void later(F answer) {
    io_.post([answer = std::move(answer), alive = std::weak_ptr<int>{alive_}] {
      if (!alive.expired()) answer();
    });
  }

  Loop& io_;
  FakeServer& server_;
  Health health_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace

std::unique_ptr<Engine> open_fake(Loop& io, FakeServer& server) {
  return std::make_unique<FakeEngine>(io, server);
}

}  // namespace hapax::engine
