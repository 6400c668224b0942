#include "bank/books.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <stdexcept>
#include <string>

#include "hapax/sqlite_gate.h"

namespace hapax::bank {
namespace {

constexpr int kPatienceMs = 20'000;  // While others write.

[[noreturn]] void fail(sqlite3* database) {
  throw std::runtime_error{fmt::format("the bank's database: {}", sqlite3_errmsg(database))};
}

class Query {
 public:
  template <class... Args>
  Query(sqlite3* database, const char* sql, Args... args) : database_(database) {
    if (sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK) fail(database);
    int at = 0;
    (sqlite3_bind_int64(statement_, ++at, static_cast<std::int64_t>(args)), ...);
  }
  ~Query() { sqlite3_finalize(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  bool next() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) fail(database_);
    return result == SQLITE_ROW;
  }
  std::int64_t number(int column) { return sqlite3_column_int64(statement_, column); }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

// Rolls back what was not committed.
class Transaction {
 public:
  explicit Transaction(sqlite3* database) : database_(database) {
    Query{database_, "BEGIN IMMEDIATE"}.next();
  }
  ~Transaction() {
    if (!done_) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() {
    Query{database_, "COMMIT"}.next();
    done_ = true;
  }

 private:
  sqlite3* database_;
  bool done_ = false;
};

SqliteGate gate_of(sqlite3* database, int account) {
  return {database, fmt::format("accounts/{}", account)};
}

}  // namespace

Books::Books(const std::filesystem::path& file) {
  if (sqlite3_open(file.c_str(), &database_) != SQLITE_OK) {
    const std::string why = sqlite3_errmsg(database_);
    sqlite3_close(database_);
    throw std::runtime_error{fmt::format("cannot open {}: {}", file.string(), why)};
  }
  sqlite3_busy_timeout(database_, kPatienceMs);
  // Readers and writers do not wait for each other; no sync for each commit, which a demo can
  // spare.
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
      "CREATE TABLE IF NOT EXISTS accounts ("
      "  account INTEGER PRIMARY KEY, opening INTEGER NOT NULL, balance INTEGER NOT NULL);"
      "CREATE TABLE IF NOT EXISTS receipts ("
      "  number INTEGER PRIMARY KEY, account INTEGER NOT NULL, atm INTEGER NOT NULL,"
      "  amount INTEGER NOT NULL, epoch INTEGER, turn INTEGER);");
}

Books::~Books() { sqlite3_close(database_); }

void Books::run(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(database_);
}

void Books::open_account(int account, Money opening) {
  Transaction transaction{database_};
  Query{database_, "DELETE FROM receipts WHERE account = ?1", account}.next();
  Query{database_, "REPLACE INTO accounts VALUES (?1, ?2, ?2)", account, opening}.next();
  transaction.commit();
}

Money Books::balance(int account) {
  Query query{database_, "SELECT balance FROM accounts WHERE account = ?1", account};
  if (!query.next()) throw std::runtime_error{fmt::format("there is no account {}", account)};
  return query.number(0);
}

void Books::write(int account, int atm, Money new_balance, Money amount,
                  std::optional<Fence> fence) {
  Query{database_, "UPDATE accounts SET balance = ?2 WHERE account = ?1", account, new_balance}
      .next();
  if (fence) {
    Query{database_,
          "INSERT INTO receipts (account, atm, amount, epoch, turn) VALUES (?1, ?2, ?3, ?4, ?5)",
          account,
          atm,
          amount,
          number(fence->epoch),
          number(fence->turn)}
        .next();
  } else {
    Query{database_, "INSERT INTO receipts (account, atm, amount) VALUES (?1, ?2, ?3)", account,
          atm, amount}
        .next();
  }
}

void Books::deposit(int account, int atm, Money new_balance, Money amount,
                    std::optional<Fence> fence) {
  Transaction transaction{database_};
  write(account, atm, new_balance, amount, fence);
  transaction.commit();
}

std::optional<Money> Books::guarded_balance(int account, Fence fence) {
  SqliteGate gate = gate_of(database_, account);
  Transaction transaction{database_};
  if (!gate.admit(fence)) return std::nullopt;
  const Money read = balance(account);
  transaction.commit();  // A read raises the mark as well.
  return read;
}

bool Books::guarded_deposit(int account, int atm, Money new_balance, Money amount, Fence fence) {
  SqliteGate gate = gate_of(database_, account);
  Transaction transaction{database_};
  if (!gate.admit(fence)) return false;
  write(account, atm, new_balance, amount, fence);
  transaction.commit();
  return true;
}

Fence Books::mark(int account) { return gate_of(database_, account).highest(); }

Statement Books::statement(int account) {
  Query query{database_,
              "SELECT opening, balance,"
              "  (SELECT COALESCE(SUM(amount), 0) FROM receipts WHERE account = ?1),"
              "  (SELECT COUNT(*) FROM receipts WHERE account = ?1)"
              " FROM accounts WHERE account = ?1",
              account};
  if (!query.next()) throw std::runtime_error{fmt::format("there is no account {}", account)};
  return {query.number(0), query.number(2), query.number(1),
          static_cast<std::uint64_t>(query.number(3))};
}

std::vector<Fence> Books::fences(int account) {
  Query query{database_, "SELECT epoch, turn FROM receipts WHERE account = ?1 ORDER BY number",
              account};
  std::vector<Fence> fences;
  while (query.next()) {
    fences.push_back({Epoch{static_cast<std::uint64_t>(query.number(0))},
                      Turn{static_cast<std::uint64_t>(query.number(1))}});
  }
  return fences;
}

}  // namespace hapax::bank
