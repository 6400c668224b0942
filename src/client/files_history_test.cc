// What clients of real daemons saw of files, while one of them is stopped and comes back, judged as
// `hapax audit` does.
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "audit/file_history.h"
#include "client/testing/engine_daemons.h"
#include "client/testing/file_notes.h"

namespace hapax {
namespace {

TEST(FilesHistory, OfRealDaemonsHasNoFindings) {
  using namespace std::chrono_literals;
  EngineDaemons daemons{2, 1s};
  client::testing::FileNotes notes;
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] { client::testing::use_files(daemons, i, 0, is_over, notes); });
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
