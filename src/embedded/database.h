// The records in a SQLite file that all processes of one host open. A commit is durable when it
// returns: WAL with synchronous=FULL. Blocks; for one thread.
//
// The records' keys are prefixed by the group. `changes` has the last commits, for watches.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/blocking.h"
#include "engine/record.h"

struct sqlite3;

namespace hapax::engine {

class Database : public Backing {
 public:
  // Creates the file, but no folder. Refuses a file that is something else, is damaged, cannot be
  // written, has several names, or is a copy that it is not told to adopt.
  static Result<std::unique_ptr<Database>> open(const std::string& path, const std::string& group,
                                                std::chrono::milliseconds timeout,
                                                bool adopts_copy = false);
  ~Database() override;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<Snapshot> read(const std::vector<std::string>& prefixes, Deadline deadline) override;
  Result<std::optional<Revision>> commit(const std::vector<Condition>& conditions,
                                         const std::vector<Write>& writes,
                                         Deadline deadline) override;
  Result<Since> since(std::string_view prefix, Revision from, Deadline deadline) override;
  Result<std::uint64_t> pulse() override;
  void interrupt() override { interrupted_ = true; }

  static constexpr std::uint64_t kCommitsKept = 1024;
  static constexpr std::uint64_t kBytesKept = std::uint64_t{16} << 20;  // … and no more than so many.

 private:
  Database(sqlite3* handle, std::filesystem::path path, std::string prefix, Deadline deadline);

  void prepare(bool adopts_copy);
  void make_tables(bool adopts_copy);
  bool is_empty();
  bool refill();
  void check_place(const std::filesystem::path& path, bool adopts_copy);
  void still_there();
  Revision revision();
  Version version_of(const std::string& key);
  std::optional<Revision> commit_inside(const std::vector<Condition>& conditions,
                                        const std::vector<Write>& writes);
  bool apply(const Write& write, Revision revision);
  Revision last_to_forget(const std::vector<Write>& writes, Revision next);
  template <class F>
  auto transaction(const char* begin, Deadline deadline, F&& work) -> Result<decltype(work())>;
  void run(const char* sql);
  bool wait_for_others(int waits);

  sqlite3* handle_;
  const std::filesystem::path path_;
  const std::string prefix_;
  Deadline deadline_;  // Of what is being done.
  std::uint64_t own_commits_ = 0;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace hapax::engine
