// Daemons of one group under lag, lost answers, gaps and clients that move from one to another:
// what their clients saw, of the daemons or of copies of their own, is judged by the checker of
// histories, which finds four bugs if they are planted.
#include <filesystem>
#include <fstream>
#include <functional>
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
#include "base/testing/folder.h"
#include "engine/fake.h"
#include "files/group_files.h"
#include "files/testing/buggy_engine.h"
#include "loop/loop.h"
#include "session/file_copies.h"
#include "session/file_stamps.h"

namespace hapax {
namespace {

using audit::FileEvent;
using audit::FileOp;

enum class Bug {
  none,
  forgets_when_it_moves,
  loses_a_commit,
  ignores_the_version,
  stamps_no_change
};

// What clients are told instead of the stamps: their revision, but none of the changes.
class LossyStamps {
 public:
  LossyStamps(std::string good, std::string bad) : good_(std::move(good)), bad_(std::move(bad)) {
    std::filesystem::copy_file(good_, bad_);
  }
  void catch_up() const {
    constexpr std::streamoff kRevision = sizeof(std::uint64_t);  // Behind the daemon's number.
    std::uint64_t revision = 0;
    std::ifstream in{good_, std::ios::binary};
    in.seekg(kRevision).read(reinterpret_cast<char*>(&revision), sizeof revision);
    std::fstream out{bad_, std::ios::binary | std::ios::in | std::ios::out};
    out.seekp(kRevision).write(reinterpret_cast<const char*>(&revision), sizeof revision);
  }

 private:
  const std::string good_, bad_;
};

// A daemon, which runs only when it is told to: until then its watch is behind.
struct Station {
  Station(engine::FakeServer& server, Bug bug)
      : files(host(server, bug)), session(files.begin_session()) {}

  // As a client on its machine opens them.
  std::unique_ptr<const session::FileStamps> stamps(Bug bug) {
    const auto where = files.stamps();
    EXPECT_TRUE(where);
    if (bug != Bug::stamps_no_change) return session::FileStamps::open(*where);
    if (!lossy) lossy.emplace(folder / "stamps.files", folder / "lossy");
    return session::FileStamps::open(where->substr(0, where->find(' ') + 1) +
                                     (folder / "lossy").string());
  }

  GroupFiles::Host host(engine::FakeServer& server, Bug bug) {
    GroupFiles::Host host;
    host.news.after = [this](std::chrono::milliseconds, std::function<void()> then) {
      later.push_back(std::move(then));
    };
    host.open = [this, &server, bug]() -> Result<std::unique_ptr<engine::Engine>> {
      return std::unique_ptr<engine::Engine>{std::make_unique<testing::BuggyEngine>(
          engine::open_fake(io, server), bug == Bug::loses_a_commit,
          bug == Bug::ignores_the_version, [this] { return ++loads % 2 == 0; })};
    };
    host.life = [] { return std::uint64_t{1}; };
    host.is_over = [](std::uint64_t) { return false; };
    host.patience = [] { return std::chrono::milliseconds{0}; };
    host.stamps_beside = folder / "stamps";
    return host;
  }

  template <class Ask>
  session::Answer ask(Ask ask) {
    std::optional<session::Answer> answer;
    files.serve(session, std::move(ask), [&](const session::Answer& told) { answer = told; });
    io.restart();
    while (!answer && io.poll_one() > 0) continue;
    EXPECT_TRUE(answer.has_value());
    if (lossy) lossy->catch_up();
    return answer.value_or(session::Refused{});
  }
  void catch_up() {
    for (const auto& then : std::exchange(later, {})) then();
    io.restart();
    io.poll();
    if (lossy) lossy->catch_up();
  }

  testing::Folder folder;
  std::optional<LossyStamps> lossy;
  std::vector<std::function<void()>> later;
  int loads = 0;  // Every other one fails: until it tries again, the engine is asked for each file.
  Loop io;
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
    for (int i = 0; i < 3; ++i) {
      clients_.push_back({"c" + std::to_string(i), prng_.below(3), nullptr});
      connect(clients_.back());
    }
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
  int read_from_copies() const { return read_from_copies_; }

 private:
  struct Reader {
    std::string name;
    std::uint64_t at;
    std::unique_ptr<session::FileCopies> copies;
    std::uint64_t known = 0;
    std::map<std::string, std::uint64_t> versions{};
  };

  void connect(Reader& reader) {
    reader.copies = std::make_unique<session::FileCopies>();
    reader.copies->use(stations_[reader.at]->stamps(bug_));
  }

  void take_step() {
    if (prng_.below(4) == 0) stations_[prng_.below(3)]->catch_up();
    if (prng_.below(60) == 0) server_.store.compact();  // Who is behind has a gap.
    Reader& reader = clients_[prng_.below(3)];
    if (prng_.below(8) == 0) {
      reader.at = prng_.below(3);
      connect(reader);
      if (bug_ == Bug::forgets_when_it_moves) reader.known = 0;
    }
    const std::string file = prng_.below(2) == 0 ? "f" : "g";
    prng_.below(2) == 0 ? read(reader, file) : write(reader, file);
  }

  void read(Reader& reader, const std::string& file) {
    FileEvent event{reader.name, file, FileOp::get, ++now_, {}, true, 0, 0, "", false};
    event.fresh = prng_.below(5) == 0;
    auto told = event.fresh ? std::nullopt : reader.copies->find(file, reader.known);
    if (told) {
      ++read_from_copies_;
    } else {
      const auto stamp = reader.copies->stamp_of(file);
      const auto answer =
          stations_[reader.at]->ask(session::FileGet{1, file, reader.known, event.fresh});
      const auto* asked = std::get_if<session::FileTold>(&answer);
      ASSERT_NE(asked, nullptr);
      told = *asked;
      reader.copies->keep(file, stamp, *told);
    }
    event.ret = ++now_;
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
  int read_from_copies_ = 0;
  mutable std::string last_;
};

std::set<std::string> found_with(Bug bug) {
  std::set<std::string> kinds;
  int read_from_copies = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const World world{seed, bug};
    kinds.merge(world.findings());
    read_from_copies += world.read_from_copies();
    if (bug == Bug::none) {
      EXPECT_EQ(world.last(), "") << "seed " << seed;
    }
  }
  EXPECT_GT(read_from_copies, 100) << "or copies are not tested";
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
TEST(GroupFilesHistory, ShowsAChangeOfWhichNoCopyHears) {
  EXPECT_THAT(found_with(Bug::stamps_no_change), Contains("stale-read"));
}
TEST(GroupFilesHistory, ShowsASwapThatIgnoresTheVersion) {
  EXPECT_THAT(found_with(Bug::ignores_the_version), Contains("cas"));
}

}  // namespace
}  // namespace hapax
