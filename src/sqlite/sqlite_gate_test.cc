#include "hapax/sqlite_gate.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <string>
#include <vector>

#include "base/testing/folder.h"
#include "base/testing/processes.h"

namespace hapax {
namespace {

namespace fs = std::filesystem;

Fence fence(std::uint64_t epoch, std::uint64_t turn) { return {Epoch{epoch}, Turn{turn}}; }

class Database {
 public:
  explicit Database(const fs::path& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &handle_), SQLITE_OK);
    sqlite3_busy_timeout(handle_, 20'000);
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  int run(const std::string& sql) {
    return sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  }
  std::vector<std::int64_t> numbers(const std::string& sql) {
    std::vector<std::int64_t> numbers;
    const auto add = [](void* to, int, char** values, char**) {
      static_cast<std::vector<std::int64_t>*>(to)->push_back(std::stoll(values[0]));
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(handle_, sql.c_str(), add, &numbers, nullptr), SQLITE_OK);
    return numbers;
  }
  sqlite3* handle() { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

class InSqlite : public ::testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "shop.db"; }

  static bool admits(Database& db, SqliteGate& gate, Fence f) {
    EXPECT_EQ(db.run("BEGIN IMMEDIATE"), SQLITE_OK);
    const bool admitted = gate.admit(f);
    EXPECT_EQ(db.run("COMMIT"), SQLITE_OK);
    return admitted;
  }
  template <class F>
  static void expect_error(std::error_code code, F&& f) {
    try {
      f();
      FAIL() << "no error";
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
    }
  }

  testing::Folder folder_;
};

TEST_F(InSqlite, RefusesWhoeverIsLate) {
  Database db{path()};
  SqliteGate gate{db.handle(), "orders"};
  EXPECT_EQ(gate.highest(), Fence{});
  EXPECT_TRUE(admits(db, gate, fence(1, 5)));
  EXPECT_FALSE(admits(db, gate, fence(1, 4)));
  EXPECT_TRUE(admits(db, gate, fence(1, 5))) << "the same holder comes again";
  EXPECT_TRUE(admits(db, gate, fence(2, 1))) << "a later epoch goes first";
  EXPECT_FALSE(admits(db, gate, fence(1, 100)));
  EXPECT_EQ(gate.highest(), fence(2, 1));
}

TEST_F(InSqlite, AReadRaisesTheMark) {
  Database one{path()};
  Database two{path()};
  SqliteGate old_holder{one.handle(), "orders"};
  SqliteGate new_holder{two.handle(), "orders"};
  EXPECT_TRUE(admits(one, old_holder, fence(1, 1)));
  EXPECT_TRUE(admits(two, new_holder, fence(1, 2)));  // Only reads.
  EXPECT_FALSE(admits(one, old_holder, fence(1, 1)));
}

TEST_F(InSqlite, EachResourceHasItsOwnMark) {
  Database db{path()};
  SqliteGate orders{db.handle(), "orders"};
  SqliteGate stock{db.handle(), "stock; it's \"quoted\""};
  EXPECT_TRUE(admits(db, orders, fence(1, 9)));
  EXPECT_TRUE(admits(db, stock, fence(1, 1)));
  EXPECT_EQ(orders.highest(), fence(1, 9));
  EXPECT_EQ(stock.highest(), fence(1, 1));
}

TEST_F(InSqlite, TheMarkGoesBackWithTheTransaction) {
  Database db{path()};
  SqliteGate gate{db.handle(), "orders"};
  ASSERT_EQ(db.run("BEGIN"), SQLITE_OK);
  EXPECT_TRUE(gate.admit(fence(1, 5)));
  ASSERT_EQ(db.run("ROLLBACK"), SQLITE_OK);
  EXPECT_EQ(gate.highest(), Fence{});
}

TEST_F(InSqlite, OutsideATransactionNothingPasses) {
  Database db{path()};
  SqliteGate gate{db.handle(), "orders"};
  expect_error(Errc::no_transaction, [&] { (void)gate.admit(fence(1, 1)); });
}

TEST_F(InSqlite, HoldsOffOthersUntilTheTransactionEnds) {
  Database one{path()};
  Database two{path()};
  sqlite3_busy_timeout(two.handle(), 10);
  SqliteGate first{one.handle(), "orders"};
  SqliteGate second{two.handle(), "orders"};
  ASSERT_EQ(one.run("BEGIN"), SQLITE_OK);
  EXPECT_TRUE(first.admit(fence(1, 1)));
  ASSERT_EQ(two.run("BEGIN"), SQLITE_OK);
  expect_error(std::make_error_code(std::errc::device_or_resource_busy),
               [&] { (void)second.admit(fence(1, 2)); });
  ASSERT_EQ(two.run("ROLLBACK"), SQLITE_OK);
  ASSERT_EQ(one.run("COMMIT"), SQLITE_OK);
  EXPECT_TRUE(admits(two, second, fence(1, 2)));
}

TEST_F(InSqlite, AForeignTableIsAnError) {
  Database db{path()};
  ASSERT_EQ(db.run("CREATE TABLE hapax_fences (garden TEXT)"), SQLITE_OK);
  expect_error(Errc::bad_gate, [&] { SqliteGate gate(db.handle(), "orders"); });
}

TEST_F(InSqlite, AMarkThatMakesNoSenseIsAnError) {
  Database db{path()};
  ASSERT_EQ(db.run("CREATE TABLE hapax_fences (resource TEXT PRIMARY KEY, epoch, turn)"),
            SQLITE_OK);
  SqliteGate gate{db.handle(), "orders"};
  for (const char* mark : {"NULL, 1", "1, NULL", "'soon', 1", "1, x'00'", "-1, 0", "0.5, 1"}) {
    ASSERT_EQ(db.run(std::string{"REPLACE INTO hapax_fences VALUES ('orders', "} + mark + ")"),
              SQLITE_OK);
    expect_error(Errc::bad_gate, [&] { (void)admits(db, gate, fence(5, 5)); });
    ASSERT_EQ(db.run("ROLLBACK"), SQLITE_OK);
  }
}

TEST_F(InSqlite, OurTableTakesNoSuchMark) {
  Database db{path()};
  SqliteGate gate{db.handle(), "orders"};
  EXPECT_EQ(db.run("INSERT INTO hapax_fences VALUES ('orders', 'soon', 1)"), SQLITE_CONSTRAINT);
  EXPECT_EQ(db.run("INSERT INTO hapax_fences VALUES ('orders', -1, 1)"), SQLITE_CONSTRAINT);
}

TEST_F(InSqlite, AFileThatIsNoDatabaseIsAnError) {
  std::ofstream{path()} << std::string(4096, 'x');
  Database db{path()};
  expect_error(Errc::bad_gate, [&] { SqliteGate gate(db.handle(), "orders"); });
}

TEST_F(InSqlite, AFenceBeyondWhatSqliteCountsIsAnError) {
  Database db{path()};
  SqliteGate gate{db.handle(), "orders"};
  ASSERT_EQ(db.run("BEGIN"), SQLITE_OK);
  expect_error(std::make_error_code(std::errc::value_too_large),
               [&] { (void)gate.admit(fence(1ull << 63, 0)); });
}

TEST_F(InSqlite, ProcessesPassInOrder) {
  {
    Database db{path()};
    ASSERT_EQ(db.run("CREATE TABLE log (at INTEGER PRIMARY KEY, turn INTEGER)"), SQLITE_OK);
    ASSERT_EQ(db.run("PRAGMA journal_mode = WAL"), SQLITE_OK);
  }
  constexpr std::uint64_t kProcesses = 4;
  constexpr std::uint64_t kTimes = 25;
  testing::in_processes(kProcesses, [&](std::uint64_t me) {
    Database db{path()};
    SqliteGate gate{db.handle(), "orders"};
    for (std::uint64_t i = 0; i < kTimes; ++i) {
      const std::uint64_t turn = i * kProcesses + me + 1;
      ASSERT_EQ(db.run("BEGIN IMMEDIATE"), SQLITE_OK);
      if (gate.admit(fence(1, turn))) {
        ASSERT_EQ(db.run("INSERT INTO log (turn) VALUES (" + std::to_string(turn) + ")"),
                  SQLITE_OK);
      }
      ASSERT_EQ(db.run("COMMIT"), SQLITE_OK);
    }
  });
  Database db{path()};
  const auto turns = db.numbers("SELECT turn FROM log ORDER BY at");
  EXPECT_TRUE(std::is_sorted(turns.begin(), turns.end()));
  ASSERT_FALSE(turns.empty());
  EXPECT_EQ(turns.back(), static_cast<std::int64_t>(kProcesses * kTimes));
}

TEST_F(InSqlite, ReadersShutOutOnlyEarlierWriters) {
  Database db{path()};
  SqliteGate gate{db.handle(), "orders"};
  const auto reads = [&](std::uint64_t turn) {
    EXPECT_EQ(db.run("BEGIN IMMEDIATE"), SQLITE_OK);
    const bool admitted = gate.admit_shared(fence(1, turn));
    EXPECT_EQ(db.run("COMMIT"), SQLITE_OK);
    return admitted;
  };
  EXPECT_TRUE(reads(6));
  EXPECT_TRUE(reads(4)) << "it reads together with the other";
  EXPECT_EQ(gate.highest(), fence(1, 6));
  EXPECT_FALSE(admits(db, gate, fence(1, 5))) << "a writer that a reader came after";
  EXPECT_TRUE(admits(db, gate, fence(1, 7)));
  EXPECT_FALSE(reads(6)) << "a reader that a writer came after";
  EXPECT_TRUE(reads(8));
  EXPECT_FALSE(admits(db, gate, fence(1, 7)));
  SqliteGate other{db.handle(), "others"};
  EXPECT_EQ(other.highest(), Fence{});
  expect_error(Errc::no_transaction, [&] { gate.admit_shared(fence(1, 9)); });
}

TEST_F(InSqlite, AMarkOfReadersThatMakesNoSenseLetsNobodyPass) {
  Database db{path()};
  SqliteGate gate{db.handle(), "orders"};
  EXPECT_EQ(db.run("PRAGMA ignore_check_constraints = ON;"
                   "INSERT INTO hapax_shared_fences VALUES ('orders', -1, 'x')"),
            SQLITE_OK);
  EXPECT_EQ(db.run("BEGIN IMMEDIATE"), SQLITE_OK);
  expect_error(Errc::bad_gate, [&] { gate.admit(fence(9, 9)); });
  expect_error(Errc::bad_gate, [&] { gate.admit_shared(fence(9, 9)); });
  EXPECT_EQ(db.run("COMMIT"), SQLITE_OK);
}

}  // namespace
}  // namespace hapax
