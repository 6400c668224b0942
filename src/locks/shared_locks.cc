#include "locks/shared_locks.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "catalog/catalog.h"
#include "wire/codec.h"

namespace hapax {
namespace {

using Kind = Outbox::Complaint::Kind;

const MutexInfo& info_of(const LockKind& kind) { return find_algorithm(kind.algorithm)->info; }

bool has_units(const LockKind& kind) { return info_of(kind).takes.units; }

// The name of an algorithm that gives what is wanted, as a rule names it.
std::string_view rule_for(Want want) {
  for (const Operations* algorithm : algorithms()) {
    const MutexInfo& info = algorithm->info;
    if (want == Want::unit ? info.takes.units : info.readers_join) return info.name;
  }
  return "?";
}

Error not_given(std::string_view name, const LockKind& kind, Want want) {
  const bool unit = want == Want::unit;
  return error("{} is served by {}, which {}: start all members with --algorithm '{}={}{}'", name,
               info_of(kind).name, unit ? "has no units" : "lets in one at a time", name,
               rule_for(want), unit ? ":4" : "");
}

// In which mode that is asked for; an error that says what else to do.
Result<Mode> mode_for(std::string_view name, const LockKind& kind, Want want) {
  if (has_units(kind)) {
    if (want == Want::unit || want == Want::any) return Mode::shared;
    if (want == Want::exclusive && kind.units == 1) return Mode::shared;
    return error("{} is a semaphore of {}: ask for a unit of it, or give it another --algorithm",
                 name, kind.units);
  }
  if (want == Want::unit) {
    return not_given(name, kind, want);
  }
  return want == Want::shared ? Mode::shared : Mode::exclusive;
}

}  // namespace

Result<void> check_want(std::string_view name, const LockKind& kind, Want want) {
  if (!is_shared(kind.algorithm)) {
    if (want == Want::exclusive || want == Want::any) return {};
    return not_given(name, kind, want);
  }
  const auto mode = mode_for(name, kind, want);
  if (!mode) return mode.error();
  return {};
}

Want want_for(const LockKind& kind, Mode mode) {
  if (has_units(kind)) return Want::unit;
  return mode == Mode::shared ? Want::shared : Want::exclusive;
}

SharedLocks::SharedLocks(const SharedLocks& other, Instances& instances, LockStats& stats)
    : membership_(other.membership_), instances_(instances), stats_(stats), locks_(other.locks_) {
  for (auto& [name, lock] : locks_) lock.name = name;
}

void SharedLocks::encode_to(Bytes& bytes) const {
  hapax::encode_to(bytes, std::uint64_t{locks_.size()});
  for (const auto& [name, lock] : locks_) {
    hapax::encode_to(bytes, name);
    lock.algorithm.encode_to(bytes);
    hapax::encode_to(bytes, lock.holders);
    hapax::encode_to(bytes, lock.waiters);
    hapax::encode_to(bytes, lock.fence);
    hapax::encode_to(bytes, lock.pinned);
  }
}

// --- instances ---

Instance SharedLocks::make(std::string_view name, const LockKind& kind, const Holding& own) const {
  const Operations& algorithm = *find_algorithm(kind.algorithm);
  // Units are shared, whatever their holders say.
  const Holding held{has_units(kind) ? Mode::shared : own.mode, own.units};
  return Instance{algorithm, view_of(name), instances_.choices_for(kind), held};
}

// REQUIRES: there is none of that name.
SharedLocks::Lock& SharedLocks::create(std::string_view name, const LockKind& kind,
                                       const Holding& own) {
  const auto [at, fresh] = locks_.try_emplace(
      std::string{name}, Lock{{}, kind, make(name, kind, own), {}, {}, {}, false});
  HAPAX_CHECK(fresh);
  at->second.name = at->first;
  at->second.algorithm.raise_counter(instances_.floor_of(at->second.algorithm));
  ++stats_.instances;
  return at->second;
}

void SharedLocks::drop_if_like_new(Lock& lock) {
  if (lock.pinned || !lock.holders.empty() || !lock.waiters.empty()) return;
  const MutexChoices choices = instances_.choices_for(lock.kind);
  if (!instances_.forget_if_like_new(lock.algorithm, view_of(lock.name), choices)) return;
  locks_.erase(locks_.find(lock.name));
  --stats_.instances;
  ++stats_.dropped;
}

// --- steps ---

// Carries out what a step left in the effects, and goes on until there is nothing more to do here.
void SharedLocks::settle(Lock& lock, Outbox& out) {
  InstanceEffects& fx = instances_.effects();
  while (true) {
    for (const InstanceEffects::Send& send : fx.sends()) {
      instances_.post(send, lock.algorithm, lock.kind, lock.name, out);
    }
    const std::optional<Turn> entered = fx.entered();
    fx.clear();
    if (entered && !grant_entry(lock, *entered, out)) {
      lock.algorithm.release(fx);  // Those for whom it asked have given up.
      continue;
    }
    if (lock.algorithm.info().readers_join) let_readers_join(lock, out);
    if (lock.waiters.empty() || !lock.algorithm.may_request()) return;
    lock.algorithm.request(lock.waiters.front().mode, fx);
  }
}

// False if nobody is there whom the entry would serve.
bool SharedLocks::grant_entry(Lock& lock, Turn turn, Outbox& out) {
  lock.fence = {membership_.epoch, turn};
  if (lock.waiters.empty()) return false;
  // Whoever is alone inside may as well read.
  if (lock.algorithm.holding().mode == Mode::shared &&
      lock.waiters.front().mode == Mode::exclusive) {
    return false;
  }
  grant_first(lock, out);
  return true;
}

void SharedLocks::let_readers_join(Lock& lock, Outbox& out) {
  const Holding own = lock.algorithm.holding();
  if (own.units == 0 || own.mode != Mode::shared) return;
  while (!lock.algorithm.is_wanted() && !lock.waiters.empty() &&
         lock.waiters.front().mode == Mode::shared) {
    grant_first(lock, out);
  }
}

void SharedLocks::grant_first(Lock& lock, Outbox& out) {
  const Waiter waiter = lock.waiters.front();
  lock.waiters.erase(lock.waiters.begin());
  lock.holders.push_back({waiter.id, lock.fence, waiter.mode});
  --stats_.waiting;
  ++stats_.held;
  ++stats_.entries;
  out.grant({waiter.id, lock.fence});
}

// --- local waiters ---

Result<void> SharedLocks::begin(std::string_view name, const LockKind& kind,
                                const std::vector<LockHolder>& here) {
  if (contains(name)) return error("The lock {} has begun already.", name);
  const bool units = has_units(kind);
  Holding own{Mode::exclusive, static_cast<std::uint32_t>(here.size())};
  for (const LockHolder& holder : here) own.mode = holder.mode;
  if (!units && own.mode == Mode::shared) own.units = std::min(own.units, 1u);
  if (units ? own.units > kind.units : own.units > 1) {
    return error("So many cannot hold {}.", name);
  }
  Lock& lock = create(name, kind, own);
  lock.pinned = true;
  lock.holders = here;
  for (const LockHolder& holder : here) lock.fence = std::max(lock.fence, holder.fence);
  stats_.held += here.size();
  return {};
}

Result<void> SharedLocks::acquire(std::string_view name, const LockKind& kind, WaiterId waiter,
                                  Want want, Outbox& out) {
  const auto found = locks_.find(name);
  const auto mode = mode_for(name, kind, want);
  if (!mode) return mode.error();
  Lock& lock = found != locks_.end() ? found->second : create(name, kind, {});
  const bool holds = std::any_of(lock.holders.begin(), lock.holders.end(),
                                 [&](const LockHolder& h) { return h.waiter == waiter; });
  if (holds) return error("You hold {} already.", name);
  lock.waiters.push_back({waiter, *mode});
  ++stats_.waiting;
  settle(lock, out);
  return {};
}

Result<void> SharedLocks::release(std::string_view name, WaiterId waiter, Outbox& out) {
  const auto found = locks_.find(name);
  if (found == locks_.end()) return error("You do not hold {}.", name);
  Lock& lock = found->second;
  const auto at = std::find_if(lock.holders.begin(), lock.holders.end(),
                               [&](const LockHolder& h) { return h.waiter == waiter; });
  if (at == lock.holders.end()) return error("You do not hold {}.", name);
  lock.holders.erase(at);
  --stats_.held;
  // Readers share one entry; the last of them leaves it.
  if (!lock.algorithm.info().readers_join || lock.holders.empty()) {
    lock.algorithm.release(instances_.effects());
  }
  settle(lock, out);
  drop_if_like_new(lock);
  return {};
}

Result<void> SharedLocks::abandon(std::string_view name, WaiterId waiter, Outbox& out) {
  const auto found = locks_.find(name);
  if (found == locks_.end()) return error("You do not wait for {}.", name);
  Lock& lock = found->second;
  // From the back: who hangs up withdraws what it asked for last first.
  const auto at = std::find_if(lock.waiters.rbegin(), lock.waiters.rend(),
                               [&](const Waiter& w) { return w.id == waiter; });
  if (at == lock.waiters.rend()) return error("You do not wait for {}.", name);
  lock.waiters.erase(std::next(at).base());
  --stats_.waiting;
  settle(lock, out);  // It may have stood between readers and those inside.
  return {};
}

// --- peers ---

void SharedLocks::receive(NodeId from, const LockPayload& payload, const LockKind& kind,
                          Outbox& out) {
  const auto malformed = [&] {
    out.complain({from, Kind::malformed, Reject::none,
                  fmt::format("no message of {}, for {}", name_of(kind.algorithm), payload.name)});
  };
  if (payload.wake) return malformed();
  std::span<const std::uint8_t> message = payload.message;
  if (has_units(kind)) {
    Decoder decoder{message};
    std::uint32_t units = 0;
    if (!decoder.read(units)) return malformed();
    message = decoder.rest();
    if (!find_algorithm(kind.algorithm)->is_message(message)) return malformed();
    if (units != kind.units) {
      return out.complain(
          {from, Kind::policies_differ, Reject::none,
           fmt::format("{} has {} units there and {} here", payload.name, units, kind.units)});
    }
  }
  const auto found = locks_.find(payload.name);
  Lock& lock = found != locks_.end() ? found->second : create(payload.name, kind, {});
  if (!lock.algorithm.receive(from, message, instances_.effects())) {
    malformed();
    return drop_if_like_new(lock);
  }
  instances_.count_received(lock.algorithm);
  instances_.complain_if_rejected(from, lock.algorithm, payload.name, out);
  settle(lock, out);
  drop_if_like_new(lock);
}

// --- for people ---

LockStatus SharedLocks::status_of(const Lock& lock) const {
  LockStatus status;
  status.name = lock.name;
  status.algorithm = name_of(lock.kind.algorithm);
  status.home = home_of(lock.name, membership_.size);
  for (const LockHolder& holder : lock.holders) {
    if (holder.mode == Mode::exclusive) {
      status.holder = holder;
    } else {
      status.sharers.push_back(holder);
    }
  }
  for (const Waiter& waiter : lock.waiters) {
    status.waiters.push_back(waiter.id);
    status.modes.push_back(waiter.mode);
  }
  status.phase = lock.algorithm.phase();
  return status;
}

LockStatus SharedLocks::describe(std::string_view name) const {
  const auto found = locks_.find(name);
  HAPAX_CHECK(found != locks_.end());
  LockStatus status = status_of(found->second);
  status.state = found->second.algorithm.describe();
  return status;
}
LockStatus SharedLocks::describe_as_new(std::string_view name, const LockKind& kind) const {
  return status_of({name, kind, make(name, kind, {}), {}, {}, {}, false});
}
void SharedLocks::for_each(const std::function<void(const LockStatus&)>& f) const {
  for (const auto& [name, lock] : locks_) f(status_of(lock));
}

}  // namespace hapax
