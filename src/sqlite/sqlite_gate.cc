#include "hapax/sqlite_gate.h"

#include <cstdint>
#include <limits>
#include <sqlite3.h>
#include <system_error>

namespace hapax {
namespace {

// The checks are part of the tables, so that editing them by hand brings mistakes to light.
constexpr const char* kMakeTable =
    "CREATE TABLE IF NOT EXISTS hapax_fences ("
    "  resource TEXT PRIMARY KEY NOT NULL,"
    "  epoch INTEGER NOT NULL CHECK (typeof(epoch) = 'integer' AND epoch >= 0),"
    "  turn INTEGER NOT NULL CHECK (typeof(turn) = 'integer' AND turn >= 0)) WITHOUT ROWID";
// The marks of those who share a lock.
constexpr const char* kMakeSharedTable =
    "CREATE TABLE IF NOT EXISTS hapax_shared_fences ("
    "  resource TEXT PRIMARY KEY NOT NULL,"
    "  epoch INTEGER NOT NULL CHECK (typeof(epoch) = 'integer' AND epoch >= 0),"
    "  turn INTEGER NOT NULL CHECK (typeof(turn) = 'integer' AND turn >= 0)) WITHOUT ROWID";
// One statement each: no moment between the look and the mark. A mark that makes no sense lets
// nobody pass.
constexpr const char* kAdmit =
    "INSERT INTO hapax_fences (resource, epoch, turn) SELECT ?1, ?2, ?3 WHERE NOT EXISTS ("
    "  SELECT 1 FROM hapax_shared_fences WHERE resource = ?1 AND NOT ("
    "    typeof(epoch) = 'integer' AND typeof(turn) = 'integer' AND epoch >= 0 AND turn >= 0"
    "    AND (epoch, turn) <= (?2, ?3)))"
    " ON CONFLICT (resource) DO UPDATE SET epoch = excluded.epoch, turn = excluded.turn"
    " WHERE typeof(epoch) = 'integer' AND typeof(turn) = 'integer' AND epoch >= 0 AND turn >= 0"
    " AND (epoch, turn) <= (excluded.epoch, excluded.turn)";
constexpr const char* kAdmitShared =
    "INSERT INTO hapax_shared_fences (resource, epoch, turn) SELECT ?1, ?2, ?3 WHERE NOT EXISTS ("
    "  SELECT 1 FROM hapax_fences WHERE resource = ?1 AND NOT ("
    "    typeof(epoch) = 'integer' AND typeof(turn) = 'integer' AND epoch >= 0 AND turn >= 0"
    "    AND (epoch, turn) <= (?2, ?3)))"
    " ON CONFLICT (resource) DO UPDATE SET"
    "  epoch = iif((epoch, turn) < (excluded.epoch, excluded.turn), excluded.epoch, epoch),"
    "  turn = iif((epoch, turn) < (excluded.epoch, excluded.turn), excluded.turn, turn)"
    " WHERE typeof(epoch) = 'integer' AND typeof(turn) = 'integer' AND epoch >= 0 AND turn >= 0";
constexpr const char* kHighest = "SELECT epoch, turn FROM hapax_fences WHERE resource = ?1";
constexpr const char* kHighestShared =
    "SELECT epoch, turn FROM hapax_shared_fences WHERE resource = ?1";

std::error_code code_of(int result) {
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return std::make_error_code(std::errc::device_or_resource_busy);
    case SQLITE_NOMEM:
      return std::make_error_code(std::errc::not_enough_memory);
    case SQLITE_FULL:
      return std::make_error_code(std::errc::no_space_on_device);
    case SQLITE_READONLY:
      return std::make_error_code(std::errc::read_only_file_system);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return std::make_error_code(std::errc::io_error);
    default:  // A table of another shape, a file that is no database.
      return Errc::bad_gate;
  }
}

[[noreturn]] void fail(sqlite3* database, int result) {
  throw std::system_error{code_of(result),
                          std::string{"hapax_fences: "} + sqlite3_errmsg(database)};
}

class Statement {
 public:
  Statement(sqlite3* database, const char* sql) : database_(database) {
    const int result = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
    if (result != SQLITE_OK) fail(database, result);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int at, const std::string& text) {
    const int result = sqlite3_bind_text64(statement_, at, text.data(), text.size(),
                                           SQLITE_TRANSIENT, SQLITE_UTF8);
    if (result != SQLITE_OK) fail(database_, result);
  }
  void bind(int at, std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw std::system_error{std::make_error_code(std::errc::value_too_large), "hapax_fences"};
    }
    const int result = sqlite3_bind_int64(statement_, at, static_cast<std::int64_t>(value));
    if (result != SQLITE_OK) fail(database_, result);
  }
  // True if there is a row.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) fail(database_, result);
    return result == SQLITE_ROW;
  }
  std::uint64_t whole_number(int column) {
    const std::int64_t value = sqlite3_column_int64(statement_, column);
    if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER || value < 0) {
      throw std::system_error{make_error_code(Errc::bad_gate), "a mark in hapax_fences"};
    }
    return static_cast<std::uint64_t>(value);
  }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

SqliteGate::SqliteGate(sqlite3* database, std::string_view resource)
    : database_(database), resource_(resource) {
  Statement{database_, kMakeTable}.step();
  Statement{database_, kMakeSharedTable}.step();
  (void)highest();  // A table of another shape shows now.
}

bool SqliteGate::admit(Fence fence) { return pass(kAdmit, fence); }
bool SqliteGate::admit_shared(Fence fence) { return pass(kAdmitShared, fence); }

bool SqliteGate::pass(const char* statement, Fence fence) {
  if (sqlite3_get_autocommit(database_) != 0) {
    throw std::system_error{make_error_code(Errc::no_transaction), resource_};
  }
  Statement admit{database_, statement};
  admit.bind(1, resource_);
  admit.bind(2, number(fence.epoch));
  admit.bind(3, number(fence.turn));
  admit.step();
  if (sqlite3_changes(database_) == 1) return true;
  (void)highest();  // Refused because a later holder was here, or because the mark makes no sense?
  return false;
}

Fence SqliteGate::highest() const {
  FenceMarks marks;
  Statement alone{database_, kHighest};
  alone.bind(1, resource_);
  if (alone.step()) {
    marks.alone = {Epoch{alone.whole_number(0)}, Turn{alone.whole_number(1)}};
  }
  Statement shared{database_, kHighestShared};
  shared.bind(1, resource_);
  if (shared.step()) {
    marks.shared = {Epoch{shared.whole_number(0)}, Turn{shared.whole_number(1)}};
  }
  return marks.highest();
}

}  // namespace hapax
