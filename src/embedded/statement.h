// SQLite's statements as values; what goes wrong is thrown, to be caught where a transaction ends.
#pragma once

#include <cstdint>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hapax::engine {

class SqliteError : public std::runtime_error {
 public:
  SqliteError(sqlite3* database, int result)
      : std::runtime_error(sqlite3_errmsg(database)), code_(result & 0xff) {}
  int code() const { return code_; }

 private:
  int code_;
};

class Statement {
 public:
  Statement(sqlite3* database, const char* sql) : database_(database) {
    check(sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int at, std::string_view bytes) {
    // An empty blob is no NULL.
    const char* data = bytes.data() == nullptr ? "" : bytes.data();
    check(sqlite3_bind_blob64(statement_, at, data, bytes.size(), SQLITE_TRANSIENT));
    return *this;
  }
  Statement& bind(int at, std::uint64_t number) {
    check(sqlite3_bind_int64(statement_, at, static_cast<std::int64_t>(number)));
    return *this;
  }
  // True if there is a row.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) throw SqliteError{database_, result};
    return result == SQLITE_ROW;
  }
  std::uint64_t number(int column) {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
  }
  std::string bytes(int column) {
    const void* data = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return data == nullptr ? std::string{} : std::string{static_cast<const char*>(data), size};
  }
  bool is_null(int column) { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  void check(int result) {
    if (result != SQLITE_OK) throw SqliteError{database_, result};
  }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace hapax::engine
