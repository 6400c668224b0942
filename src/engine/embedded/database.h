// The records in a SQLite file that all processes of one host open. A commit is durable when it
// returns: WAL with synchronous=FULL. Blocks; for one thread.
//
// The records' keys are prefixed by the group. `changes` has the last commits, for watches.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/record.h"

struct sqlite3;

namespace hapax::engine {

class Database {
 public:
  // Creates the file, but no folder. Refuses a file that is something else, is damaged, or cannot
  // be written.
  static Result<std::unique_ptr<Database>> open(const std::string& path, const std::string& group,
                                                std::chrono::milliseconds timeout);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<Snapshot> read(const std::vector<std::string>& prefixes);

  // As Store::commit(); an error may come although the commit is done.
  Result<std::optional<Revision>> commit(const std::vector<Condition>& conditions,
                                         const std::vector<Write>& writes);

  // As Store::since(); with the revision that it goes up to.
  struct Since {
    Revision revision = 0;
    std::optional<std::vector<Commit>> commits;
  };
  Result<Since> since(std::string_view prefix, Revision from);

  // Differs from before if anybody committed since.
  Result<std::uint64_t> pulse();

  // From any thread: whatever waits for other processes gives up.
  void interrupt() { interrupted_ = true; }

  static constexpr std::uint64_t kCommitsKept = 1024;

 private:
  Database(sqlite3* handle, std::string prefix, std::chrono::milliseconds timeout);

  void prepare();
  void still_there();
  Revision revision();
  Version version_of(const std::string& key);
  std::optional<Revision> commit_inside(const std::vector<Condition>& conditions,
                                        const std::vector<Write>& writes);
  bool apply(const Write& write, Revision revision);
  template <class F>
  auto transaction(const char* begin, F&& work) -> Result<decltype(work())>;
  void run(const char* sql);
  bool wait_for_others(int times);

  sqlite3* handle_;
  const std::string prefix_;
  const std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point busy_since_;
  std::uint64_t own_commits_ = 0;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace hapax::engine
