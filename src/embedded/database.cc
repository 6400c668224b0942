#include "embedded/database.h"

#include <algorithm>
#include <sqlite3.h>
#include <thread>
#include <utility>

#include "embedded/database_place.h"
#include "embedded/private_file.h"
#include "embedded/statement.h"
#include "embedded/stopped_writer.h"
#include "engine/commit.h"

namespace hapax::engine {
namespace {

constexpr std::uint64_t kApplication = 0x68617078;  // "hapx"
constexpr std::uint64_t kLayout = 1;
constexpr const char* kTables =
    "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 0), revision INTEGER NOT NULL,"
    "  forgotten INTEGER NOT NULL);"
    "INSERT INTO state VALUES (0, 0, 0);"
    "CREATE TABLE records (key BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL,"
    "  version INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE changes (revision INTEGER NOT NULL, key BLOB NOT NULL, value BLOB,"
    "  PRIMARY KEY (revision, key)) WITHOUT ROWID;"
    "PRAGMA application_id = 0x68617078;"
    "PRAGMA user_version = 1;";

Error advice(const SqliteError& e) {
  switch (e.code()) {
    case SQLITE_FULL:
      return error("the disk of the embedded engine is full; make room: {}", e.what());
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return error("the embedded engine cannot write; check file and folder: {}", e.what());
    case SQLITE_CANTOPEN:
      return error("the embedded engine cannot open its file; check the folder: {}", e.what());
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return error("the embedded engine's file is damaged, or no database; restore it: {}",
                   e.what());
    case SQLITE_BUSY:
      return error("the embedded engine's file is held by another process: {}", e.what());
    default:
      return error("the embedded engine failed: {}", e.what());
  }
}

std::uint64_t number(sqlite3* handle, const char* sql) {
  Statement statement{handle, sql};
  return statement.step() ? statement.number(0) : 0;
}

}  // namespace

Database::Database(sqlite3* handle, std::filesystem::path path, std::string prefix,
                   Deadline deadline)
    : handle_(handle), path_(std::move(path)), prefix_(std::move(prefix)), deadline_(deadline) {
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_handler(
      handle_,
      [](void* self, int waits) {
        return static_cast<Database*>(self)->wait_for_others(waits) ? 1 : 0;
      },
      this);
}

Database::~Database() { sqlite3_close(handle_); }

// SQLite's own handler waits in ever longer steps, and cannot be told to stop.
bool Database::wait_for_others(int waits) {
  constexpr int kUsual = 30;  // Milliseconds: a commit takes less, if it is not stopped.
  if (interrupted_ || std::chrono::steady_clock::now() > deadline_) return false;
  std::this_thread::sleep_for(std::chrono::milliseconds{1});
  if (waits % kUsual == kUsual - 1) help_stopped_writer(path_);
  return true;
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, const std::string& group,
                                                 std::chrono::milliseconds timeout,
                                                 bool adopts_copy) {
  const std::filesystem::path real = real_path(path);
  if (const auto good = make_private(real); !good) return good.error();
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  // Before SQLite makes a journal for that name.
  if (std::error_code failed; std::filesystem::is_regular_file(real, failed)) {
    if (const auto place = DatabasePlace::of(real); !place) {
      return error("{}: {}", path, place.error().message);
    }
  }
  const int result = sqlite3_open_v2(real.c_str(), &handle, flags, nullptr);
  if (handle == nullptr) return error("no memory for the embedded engine");
  std::unique_ptr<Database> database{
      new Database{handle, real, group + "/", std::chrono::steady_clock::now() + timeout}};
  try {
    if (result != SQLITE_OK) throw SqliteError{handle, result};
    database->prepare(adopts_copy);
  } catch (const SqliteError& e) {
    return error("{}: {}", path, advice(e).message);
  } catch (const std::runtime_error& e) {
    return error("{}: {}", path, e.what());
  }
  return database;
}

// Several processes may do this at once: only the first finds no tables.
void Database::prepare(bool adopts_copy) {
  // The one step for which SQLite does not call the busy handler.
  for (int waits = 0;; ++waits) {
    try {
      Statement{handle_, "PRAGMA journal_mode = WAL"}.step();
      break;
    } catch (const SqliteError& e) {
      if (e.code() != SQLITE_BUSY || !wait_for_others(waits)) throw;
    }
  }
  run("PRAGMA synchronous = FULL");
  make_tables(adopts_copy);
  Statement check{handle_, "PRAGMA quick_check(1)"};
  if (!check.step() || check.bytes(0) != "ok") {
    throw std::runtime_error("the file is damaged; restore it: " + check.bytes(0));
  }
}

void Database::make_tables(bool adopts_copy) {
  run("BEGIN IMMEDIATE");
  const std::uint64_t application = number(handle_, "PRAGMA application_id");
  if (application == 0 && is_empty()) {
    run(kTables);
  } else if (application != kApplication) {
    throw std::runtime_error("this is another program's database; name another file");
  } else if (number(handle_, "PRAGMA user_version") != kLayout) {
    throw std::runtime_error("this file was made by another version of hapax; use that one");
  }
  check_place(path_, adopts_copy);
  run("COMMIT");
}

bool Database::is_empty() { return number(handle_, "SELECT count(*) FROM sqlite_schema") == 0; }

// REQUIRES: in a transaction that may write.
void Database::check_place(const std::filesystem::path& path, bool adopts_copy) {
  const auto here = DatabasePlace::of(path);
  if (!here) throw std::runtime_error(here.error().message);
  run("CREATE TABLE IF NOT EXISTS place (id INTEGER PRIMARY KEY CHECK (id = 0), device INTEGER,"
      "  inode INTEGER, folder_device INTEGER, folder_inode INTEGER, name BLOB, boot BLOB)");
  Statement known{handle_,
                  "SELECT device, inode, folder_device, folder_inode, name, boot FROM place"};
  if (known.step()) {
    const DatabasePlace before{known.number(0), known.number(1), known.number(2),
                               known.number(3), known.bytes(4),  known.bytes(5)};
    if (!adopts_copy && !here->is_same_as(before)) {
      throw std::runtime_error(
          "this is a copy of another file, or that file under another name: two groups would both "
          "take themselves for the one. If it was moved or restored, and no member uses the "
          "original any more, say so once: --new-group");
    }
    if (here->boot == before.boot && here->is_same_as(before)) return;
  }
  Statement{handle_, "REPLACE INTO place VALUES (0, ?1, ?2, ?3, ?4, ?5, ?6)"}
      .bind(1, here->device)
      .bind(2, here->inode)
      .bind(3, here->folder_device)
      .bind(4, here->folder_inode)
      .bind(5, here->name)
      .bind(6, here->boot)
      .step();
}

void Database::run(const char* sql) {
  const int result = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) throw SqliteError{handle_, result};
}

