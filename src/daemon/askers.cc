#include "daemon/askers.h"

#include <algorithm>
#include <chrono>
#include <unistd.h>

#include "base/check.h"

namespace hapax {
namespace {

bool is_idle(const LockStatus& status) {
  return !status.holder && status.sharers.empty() && status.waiters.empty();
}

}  // namespace

const Asker* Askers::find(WaiterId waiter) const {
  const auto at = askers_.find(number(waiter));
  return at == askers_.end() ? nullptr : &at->second;
}

const Asker& Askers::at(WaiterId waiter) const {
  const Asker* asker = find(waiter);
  HAPAX_CHECK(asker != nullptr);
  return *asker;
}

session::Person Askers::person(WaiterId waiter) const {
  const Asker* asker = find(waiter);
  if (asker == nullptr) return {};
  session::Person person;
  person.member = number(self_);
  if (asker->local != nullptr) {
    person.pid = static_cast<std::uint32_t>(getpid());
    person.command = "(in the member itself)";
    return person;
  }
  const Visitor& visitor = *asker->visitor;
  const Visitor::Request& request = visitor.requests.at(asker->request);
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - request.since);
  person.host = visitor.host();
  person.pid = visitor.pid();
  person.command = visitor.command();
  person.since_ms = static_cast<std::uint64_t>(since.count());
  person.shared = request.want == Want::shared;
  if (request.held) person.fence = request.fence;
  return person;
}

// People beyond so many are counted without being described: there may be very many.
session::Lock Askers::told(const LockStatus& status, std::size_t most_people) const {
  session::Lock lock{status.name, std::string{status.algorithm}, std::nullopt, {}, {}};
  if (status.holder) lock.holder = person(status.holder->waiter);
  const std::size_t sharers = std::min(status.sharers.size(), most_people);
  for (std::size_t i = 0; i < sharers; ++i) {
    lock.sharers.push_back(person(status.sharers[i].waiter));
    lock.sharers.back().shared = true;
    lock.sharers.back().fence = status.sharers[i].fence;
  }
  const std::size_t waiters = std::min(status.waiters.size(), most_people);
  for (std::size_t i = 0; i < waiters; ++i) lock.waiters.push_back(person(status.waiters[i]));
  lock.more_sharers = status.sharers.size() - sharers;
  lock.more_waiters = status.waiters.size() - waiters;
  return lock;
}

LockList Askers::locks(const LockTable& table, const std::string& name) const {
  LockList list{LockList::kOfMember};
  if (!name.empty()) {
    constexpr std::size_t kSmallestPerson = 8;  // Bytes: more people cannot fit.
    constexpr std::size_t kMostPeople = LockList::kOfMember.people_bytes / kSmallestPerson;
    if (const auto status = table.describe(name)) list.add(told(*status, kMostPeople));
    return list;
  }
  table.for_each_lock([&](const LockStatus& status) {
    if (is_idle(status)) return;
    if (!list.has_room_for_locks()) return list.count_more_locks(1);
    list.add(told(status, kPeopleOfEach));
  });
  return list;
}

}  // namespace hapax
