// A gate in a SQLite database: a row that remembers the highest fence, beside the data it guards.
//
//   BEGIN IMMEDIATE;
//   if (gate.admit(orders.fence())) UPDATE …;   // or SELECT: reads raise the mark as well
//   COMMIT;
//
// Because the mark and the data change in one transaction, check and access are one step; if it is
// rolled back, so is the mark. docs/fences.md says more.
#pragma once

#include <string>
#include <string_view>

#include "hapax/error.h"
#include "hapax/fence.h"

struct sqlite3;

namespace hapax {

// A gate that remembers in a row of a database.
class SqliteGate {
 public:
  // Makes the tables hapax_fences and hapax_shared_fences if there are none. `resource` is what one
  // lock guards: each has a mark of its own. The database stays yours, must outlive the gate, and
  // is used by one thread at a time. All functions throw std::system_error; a busy database is
  // std::errc::device_or_resource_busy (roll back and try again), a table that is not ours, or a
  // mark that makes no sense, is Errc::bad_gate.
  SqliteGate(sqlite3* database, std::string_view resource);

  // Whether what this transaction does may go ahead. If so, all earlier fences are refused once it
  // is committed. Takes SQLite's write lock, even for a read: that is what serializes accesses.
  // Call it first in the transaction: one that has read before may find that the database has moved
  // on, which is "busy". Outside a transaction it is Errc::no_transaction.
  bool admit(Fence fence);
  // The same for a read by one that shares the lock (SharedMutex::lock_shared): refused only after
  // a later writer, whatever fences other readers have.
  bool admit_shared(Fence fence);

  // That it has let pass, as this transaction sees it.
  Fence highest() const;

 private:
  bool pass(const char* statement, Fence fence);

  sqlite3* database_;
  std::string resource_;
};

}  // namespace hapax
