#include "session/lock_list.h"

#include <algorithm>
#include <utility>

#include "core/lock_name.h"
#include "wire/codec.h"

namespace hapax {
namespace {

bool is_short(const session::Person& person) {
  return person.member_name.size() <= session::kLongestMemberName &&
         person.host.size() <= session::kLongestText &&
         person.command.size() <= session::kLongestText;
}

}  // namespace

bool LockList::is_sound(const session::Lock& lock) {
  return check_lock_name(lock.name).has_value() && lock.algorithm.size() <= session::kLongestText &&
         (!lock.holder || is_short(*lock.holder));
}

void LockList::add(const session::Lock& lock) {
  auto at = locks_.find(lock.name);
  if (at == locks_.end()) {
    session::Lock first{lock.name, lock.algorithm, lock.holder, {}, {}};
    const std::size_t bytes = lock_bytes_ + encode(first).size();
    if (!has_room_for_locks() || bytes > limits_.lock_bytes) return count_more_locks(1);
    lock_bytes_ = bytes;
    at = locks_.emplace(lock.name, std::move(first)).first;
  }
  session::Lock& all = at->second;
  if (lock.holder) all.holder = lock.holder;
  add_people(lock.sharers, lock.more_sharers, all.sharers, all.more_sharers);
  add_people(lock.waiters, lock.more_waiters, all.waiters, all.more_waiters);
}

// Once one is left out, so are those behind it: the first in a queue are listed.
void LockList::add_people(const std::vector<session::Person>& from, std::uint64_t more_from,
                          std::vector<session::Person>& to, std::uint64_t& more) {
  std::size_t listed = 0;
  for (; listed < from.size(); ++listed) {
    const std::size_t bytes = people_bytes_ + encode(from[listed]).size();
    if (bytes > limits_.people_bytes) break;
    people_bytes_ = bytes;
    to.push_back(from[listed]);
  }
  more += more_from + from.size() - listed;
}

std::vector<session::Lock> LockList::take() {
  std::vector<session::Lock> locks;
  for (auto& [name, lock] : std::exchange(locks_, {})) {
    for (auto* people : {&lock.sharers, &lock.waiters}) {
      std::stable_sort(people->begin(), people->end(),
                       [](const auto& a, const auto& b) { return a.member < b.member; });
    }
    locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace hapax
