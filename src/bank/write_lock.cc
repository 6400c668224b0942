#include "bank/write_lock.h"

#include <memory>
#include <sqlite3.h>
#include <stdexcept>

namespace hapax::bank {

bool becomes_writable(const std::filesystem::path& database, std::chrono::milliseconds patience) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(database.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> handle{opened, &sqlite3_close};
  if (result != SQLITE_OK) {
    throw std::runtime_error{"cannot open " + database.string() + ": " + sqlite3_errmsg(opened)};
  }
  sqlite3_busy_timeout(opened, static_cast<int>(patience.count()));
  const int begun = sqlite3_exec(opened, "BEGIN IMMEDIATE; ROLLBACK", nullptr, nullptr, nullptr);
  if (begun == SQLITE_OK) return true;
  if (begun == SQLITE_BUSY) return false;
  throw std::runtime_error{database.string() + ": " + sqlite3_errmsg(opened)};
}

}  // namespace hapax::bank
