// Who stands behind a waiter of the lock table: a request of a client, or somebody in this process.
// And what people are told about them.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "daemon/lock_list.h"
#include "locks/lock_table.h"
#include "daemon/visitor.h"
#include "session/protocol.h"

namespace hapax {

class LocalAsker;

struct Asker {
  Visitor* visitor = nullptr;
  session::RequestId request = 0;
  LocalAsker* local = nullptr;
};

class Askers {
 public:
  explicit Askers(NodeId self) : self_(self) {}

  void add(WaiterId waiter, const Asker& asker) { askers_[number(waiter)] = asker; }
  void erase(WaiterId waiter) { askers_.erase(number(waiter)); }
  // Null if nobody is. Good until the next add().
  const Asker* find(WaiterId waiter) const;
  // REQUIRES: somebody is.
  const Asker& at(WaiterId waiter) const;

  session::Person person(WaiterId waiter) const;
  // The lock of that name; without a name, those that somebody here holds or waits for.
  LockList locks(const LockTable& table, const std::string& name) const;

 private:
  // Where all locks are asked for, the first of those at one of them are enough.
  static constexpr std::size_t kPeopleOfEach = 100;

  session::Lock told(const LockStatus& status, std::size_t most_people) const;

  NodeId self_;
  boost::unordered_flat_map<std::uint64_t, Asker> askers_;  // By waiter.
};

}  // namespace hapax