// If the file is deleted under running members, the next one to start would found another group.
void Database::still_there() {
  int moved = 0;
  if (sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
      moved != 0) {
    throw std::runtime_error(
        "the embedded engine's file was moved or deleted; restart the members");
  }
}

template <class F>
auto Database::transaction(const char* begin, Deadline deadline, F&& work)
    -> Result<decltype(work())> {
  deadline_ = deadline;
  try {
    still_there();
    run(begin);
    auto result = work();
    run("COMMIT");
    return result;
  } catch (const SqliteError& e) {
    const Error why = advice(e);  // Before the next call overwrites SQLite's message.
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    return e.code() == SQLITE_ERROR && refill() ? error("its records were gone, all of them") : why;
  } catch (const std::runtime_error& e) {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    return error("{}", e.what());
  }
}

// Whether it was empty and is so no more: somebody has restored a copy of an empty file under
// running members. For them that is a wiped engine, and the group begins anew.
bool Database::refill() {
  try {
    if (!is_empty()) return false;
    make_tables(true);
    return true;
  } catch (const std::runtime_error&) {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    return false;
  }
}

Revision Database::revision() { return number(handle_, "SELECT revision FROM state"); }

Version Database::version_of(const std::string& key) {
  Statement select{handle_, "SELECT version FROM records WHERE key = ?1"};
  return select.bind(1, prefix_ + key).step() ? select.number(0) : kAbsent;
}

Result<Snapshot> Database::read(const std::vector<std::string>& prefixes, Deadline deadline) {
  return transaction("BEGIN", deadline, [&] {
    Snapshot snapshot{revision(), {}};
    // '/' + 1 is '0': the keys of this group are all that lie between.
    Statement select{handle_,
                     "SELECT key, value, version FROM records WHERE key >= ?1 AND key < ?2"};
    std::string end = prefix_;
    end.back() = '0';
    select.bind(1, prefix_).bind(2, end);
    while (select.step()) {
      std::string key = select.bytes(0).substr(prefix_.size());
      if (!under_any(prefixes, key)) continue;
      snapshot.records.push_back({std::move(key), select.bytes(1), select.number(2)});
    }
    return snapshot;
  });
}

