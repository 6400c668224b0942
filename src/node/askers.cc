#include "node/askers.h"

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

session::Lock Askers::told(const LockStatus& status) const {
  session::Lock lock{status.name, std::string{status.algorithm}, std::nullopt, {}, {}};
  if (status.holder) lock.holder = person(status.holder->waiter);
  for (const LockHolder& sharer : status.sharers) {
    lock.sharers.push_back(person(sharer.waiter));
    lock.sharers.back().shared = true;
    lock.sharers.back().fence = sharer.fence;
  }
  for (const WaiterId waiter : status.waiters) lock.waiters.push_back(person(waiter));
  return lock;
}

std::vector<session::Lock> Askers::locks(const LockTable& table, const std::string& name) const {
  std::vector<session::Lock> locks;
  if (!name.empty()) {
    if (const auto status = table.describe(name)) locks.push_back(told(*status));
    return locks;
  }
  table.for_each_lock([&](const LockStatus& status) {
    if (locks.size() >= kMostTold || is_idle(status)) return;
    locks.push_back(told(status));
  });
  return locks;
}

}  // namespace hapax
