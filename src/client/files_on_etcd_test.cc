// Bugs that are planted between real daemons and a real etcd, and the checker of histories that
// judges what their clients saw.
#include <array>
#include <atomic>
#include <chrono>
#include <gmock/gmock.h>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "audit/file_history.h"
#include "client/testing/engine_daemons.h"
#include "client/testing/file_notes.h"
#include "engines/engines.h"
#include "etcd/testing/cluster.h"
#include "files/testing/buggy_engine.h"
#include "loop/timer.h"

namespace hapax::client::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::IsEmpty;

enum class Bug { none, forgets_when_it_moves, loses_a_commit, ignores_the_version };
std::atomic<Bug> planted{Bug::none};

// Tells of commits late, as a server that is behind the others does. That is no bug.
class SlowEngine final : public engine::Engine {
 public:
  SlowEngine(Loop& io, std::unique_ptr<engine::Engine> good) : io_(io), good_(std::move(good)) {}
  void read(std::vector<std::string> prefixes, engine::ReadCallback callback) override {
    good_->read(std::move(prefixes), std::move(callback));
  }
  void commit(std::vector<engine::Condition> conditions, std::vector<engine::Write> writes,
              engine::CommitCallback callback) override {
    good_->commit(std::move(conditions), std::move(writes), std::move(callback));
  }
  std::unique_ptr<engine::Watch> watch(std::string prefix, engine::Revision from,
                                       engine::WatchHandler handler) override {
    const auto alive = std::make_shared<int>();
    handler.on_commit = [this, told = handler.on_commit, alive](const engine::Commit& commit) {
      auto timer = std::make_shared<Timer>(io_, 50ms);
      timer->async_wait([timer, told, commit, alive = std::weak_ptr<int>{alive}](auto cancelled) {
        if (!cancelled && !alive.expired()) told(commit);
      });
    };
    return good_->watch(std::move(prefix), from, std::move(handler));
  }
  engine::Health health() const override { return good_->health(); }

 private:
  Loop& io_;
  const std::unique_ptr<engine::Engine> good_;
};

// Only of files: the group itself has none.
Result<std::unique_ptr<engine::Engine>> open_planted(Loop& io, const engine::Url& url,
                                                     const engine::Options& options) {
  auto good = engine::find(engine::all(), engine::Kind::etcd)->open(io, url, options);
  if (!good || options.part.empty()) return good;
  const Bug bug = planted;
  // A cache that is always behind what its clients know is never asked, whatever it has lost.
  if (bug == Bug::none || bug == Bug::forgets_when_it_moves) {
    return std::unique_ptr<engine::Engine>{std::make_unique<SlowEngine>(io, std::move(*good))};
  }
  return std::unique_ptr<engine::Engine>{std::make_unique<hapax::testing::BuggyEngine>(
      std::move(*good), bug == Bug::loses_a_commit, bug == Bug::ignores_the_version)};
}

bool has_etcd() {
  return engine::find(engine::all(), engine::Kind::etcd) != nullptr &&
         std::system("command -v etcd >/dev/null") == 0;
}

std::set<std::string> found_with(Bug bug) {
  static constexpr std::array kMakers{engine::Maker{engine::Kind::etcd, open_planted}};
  planted = bug;
  const engine::testing::Cluster etcd{1};
  const EngineDaemons daemons{2, 3s, etcd.url().text(), kMakers};
  FileNotes notes;
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      use_files(daemons, i, bug == Bug::forgets_when_it_moves ? 10 : 0, is_over, notes);
    });
  }
  std::this_thread::sleep_for(4s);
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(notes.events.size(), 100u);
  std::set<std::string> kinds;
  for (const auto& finding : audit::judge_files(notes.events)) {
    kinds.insert(std::string{audit::name_of(finding.kind)});
    if (bug == Bug::none) ADD_FAILURE() << finding.file << ": " << finding.text;
  }
  return kinds;
}

TEST(FilesOnEtcd, ShowWhatIsPlantedAndNothingElse) {
  if (!has_etcd()) GTEST_SKIP() << "no etcd to test against";
  EXPECT_THAT(found_with(Bug::none), IsEmpty());
  EXPECT_THAT(found_with(Bug::forgets_when_it_moves), Contains("stale-read"));
  EXPECT_THAT(found_with(Bug::loses_a_commit), Contains("stale-read"));
  EXPECT_THAT(found_with(Bug::ignores_the_version), Contains("cas"));
}

}  // namespace
}  // namespace hapax::client::testing