Result<std::optional<Revision>> Database::commit(const std::vector<Condition>& conditions,
                                                 const std::vector<Write>& writes,
                                                 Deadline deadline) {
  auto result =
      transaction("BEGIN IMMEDIATE", deadline, [&] { return commit_inside(conditions, writes); });
  if (result) ++own_commits_;
  return result;
}

std::optional<Revision> Database::commit_inside(const std::vector<Condition>& conditions,
                                                const std::vector<Write>& writes) {
  for (const Condition& condition : conditions) {
    if (!condition.holds(version_of(condition.key))) return std::nullopt;
  }
  const Revision before = revision();
  const Revision next = before + 1;
  bool changed = false;
  for (const Write& write : writes) changed |= apply(write, next);
  if (!changed) return before;
  const Revision forgotten = last_to_forget(writes, next);
  Statement{handle_, "UPDATE state SET revision = ?1, forgotten = max(forgotten, ?2)"}
      .bind(1, next)
      .bind(2, forgotten)
      .step();
  Statement{handle_, "DELETE FROM changes WHERE revision <= ?1"}.bind(1, forgotten).step();
  return next;
}

// What commits have written is added up only by those that weigh something: beats do not.
Revision Database::last_to_forget(const std::vector<Write>& writes, Revision next) {
  constexpr std::size_t kLight = kBytesKept / kCommitsKept / 4;
  const Revision by_number = next > kCommitsKept ? next - kCommitsKept : 0;
  if (std::all_of(writes.begin(), writes.end(),
                  [](const Write& w) { return !w.value || w.value->size() <= kLight; })) {
    return by_number;
  }
  Statement heavy{handle_,
                  "SELECT max(revision) FROM (SELECT revision, sum(length(value)) OVER"
                  " (ORDER BY revision DESC) AS bytes FROM changes) WHERE bytes > ?1"};
  const Revision by_bytes = heavy.bind(1, kBytesKept).step() ? heavy.number(0) : 0;
  return std::max(by_bytes, by_number);
}

bool Database::apply(const Write& write, Revision revision) {
  const std::string key = prefix_ + write.key;
  if (write.value) {
    Statement{handle_, "REPLACE INTO records (key, value, version) VALUES (?1, ?2, ?3)"}
        .bind(1, key)
        .bind(2, *write.value)
        .bind(3, revision)
        .step();
  } else {
    Statement{handle_, "DELETE FROM records WHERE key = ?1"}.bind(1, key).step();
    if (sqlite3_changes(handle_) == 0) return false;
  }
  Statement change{handle_, "INSERT INTO changes (revision, key, value) VALUES (?1, ?2, ?3)"};
  change.bind(1, revision).bind(2, key);
  if (write.value) change.bind(3, *write.value);  // Unbound is NULL: deleted.
  change.step();
  return true;
}

Result<Backing::Since> Database::since(std::string_view prefix, Revision from, Deadline deadline) {
  return transaction("BEGIN", deadline, [&] {
    Since since{revision(), std::nullopt};
    const Revision forgotten = number(handle_, "SELECT forgotten FROM state");
    if (from < forgotten || from > since.revision) return since;
    since.commits.emplace();
    const std::string whole = prefix_ + std::string{prefix};
    Statement select{handle_,
                     "SELECT revision, key, value FROM changes WHERE revision > ?1"
                     " ORDER BY revision, key"};
    select.bind(1, from);
    while (select.step()) {
      std::string key = select.bytes(1);
      if (!key.starts_with(whole)) continue;
      const Revision revision = select.number(0);
      if (since.commits->empty() || since.commits->back().revision != revision) {
        since.commits->push_back({revision, {}});
      }
      Write write{key.substr(prefix_.size()), std::nullopt};
      if (!select.is_null(2)) write.value = select.bytes(2);
      since.commits->back().writes.push_back(std::move(write));
    }
    return since;
  });
}

// SQLite's number counts others' commits; our own are counted here.
Result<std::uint64_t> Database::pulse() {
  try {
    return number(handle_, "PRAGMA data_version") + own_commits_;
  } catch (const SqliteError& e) {
    return advice(e);
  }
}

}  // namespace hapax::engine
