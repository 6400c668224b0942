// An engine with a bug, around one that has none.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace hapax::testing {

class BuggyEngine final : public engine::Engine {
 public:
  // `fails`, asked whenever all of it is to be read, is no bug.
  BuggyEngine(
      std::unique_ptr<engine::Engine> good, bool loses_commits, bool ignores_versions,
      std::function<bool()> fails = [] { return false; })
      : good_(std::move(good)),
        loses_commits_(loses_commits),
        ignores_versions_(ignores_versions),
        fails_(std::move(fails)) {}
  void read(std::vector<std::string> prefixes, engine::ReadCallback callback) override {
    if (prefixes.front().empty() && fails_()) return callback(error("no answer in time"));
    good_->read(std::move(prefixes), std::move(callback));
  }
  void commit(std::vector<engine::Condition> conditions, std::vector<engine::Write> writes,
              engine::CommitCallback callback) override {
    if (ignores_versions_) conditions.clear();
    good_->commit(std::move(conditions), std::move(writes), std::move(callback));
  }
  // Every fourth commit is not told of.
  std::unique_ptr<engine::Watch> watch(std::string prefix, engine::Revision from,
                                       engine::WatchHandler handler) override {
    if (loses_commits_) {
      const auto told = handler.on_commit;
      handler.on_commit = [told, count = 0](const engine::Commit& commit) mutable {
        if (++count % 4 != 0) told(commit);
      };
    }
    return good_->watch(std::move(prefix), from, std::move(handler));
  }
  engine::Health health() const override { return good_->health(); }

 private:
  const std::unique_ptr<engine::Engine> good_;
  const bool loses_commits_, ignores_versions_;
  const std::function<bool()> fails_;
};

}  // namespace hapax::testing
