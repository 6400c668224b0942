#include "daemon/waiters.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/lock_name.h"

namespace hapax {

Waiters::Waiters(Seat self, Group& group, After after)
    : self_(self), group_(group), after_(std::move(after)), campaigns_(self, *this) {}

Asker* Waiters::find(WaiterId waiter) const {
  const auto at = askers_.find(number(waiter));
  return at == askers_.end() ? nullptr : at->second;
}

// --- for askers ---

Result<void> Waiters::acquire(const std::string& name, WaiterId waiter, Asker& asker, Want want) {
  askers_[number(waiter)] = &asker;  // Before asking, which may grant at once.
  const auto asked = group_.acquire(name, waiter, want);
  if (!asked) askers_.erase(number(waiter));
  return asked;
}

void Waiters::release(const std::string& name, WaiterId waiter, std::optional<Turn> last) {
  campaigns_.leave(waiter);
  askers_.erase(number(waiter));
  // Refused if it was lost meanwhile: then there is nothing to give back.
  (void)group_.release(name, waiter, last);
}

bool Waiters::abandon(const std::string& name, WaiterId waiter) {
  if (campaigns_.leads(waiter)) return false;
  if (!campaigns_.leave(waiter) && !group_.abandon(name, waiter)) return false;
  askers_.erase(number(waiter));
  return true;
}

Result<std::uint32_t> Waiters::break_lock(const std::string& name,
                                          const std::optional<Fence>& fence,
                                          const std::string& why) {
  const LockTable* table = group_.views().table();
  if (table == nullptr) return error("{}; ask once more in a moment", group_.obstacle());
  const auto lock = table->describe(name);
  std::vector<WaiterId> losers;
  // One that stays where it was used has moved on since it was granted.
  const auto add = [&](const LockHolder& holder) {
    const Fence now = describe(holder.waiter).fence.value_or(holder.fence);
    if (!fence || *fence == now) losers.push_back(holder.waiter);
  };
  if (lock && lock->holder) add(*lock->holder);
  if (lock) std::for_each(lock->sharers.begin(), lock->sharers.end(), add);
  std::erase_if(losers, [&](WaiterId waiter) { return find(waiter) == nullptr; });
  for (const WaiterId waiter : losers) {
    if (find(waiter)->can_lose()) continue;
    return error(
        "{} is held inside a program that is itself a member of a fixed list, where nothing can be "
        "lost: end that program",
        name);
  }
  breaking_ = why;
  for (const WaiterId waiter : losers) group_.break_lock(name, waiter);
  breaking_.clear();
  return static_cast<std::uint32_t>(losers.size());
}

Result<void> Waiters::check_campaign(const std::string& name, const std::string& value) {
  if (const auto good = check_lock_name(name); !good) return good.error();
  if (value.empty() || check_lock_name(value)) return {};
  return error("a leader's value is UTF-8, at most {} bytes, without control characters",
               kLongestLockName);
}

void Waiters::campaign(const std::string& name, const std::string& value, WaiterId waiter,
                       Asker& asker) {
  askers_[number(waiter)] = &asker;
  campaigns_.enter(waiter, name, value);
}

// --- what the members say ---

void Waiters::on_granted(const Grant& grant) {
  HAPAX_CHECK(find(grant.waiter) != nullptr);
  grants_.push_back(grant);
  if (!campaigns_.empty()) new_leaders_.push_back(grant);
}

void Waiters::on_lost(WaiterId waiter) {
  Asker* const asker = find(waiter);
  if (asker == nullptr) return;
  campaigns_.leave(waiter);
  askers_.erase(number(waiter));
  asker->on_lost(waiter, breaking_.empty() ? group_.obstacle() : breaking_);
}

void Waiters::on_recalled(WaiterId waiter) {
  if (Asker* const asker = find(waiter)) asker->on_recalled(waiter);
}

bool Waiters::is_inside(WaiterId waiter) {
  Asker* const asker = find(waiter);
  if (asker == nullptr) return false;
  const bool is_inside = asker->is_inside(waiter);
  if (!is_inside) askers_.erase(number(waiter));
  return is_inside;
}

std::optional<Turn> Waiters::take_back(WaiterId waiter) {
  Asker* const asker = find(waiter);
  return asker != nullptr ? asker->take_back(waiter) : std::nullopt;
}

void Waiters::settle() {
  tell_askers();
  for (const Grant& grant : std::exchange(new_leaders_, {})) {
    campaigns_.granted(grant.waiter, grant.fence);
  }
}

// Whoever has gone meanwhile hears nothing.
void Waiters::tell_askers() {
  if (std::exchange(is_telling_, true)) return;  // Whoever is at it goes on.
  while (!grants_.empty() || !wanted_.empty()) {
    for (const Grant& grant : std::exchange(grants_, {})) {
      if (Asker* const asker = find(grant.waiter)) asker->on_granted(grant);
    }
    // What they did may have granted more. Who is not inside yet must not hear that it is wanted.
    if (!grants_.empty()) continue;
    for (const WaiterId waiter : std::exchange(wanted_, {})) {
      if (Asker* const asker = find(waiter)) asker->on_wanted(waiter);
    }
  }
  is_telling_ = false;
}

session::Person Waiters::describe(WaiterId waiter) const {
  const Asker* const asker = find(waiter);
  if (asker == nullptr) return {};
  session::Person person = asker->describe();
  person.member = number(self_);
  person.member_name = group_.name();
  return person;
}

// --- what campaigns need ---

void Waiters::send(Seat to, const PeerMessage& message) { group_.tell(to, payload_of(message)); }

void Waiters::enqueue(const std::string& name, WaiterId waiter) {
  const auto asked = group_.acquire(name, waiter, Want::exclusive);
  if (asked) return;
  Asker* const asker = find(waiter);
  campaigns_.leave(waiter);
  askers_.erase(number(waiter));
  asker->on_refused(asked.error().message);
}

bool Waiters::withdraw(const std::string& name, WaiterId waiter) {
  return group_.abandon(name, waiter).has_value();
}

void Waiters::ask_to_resign(WaiterId leader, const std::string& to) {
  if (Asker* const asker = find(leader)) asker->on_asked_to_resign(to);
}

}  // namespace hapax
