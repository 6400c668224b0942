// Daemons of one group under lag, lost answers, gaps and clients that move from one to another:
// what their clients saw is judged by the checker of histories, which finds three bugs if they are
// planted.
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "audit/file_history.h"
#include "base/prng.h"
#include "engine/fake.h"
#include "files/group_files.h"

namespace hapax {
namespace {

using audit::FileEvent;
using audit::FileOp;

enum class Bug { none, forgets_when_it_moves, loses_a_commit, ignores_the_version };

// An engine with a bug.
class BuggyEngine final : public engine::Engine {
 public:
  BuggyEngine(std::unique_ptr<engine::Engine> good, Bug bug) : good_(std::move(good)), bug_(bug) {}
  void read(std::vector<std::string> prefixes, engine::ReadCallback callback) override {
    good_->read(std::move(prefixes), std::move(callback));
  }
  void commit(std::vector<engine::Condition> conditions, std::vector<engine::Write> writes,
              engine::CommitCallback callback) override {
    if (bug_ == Bug::ignores_the_version) conditions.clear();
    good_->commit(std::move(conditions), std::move(writes), std::move(callback));
  }
  std::unique_ptr<engine::Watch> watch(std::string prefix, engine::Revision from,
                                       engine::WatchHandler handler) override {
    if (bug_ == Bug::loses_a_commit) {
      const auto told = handler.on_commit;
      handler.on_commit = [told, count = 0](const engine::Commit& commit) mutable {
        if (++count % 4 != 0) told(commit);
      };
    }
    return good_->watch(std::move(prefix), from, std::move(handler));
  }
  engine::Health health() const override { return good_->health(); }

 private:
  std::unique_ptr<engine::Engine> good_;
  const Bug bug_;
};

// A daemon, which runs only when it is told to: until then its watch is behind.
struct Station {
  Station(engine::FakeServer& server, Bug bug)
      : files(host(server, bug)), session(files.begin_session()) {}

  GroupFiles::Host host(engine::FakeServer& server, Bug bug) {
    GroupFiles::Host host;
    host.news.after = [](std::chrono::milliseconds, const std::function<void()>&) {};
    host.open = [this, &server, bug]() -> Result<std::unique_ptr<engine::Engine>> {
      return std::unique_ptr<engine::Engine>{
          std::make_unique<BuggyEngine>(engine::open_fake(io, server), bug)};
    };
    host.life = [] { return std::uint64_t{1}; };
    host.is_over = [](std::uint64_t) { return false; };
    host.patience = [] { return std::chrono::milliseconds{0}; };
    return host;
  }

  template <class Ask>
  session::Answer ask(Ask ask) {
    std::optional<session::Answer> answer;
    files.serve(session, std::move(ask), [&](const session::Answer& told) { answer = told; });
    io.restart();
    while (!answer && io.poll_one() > 0) continue;
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(session::Refused{});
  }
  void catch_up() {
    io.restart();
    io.poll();
  }

  boost::asio::io_context io{1};
  GroupFiles files;
  GroupFiles::SessionId session;
};

class World {
 public:
  World(std::uint64_t seed, Bug bug) : prng_(seed), bug_(bug) {
    for (int i = 0; i < 3; ++i) stations_.push_back(std::make_unique<Station>(server_, bug));
    server_.fate = [this] {
      return prng_.below(12) == 0 ? engine::Fate::answer_lost : engine::Fate::answered;
    };
    for (int i = 0; i < 3; ++i) clients_.push_back({"c" + std::to_string(i), prng_.below(3)});
    for (int step = 0; step < 150; ++step) take_step();
  }
  std::set<std::string> findings() const {
    std::set<std::string> kinds;
    for (const auto& finding : audit::judge_files(events_)) {
      kinds.insert(std::string{audit::name_of(finding.kind)});
      last_ = finding.text;
    }
    return kinds;
  }
  const std::string& last() const { return last_; }

 private:
  struct Reader {
    std::string name;
    std::uint64_t at;
    std::uint64_t known = 0;
    std::map<std::string, std::uint64_t> versions{};
  };

  void take_step() {
    if (prng_.below(4) == 0) stations_[prng_.below(3)]->catch_up();
    if (prng_.below(60) == 0) server_.store.compact();  // Who is behind has a gap.
    Reader& reader = clients_[prng_.below(3)];
    if (prng_.below(8) == 0) {
      reader.at = prng_.below(3);
      if (bug_ == Bug::forgets_when_it_moves) reader.known = 0;
    }
    const std::string file = prng_.below(2) == 0 ? "f" : "g";
    prng_.below(2) == 0 ? read(reader, file) : write(reader, file);
  }

  void read(Reader& reader, const std::string& file) {
    FileEvent event{reader.name, file, FileOp::get, ++now_, {}, true, 0, 0, "", false};
    event.fresh = prng_.below(5) == 0;
    const auto answer =
        stations_[reader.at]->ask(session::FileGet{1, file, reader.known, event.fresh});
    event.ret = ++now_;
    const auto* told = std::get_if<session::FileTold>(&answer);
    ASSERT_NE(told, nullptr);
    event.version = told->version;
    event.content = told->content;
    reader.versions[file] = told->version;
    reader.known = std::max(reader.known, told->revision);
    events_.push_back(event);
  }

  void write(Reader& reader, const std::string& file) {
    const bool is_cas = prng_.below(3) != 0;
    FileEvent event{
        reader.name,          file, is_cas ? FileOp::cas : FileOp::put, ++now_, {}, true, 0, 0,
        std::to_string(now_), false};
    session::FilePut put{1, file, event.content, {}, {}, false};
    if (is_cas) put.version = event.expected = reader.versions[file];
    const auto answer = stations_[reader.at]->ask(put);
    const std::int64_t ret = ++now_;
    const auto* done = std::get_if<session::FileDone>(&answer);
    ASSERT_NE(done, nullptr);
    using Outcome = session::FileDone::Outcome;
    if (done->outcome != Outcome::unknown) event.ret = ret;
    event.ok = done->outcome == Outcome::done;
    event.version = event.ok ? done->version : 0;
    reader.known = std::max(reader.known, done->revision);
    if (event.ok) reader.versions[file] = done->version;
    events_.push_back(event);
  }

  Prng prng_;
  const Bug bug_;
  engine::FakeServer server_;
  std::vector<std::unique_ptr<Station>> stations_;
  std::vector<Reader> clients_;
  std::vector<FileEvent> events_;
  std::int64_t now_ = 0;
  mutable std::string last_;
};

std::set<std::string> found_with(Bug bug) {
  std::set<std::string> kinds;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const World world{seed, bug};
    kinds.merge(world.findings());
    if (bug == Bug::none) {
      EXPECT_EQ(world.last(), "") << "seed " << seed;
    }
  }
  return kinds;
}

using ::testing::Contains;
using ::testing::IsEmpty;

TEST(GroupFilesHistory, OfDaemonsThatAreRightHasNoFindings) {
  EXPECT_THAT(found_with(Bug::none), IsEmpty());
}
TEST(GroupFilesHistory, ShowsAStaleCacheAfterAReconnect) {
  EXPECT_THAT(found_with(Bug::forgets_when_it_moves), Contains("stale-read"));
}
TEST(GroupFilesHistory, ShowsAnInvalidationThatWasLost) {
  EXPECT_THAT(found_with(Bug::loses_a_commit), Contains("stale-read"));
}
TEST(GroupFilesHistory, ShowsASwapThatIgnoresTheVersion) {
  EXPECT_THAT(found_with(Bug::ignores_the_version), Contains("cas"));
}

}  // namespace
}  // namespace hapax
