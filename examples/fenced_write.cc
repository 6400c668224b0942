// Read, modify, write, with a lock and a fence gate in the same database: no update is lost, not
// even when a holder of the lock was paused and comes too late.
//
//   fenced_write DATABASE TIMES        adds one to a counter, so many times
#include <cstdlib>
#include <exception>
#include <hapax/hapax.h>
#include <hapax/sqlite_gate.h>
#include <iostream>
#include <mutex>
#include <sqlite3.h>
#include <stdexcept>
#include <string>

namespace {

void run(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error{sqlite3_errmsg(db)};
  }
}

int counter(sqlite3* db) {
  sqlite3_stmt* select = nullptr;
  sqlite3_prepare_v2(db, "SELECT value FROM counter", -1, &select, nullptr);
  const int value = sqlite3_step(select) == SQLITE_ROW ? sqlite3_column_int(select, 0) : -1;
  sqlite3_finalize(select);
  if (value < 0) throw std::runtime_error{sqlite3_errmsg(db)};
  return value;
}

// Each access passes the gate in its own transaction, the read as well as the write: between the
// two the program may take as long as it likes, or be paused.
bool add_one(sqlite3* db, hapax::SqliteGate& gate, hapax::Fence fence) {
  run(db, "BEGIN IMMEDIATE");
  const bool may_read = gate.admit(fence);
  const int value = counter(db);
  run(db, may_read ? "COMMIT" : "ROLLBACK");
  if (!may_read) return false;

  run(db, "BEGIN IMMEDIATE");
  const bool may_write = gate.admit(fence);
  if (may_write) run(db, "UPDATE counter SET value = " + std::to_string(value + 1));
  run(db, may_write ? "COMMIT" : "ROLLBACK");
  return may_write;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: fenced_write DATABASE TIMES\n";
    return 2;
  }
  sqlite3* db = nullptr;
  try {
    if (sqlite3_open(argv[1], &db) != SQLITE_OK) throw std::runtime_error{sqlite3_errmsg(db)};
    sqlite3_busy_timeout(db, 10'000);
    run(db,
        "CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, value INTEGER);"
        "INSERT OR IGNORE INTO counter VALUES (1, 0)");

    hapax::Client client;
    hapax::Mutex mutex{client, "counter"};
    hapax::SqliteGate gate{db, "counter"};
    for (int left = std::atoi(argv[2]); left > 0;) {
      const std::scoped_lock lock{mutex};
      if (add_one(db, gate, mutex.fence())) --left;  // Else we came too late: take the lock anew.
    }
    std::cout << "the counter is at " << counter(db) << '\n';
  } catch (const std::exception& e) {
    std::cerr << "fenced_write: " << e.what() << '\n';
    sqlite3_close(db);
    return 1;
  }
  sqlite3_close(db);
}
