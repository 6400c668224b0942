#include "daemon/who.h"

#include <algorithm>

namespace hapax {
namespace {

// Where all locks are asked for, the first of those at one of them are enough.
constexpr std::size_t kPeopleOfEach = 100;

// People beyond so many are counted without being described: there may be very many.
session::Lock told(const LockStatus& status, const Waiters& people, std::size_t most_people) {
  session::Lock lock{status.name, std::string{status.algorithm}, std::nullopt, {}, {}};
  if (status.holder) lock.holder = people.describe(status.holder->waiter);
  const std::size_t sharers = std::min(status.sharers.size(), most_people);
  for (std::size_t i = 0; i < sharers; ++i) {
    lock.sharers.push_back(people.describe(status.sharers[i].waiter));
    lock.sharers.back().shared = true;
    lock.sharers.back().fence = status.sharers[i].fence;
  }
  const std::size_t waiters = std::min(status.waiters.size(), most_people);
  for (std::size_t i = 0; i < waiters; ++i) {
    lock.waiters.push_back(people.describe(status.waiters[i]));
    lock.waiters.back().fence.reset();
  }
  lock.more_sharers = status.sharers.size() - sharers;
  lock.more_waiters = status.waiters.size() - waiters;
  return lock;
}

}  // namespace

LockList locks_at_this_member(const LockTable& table, const Waiters& waiters,
                              const std::string& name) {
  LockList list{LockList::kOfMember};
  if (!name.empty() && !is_pattern(name)) {
    constexpr std::size_t kSmallestPerson = 8;  // Bytes: more people cannot fit.
    constexpr std::size_t kMostPeople = LockList::kOfMember.people_bytes / kSmallestPerson;
    if (const auto status = table.describe(name)) list.add(told(*status, waiters, kMostPeople));
    return list;
  }
  constexpr std::size_t kMost = LockList::kOfMember.locks;
  const std::size_t in_use = table.for_first_in_use(kMost, name, [&](const LockStatus& status) {
    list.add(told(status, waiters, kPeopleOfEach));
  });
  list.count_more_locks(in_use - std::min(in_use, kMost));
  return list;
}

LocksPage page_of_locks(const LockTable& table, const Waiters& waiters, std::uint64_t place) {
  LocksPage page;
  page.next = table.for_in_use_from(place, LockList::kPage, [&](const LockStatus& status) {
    page.list.add(told(status, waiters, kPeopleOfEach));
  });
  return page;
}

}  // namespace hapax
