// What clients of real daemons saw of files, while one of them is stopped and comes back, judged as
// `hapax audit` does.
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "audit/file_history.h"
#include "base/prng.h"
#include "client/testing/engine_daemons.h"
#include "hapax/hapax.h"

namespace hapax {
namespace {

using audit::FileEvent;
using audit::FileOp;

std::int64_t nanos() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

struct FileNotes {
  std::mutex mutex;
  std::vector<FileEvent> events;

  // What cannot be asked is not noted; a write without an answer is, without its end.
  template <class Act>
  void note(FileEvent event, Act act) {
    event.call = nanos();
    try {
      act(event);
      event.ret = nanos();
    } catch (const std::system_error& e) {
      if (e.code() == Errc::conflict) {
        event.ok = false;
        event.ret = nanos();
      } else if (e.code() != Errc::unknown_outcome) {
        return;
      }
    }
    const std::lock_guard lock{mutex};
    events.push_back(std::move(event));
  }
};

void work(const EngineDaemons& daemons, std::uint32_t number, const std::atomic<bool>& is_over,
          FileNotes& notes) {
  const std::string name = fmt::format("c{}", number);
  Client client{fmt::format("{},{}", daemons.address(number % 2), daemons.address(1 - number % 2))};
  Prng prng{number + 1};
  std::map<std::string, std::uint64_t> seen;
  for (int step = 0; !is_over; ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    const std::string path = prng.below(2) == 0 ? "f" : "g";
    File file{client, path};
    FileEvent event{name, path, FileOp::get, 0, {}, true, 0, 0, "", false};
    if (prng.below(3) != 0) {
      event.fresh = prng.below(6) == 0;
      notes.note(event, [&](FileEvent& e) {
        const auto now = file.read(e.fresh ? Freshness::fresh : Freshness::cached);
        if (now) e.version = now->version;
        if (now) e.content = now->content;
        seen[path] = e.version;
      });
      continue;
    }
    event.op = prng.below(2) == 0 ? FileOp::cas : FileOp::put;
    event.content = fmt::format("{} {}", name, step);
    event.expected = seen[path];
    notes.note(event, [&](FileEvent& e) {
      File::Options options;
      if (e.op == FileOp::cas) options.version = e.expected;
      seen[path] = e.version = file.write(e.content, options);
    });
  }
}

TEST(FilesHistory, OfRealDaemonsHasNoFindings) {
  using namespace std::chrono_literals;
  EngineDaemons daemons{2, 1s};
  FileNotes notes;
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] { work(daemons, i, is_over, notes); });
  }
  std::this_thread::sleep_for(500ms);
  daemons.stop(0);  // Its clients go to the other one, and know what they know.
  std::this_thread::sleep_for(500ms);
  daemons.start(0);
  std::this_thread::sleep_for(500ms);
  daemons.stop(1);  // And back to one whose cache is new.
  std::this_thread::sleep_for(500ms);
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(notes.events.size(), 40u);
  for (const auto& finding : audit::judge_files(notes.events)) {
    ADD_FAILURE() << audit::name_of(finding.kind) << ": " << finding.file << ": " << finding.text;
  }
}

}  // namespace
}  // namespace hapax
