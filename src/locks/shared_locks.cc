#include "locks/shared_locks.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "base/record.h"
#include "base/text.h"
#include "core/lock_name.h"
#include "wire/codec.h"

namespace hapax {
namespace {

using Kind = Outbox::Complaint::Kind;

// As in the lock table: a clock that nobody reaches by counting must not become everybody's floor.
constexpr std::uint64_t kHighestFloor = std::uint64_t{1} << 48;

bool is_semaphore(const LockKind& kind) {
  return name_of(kind.algorithm) == SemaphoreRa::kInfo.name;
}

// A semaphore's members must agree on the number of its units, so each message says it.
struct OfSemaphore {
  std::uint32_t units = 0;
  SemaphoreRa::Message message;
  HAPAX_RECORD(OfSemaphore, units, message)
};

// In which mode that is asked for; an error that says what else to do.
Result<Mode> mode_for(std::string_view name, const LockKind& kind, Want want) {
  if (is_semaphore(kind)) {
    if (want == Want::unit || want == Want::any) return Mode::shared;
    if (want == Want::exclusive && kind.units == 1) return Mode::shared;
    return error("{} is a semaphore of {}: ask for a unit of it, or give it another --algorithm",
                 name, kind.units);
  }
  if (want == Want::unit) {
    return error(
        "{} is served by {}, which has no units: start all members with --algorithm "
        "'{}=semaphore-ra:4'",
        name, name_of(kind.algorithm), name);
  }
  return want == Want::shared ? Mode::shared : Mode::exclusive;
}

Error not_shared(std::string_view name, AlgorithmId algorithm, Want want) {
  const bool unit = want == Want::unit;
  return error("{} is served by {}, which {}: start all members with --algorithm '{}={}'", name,
               name_of(algorithm), unit ? "has no units" : "lets in one at a time", name,
               unit ? "semaphore-ra:4" : "readers-writers");
}

}  // namespace

Result<void> check_want(std::string_view name, const LockKind& kind, Want want) {
  if (!is_shared(kind.algorithm)) {
    if (want == Want::exclusive || want == Want::any) return {};
    return not_shared(name, kind.algorithm, want);
  }
  const auto mode = mode_for(name, kind, want);
  if (!mode) return mode.error();
  return {};
}

Want want_for(const LockKind& kind, Mode mode) {
  if (is_semaphore(kind)) return Want::unit;
  return mode == Mode::shared ? Want::shared : Want::exclusive;
}

// --- instances ---

SharedLocks::Algorithm SharedLocks::make_algorithm(std::string_view name, const LockKind& kind,
                                                   const Holding& own) const {
  const View view{membership_.epoch, membership_.size, membership_.self,
                  home_of(name, membership_.size), false};
  if (!is_semaphore(kind)) return ReadersWriters{view, {}, own};
  // The clients of one member may need them all.
  return SemaphoreRa{view, {.units = kind.units}, {Mode::shared, own.units}};
}

// REQUIRES: there is none of that name.
SharedLocks::Lock& SharedLocks::create(std::string_view name, const LockKind& kind,
                                       const Holding& own) {
  const auto [at, fresh] = locks_.try_emplace(
      std::string{name}, Lock{{}, kind, make_algorithm(name, kind, own), {}, {}, {}, false});
  HAPAX_CHECK(fresh);
  at->second.name = at->first;
  std::visit([&](auto& a) { a.raise_clock(Clock{floor_of(kind.algorithm)}); },
             at->second.algorithm);
  ++stats_.instances;
  return at->second;
}

void SharedLocks::drop_if_like_new(Lock& lock) {
  if (lock.pinned || !lock.holders.empty() || !lock.waiters.empty()) return;
  const std::uint64_t clock =
      std::visit([](const auto& a) { return number(a.clock()); }, lock.algorithm);
  Algorithm fresh = make_algorithm(lock.name, lock.kind, {});
  std::visit([&](auto& a) { a.raise_clock(Clock{clock}); }, fresh);
  if (clock > kHighestFloor || fresh != lock.algorithm) return;
  std::uint64_t& floor = floor_of(lock.kind.algorithm);
  floor = std::max(floor, clock);
  locks_.erase(locks_.find(lock.name));
  --stats_.instances;
  ++stats_.dropped;
}

// --- steps ---

// Carries out what a step left in the effects, and goes on until there is nothing more to do here.
template <class A>
void SharedLocks::settle(Lock& lock, A& a, Outbox& out) {
  auto& fx = std::get<Effects<typename A::Message>>(effects_);
  while (true) {
    flush_sends<A>(lock, out);
    const std::optional<Turn> entered = fx.entered();
    fx.clear();
    if (entered && !grant_entry(lock, a, *entered, out)) {
      a.release(fx);  // Those for whom it asked have given up.
      continue;
    }
    if constexpr (std::same_as<A, ReadersWriters>) let_readers_join(lock, a, out);
    if (lock.waiters.empty() || !a.may_request()) return;
    a.request(lock.waiters.front().mode, fx);
  }
}

void SharedLocks::settle_any(Lock& lock, Outbox& out) {
  std::visit([&](auto& a) { settle(lock, a, out); }, lock.algorithm);
}

// False if nobody is there whom the entry would serve.
template <class A>
bool SharedLocks::grant_entry(Lock& lock, const A& a, Turn turn, Outbox& out) {
  lock.fence = {membership_.epoch, turn};
  if (lock.waiters.empty()) return false;
  // Whoever is alone inside may as well read.
  if (a.holding().mode == Mode::shared && lock.waiters.front().mode == Mode::exclusive) {
    return false;
  }
  grant_first(lock, out);
  return true;
}

void SharedLocks::let_readers_join(Lock& lock, const ReadersWriters& a, Outbox& out) {
  const Holding own = a.holding();
  if (own.units == 0 || own.mode != Mode::shared) return;
  while (!a.is_wanted() && !lock.waiters.empty() && lock.waiters.front().mode == Mode::shared) {
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
  out.grant(waiter.id, lock.name, lock.fence);
}

void SharedLocks::append_payload(const Lock& lock, const ReadersWriters::Message& message,
                                 Outbox& out) const {
  hapax::append_payload(out.arena(), lock.kind.algorithm, lock.name, message);
}
void SharedLocks::append_payload(const Lock& lock, const SemaphoreRa::Message& message,
                                 Outbox& out) const {
  hapax::append_payload(out.arena(), lock.kind.algorithm, lock.name,
                        OfSemaphore{lock.kind.units, message});
}

template <class A>
void SharedLocks::flush_sends(const Lock& lock, Outbox& out) {
  const auto& fx = std::get<Effects<typename A::Message>>(effects_);
  for (const auto& send : fx.sends()) {
    const std::size_t first = out.arena().size();
    append_payload(lock, send.message, out);
    const auto to = [&](NodeId receiver) {
      HAPAX_CHECK(receiver != membership_.self);
      out.send(receiver, first);
      ++counts(lock).sent;
    };
    using Reach = typename Effects<typename A::Message>::Send::Reach;
    if (send.reach == Reach::one) to(send.to);
    if (send.reach == Reach::listed) {
      for (const NodeId receiver : fx.listed(send)) to(receiver);
    }
    if (send.reach != Reach::others) continue;
    for (std::uint32_t i = 0; i < membership_.size; ++i) {
      if (NodeId{i} != membership_.self) to(NodeId{i});
    }
  }
}

// --- local waiters ---

Result<void> SharedLocks::begin(std::string_view name, const LockKind& kind,
                                const std::vector<LockHolder>& here) {
  if (contains(name)) return error("The lock {} has begun already.", name);
  const bool semaphore = is_semaphore(kind);
  Holding own{Mode::exclusive, static_cast<std::uint32_t>(here.size())};
  for (const LockHolder& holder : here) own.mode = holder.mode;
  if (!semaphore && own.mode == Mode::shared) own.units = std::min(own.units, 1u);
  if (semaphore ? own.units > kind.units : own.units > 1) {
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
  settle_any(lock, out);
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
  std::visit(
      [&]<class A>(A& a) {
        // Readers share one entry; the last of them leaves it.
        if (std::same_as<A, ReadersWriters> && !lock.holders.empty()) return;
        a.release(std::get<Effects<typename A::Message>>(effects_));
      },
      lock.algorithm);
  settle_any(lock, out);
  drop_if_like_new(lock);
  return {};
}

Result<void> SharedLocks::abandon(std::string_view name, WaiterId waiter, Outbox& out) {
  const auto found = locks_.find(name);
  if (found == locks_.end()) return error("You do not wait for {}.", name);
  Lock& lock = found->second;
  const auto at = std::find_if(lock.waiters.begin(), lock.waiters.end(),
                               [&](const Waiter& w) { return w.id == waiter; });
  if (at == lock.waiters.end()) return error("You do not wait for {}.", name);
  lock.waiters.erase(at);
  --stats_.waiting;
  settle_any(lock, out);  // It may have stood between readers and those inside.
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
  if (!is_semaphore(kind)) {
    const auto message = decode<ReadersWriters::Message>(payload.message);
    if (!message) return malformed();
    return on_message<ReadersWriters>(from, payload, kind, *message, out);
  }
  const auto message = decode<OfSemaphore>(payload.message);
  if (!message) return malformed();
  if (message->units != kind.units) {
    return out.complain({from, Kind::policies_differ, Reject::none,
                         fmt::format("{} has {} units there and {} here", payload.name,
                                     message->units, kind.units)});
  }
  on_message<SemaphoreRa>(from, payload, kind, message->message, out);
}

template <class A>
void SharedLocks::on_message(NodeId from, const LockPayload& payload, const LockKind& kind,
                             const typename A::Message& message, Outbox& out) {
  const auto found = locks_.find(payload.name);
  Lock& lock = found != locks_.end() ? found->second : create(payload.name, kind, {});
  ++counts(lock).received;
  A& a = std::get<A>(lock.algorithm);
  auto& fx = std::get<Effects<typename A::Message>>(effects_);
  a.receive(from, message, fx);
  if (fx.rejected() != Reject::none) {
    out.complain({from, Kind::broken_protocol, fx.rejected(),
                  fmt::format("{} refuses a {} for {}", A::kInfo.name, name_of(fx.rejected()),
                              payload.name)});
  }
  settle(lock, a, out);
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
  std::visit(
      [&](const auto& a) {
        status.phase = a.phase();
        status.state = fields_text(a);
      },
      lock.algorithm);
  return status;
}

LockStatus SharedLocks::describe(std::string_view name) const {
  const auto found = locks_.find(name);
  HAPAX_CHECK(found != locks_.end());
  return status_of(found->second);
}
LockStatus SharedLocks::describe_as_new(std::string_view name, const LockKind& kind) const {
  return status_of({name, kind, make_algorithm(name, kind, {}), {}, {}, {}, false});
}
void SharedLocks::for_each(const std::function<void(const LockStatus&)>& f) const {
  for (const auto& [name, lock] : locks_) f(status_of(lock));
}

}  // namespace hapax
