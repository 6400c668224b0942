// What this member knows of its locks, for people: who holds and who waits.
#pragma once

#include <string>

#include "daemon/waiters.h"
#include "inquiries/lock_sweep.h"
#include "locks/lock_table.h"
#include "session/lock_list.h"

namespace hapax {

// The lock of that name; of a pattern, or without a name, those that somebody here holds or waits
// for.
LockList locks_at_this_member(const LockTable& table, const Waiters& waiters,
                              const std::string& name);

// The same a page at a time, of all that are in use.
LocksPage page_of_locks(const LockTable& table, const Waiters& waiters, std::uint64_t place);

}  // namespace hapax
