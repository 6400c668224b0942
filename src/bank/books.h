// The bank's books: accounts and receipts in a SQLite file that any number of processes may open.
// Reading a balance and writing it are two transactions, as in many a program; what happens between
// them is the subject of the demo.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "hapax/fence.h"

struct sqlite3;

namespace hapax::bank {

using Money = std::int64_t;  // Euros.

// What one account came to: all that was confirmed to customers beside what it says.
struct Statement {
  Money opening = 0;
  Money receipts = 0;
  Money balance = 0;
  std::uint64_t deposits = 0;

  Money expected() const { return opening + receipts; }
  Money lost() const { return expected() - balance; }
};

class Books {
 public:
  // Opens them, or makes them. Throws std::runtime_error, like all that follows.
  explicit Books(const std::filesystem::path& file);
  ~Books();
  Books(const Books&) = delete;
  Books& operator=(const Books&) = delete;

  void open_account(int account, Money opening);
  Money balance(int account);
  // Writes the balance that the ATM has worked out, and a receipt for the customer.
  void deposit(int account, int atm, Money new_balance, Money amount, std::optional<Fence> fence);

  // The same past the gate: nothing, or false, if a later holder has been there.
  std::optional<Money> guarded_balance(int account, Fence fence);
  bool guarded_deposit(int account, int atm, Money new_balance, Money amount, Fence fence);
  // The highest fence that the gate has seen.
  Fence mark(int account);

  Statement statement(int account);
  // Of the receipts, in the order of writing.
  std::vector<Fence> fences(int account);

 private:
  void run(const char* sql);
  void write(int account, int atm, Money new_balance, Money amount, std::optional<Fence> fence);

  sqlite3* database_ = nullptr;
};

}  // namespace hapax::bank
