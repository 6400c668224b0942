#include "locks/lock_table.h"

#include <concepts>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "locks/any_mutex.h"
#include "core/lock_name.h"
#include "locks/lock_payload.h"
#include "locks/lock_store.h"
#include "locks/shared_locks.h"
#include "locks/waiter_queue.h"

namespace hapax {

namespace {

using Kind = Outbox::Complaint::Kind;

// An instance whose counter is beyond what counting can have reached is kept, not dropped: a peer
// that made it up must not spoil, by the floor, the locks that it has nothing to do with. The
// ring's turns have 40 bits to themselves.
template <class A>
constexpr std::uint64_t kHighestFloor = std::uint64_t{1} << (std::same_as<A, TokenRing> ? 39 : 48);

constexpr AlgorithmId kCentral{0};
static_assert(std::same_as<std::variant_alternative_t<number(kCentral) + 1, AnyMutex>, Central>);

}  // namespace

class LockTable::Impl {
 public:
  Impl(const Membership& m, Policy p, const Options& o)
      : membership(m), policy(std::move(p)), options(o), shared(membership, stats) {
    HAPAX_CHECK(number(membership.self) < membership.size);
  }

  Result<void> begin(std::string_view name, NodeId holder, bool held,
                     const std::optional<LockHolder>& here);
  Result<void> acquire(std::string_view name, WaiterId waiter, Want want, Outbox& out);
  Result<void> release(std::string_view name, WaiterId waiter, Outbox& out);
  Result<void> abandon(std::string_view name, WaiterId waiter, Outbox& out);
  void receive(NodeId from, std::span<const std::uint8_t> payload, Outbox& out);
  void appoint(NodeId elected, Outbox& out);
  LockStatus status_of(const LockEntry& entry) const;
  LockEntry entry_as_new(std::string_view name) const;

  Membership membership;
  Policy policy;
  Options options;
  LockStats stats;
  LockStore locks;
  std::optional<NodeId> coordinator;  // As elected. Never changes once known.
  bool awaits_coordinator = false;    // Invariant: false once it is known.
  SharedLocks shared;

 private:
  View view_of(const LockEntry& entry) const {
    return {membership.epoch, membership.size, membership.self, entry.home, false};
  }
  bool is_home(const LockEntry& entry) const { return entry.home == membership.self; }
  // Whether locks by that algorithm have no home yet.
  bool is_homeless(AlgorithmId algorithm) const {
    return options.elects_coordinator && !coordinator && algorithm == kCentral;
  }
  NodeId home_for(std::string_view name, AlgorithmId algorithm) const {
    if (coordinator && algorithm == kCentral) return *coordinator;
    return home_of(name, membership.size);
  }
  bool is_full() const { return locks.size() + shared.size() >= options.most_locks; }

  LockEntry& create(std::string_view name, AlgorithmId algorithm);
  void drop_if_like_new(LockEntry& entry);

  void on_wake(NodeId from, std::string_view name, AlgorithmId algorithm, Outbox& out);
  template <class A>
  void on_message(NodeId from, const LockPayload& payload, AlgorithmId algorithm, Outbox& out);

  template <class A>
  void settle(LockEntry& entry, A& a, Effects<typename A::Message>& fx, Outbox& out);
  template <class A>
  void flush_sends(LockEntry& entry, A& a, const Effects<typename A::Message>& fx, Outbox& out);
  void grant_first(LockEntry& entry, Turn turn, Outbox& out);
  bool comes_to_rest(LockEntry& entry, TokenRing& ring, const TokenRing::Message& message) const;
  void wake_home(const LockEntry& entry, Outbox& out);
  LockStats::PerAlgorithm& counts(AlgorithmId id) { return stats.algorithms[number(id)]; }

  WaiterPool waiters_;
  AnyEffects effects_;
  std::array<std::uint64_t, kAlgorithms> floors_{};  // The highest counters dropped in this view.
};

// --- instances ---

// REQUIRES: there is none of that name, and room for one.
LockEntry& LockTable::Impl::create(std::string_view name, AlgorithmId algorithm) {
  LockEntry& entry = locks.insert(name);
  entry.home = home_for(name, algorithm);
  with_algorithm(algorithm, [&]<class A>() {
    A& a = entry.mutex.emplace<A>(make<A>(view_of(entry)));
    raise_counter(a, floors_[number(algorithm)]);
  });
  ++stats.instances;
  return entry;
}

void LockTable::Impl::drop_if_like_new(LockEntry& entry) {
  if (entry.held || entry.pinned || entry.woken || !entry.waiters.empty()) return;
  bool dropped = false;
  with_mutex_in(entry.mutex, [&]<class A>(const A& a) {
    const std::uint64_t counter = counter_of(a);
    if (counter > kHighestFloor<A> || !is_like_new(a, view_of(entry))) return;
    std::uint64_t& floor = floors_[number(algorithm_of(entry.mutex))];
    floor = std::max(floor, counter);
    dropped = true;
  });
  if (!dropped) return;
  locks.erase(entry);
  --stats.instances;
  ++stats.dropped;
}

// --- steps ---

// Carries out what a step left in `fx`, and goes on until there is nothing more to do here: an
// entry goes to the first local waiter, or is left again if all have given up; and while somebody
// waits, the algorithm asks.
template <class A>
void LockTable::Impl::settle(LockEntry& entry, A& a, Effects<typename A::Message>& fx,
                             Outbox& out) {
  while (true) {
    flush_sends(entry, a, fx, out);
    const std::optional<Turn> entered = fx.entered();
    fx.clear();
    if (entered && !entry.waiters.empty()) return grant_first(entry, *entered, out);
    if (entered) {
      a.release(fx);
    } else if (a.phase() == Phase::idle && !entry.waiters.empty()) {
      a.request(fx);
      if constexpr (std::same_as<A, TokenRing>) {
        if (a.phase() == Phase::waiting && !is_home(entry)) wake_home(entry, out);
      }
    } else {
      return;
    }
  }
}

template <class A>
void LockTable::Impl::flush_sends(LockEntry& entry, A& a, const Effects<typename A::Message>& fx,
                                  Outbox& out) {
  using Reach = typename Effects<typename A::Message>::Send::Reach;
  const AlgorithmId id = algorithm_of(entry.mutex);
  for (const auto& send : fx.sends()) {
    if constexpr (std::same_as<A, TokenRing>) {
      if (is_home(entry) && comes_to_rest(entry, a, send.message)) continue;
    }
    const std::size_t first = out.arena().size();
    append_payload(out.arena(), id, entry.name, send.message);
    const auto to = [&](NodeId receiver) {
      HAPAX_CHECK(receiver != membership.self);
      out.send(receiver, first);
      ++counts(id).sent;
    };
    switch (send.reach) {
      case Reach::one:
        to(send.to);
        break;
      case Reach::others:
        for (std::uint32_t i = 0; i < membership.size; ++i) {
          if (NodeId{i} != membership.self) to(NodeId{i});
        }
        break;
      case Reach::listed:
        for (const NodeId receiver : fx.listed(send)) to(receiver);
        break;
    }
  }
}

void LockTable::Impl::grant_first(LockEntry& entry, Turn turn, Outbox& out) {
  entry.holder = waiters_.pop(entry.waiters);
  entry.fence = {membership.epoch, turn};
  entry.held = true;
  --stats.waiting;
  ++stats.held;
  ++stats.entries;
  out.grant(entry.holder, entry.name, entry.fence);
}

// --- the ring's token at home ---

// The home keeps a token that is about to leave, as before it first set out, unless a WAKE came
// since it left last. Nobody is forgotten: whoever waits sent a WAKE as it began to. If the WAKE
// came before the token last left, the token has gone by there since; if after, it leaves again.
bool LockTable::Impl::comes_to_rest(LockEntry& entry, TokenRing& ring,
                                    const TokenRing::Message& message) const {
  const auto& token = std::get<TokenRing::Token>(message);
  // A later generation is nothing that a member of ours makes; no state to rest in is like it.
  const bool rests = !entry.woken && token.generation == 0;
  entry.woken = false;
  if (!rests) return false;
  ring = TokenRing{view_of(entry)};
  ring.raise_turn(token.turn);
  return true;
}

void LockTable::Impl::wake_home(const LockEntry& entry, Outbox& out) {
  const AlgorithmId id = algorithm_of(entry.mutex);
  const std::size_t first = out.arena().size();
  append_header(out.arena(), id, true, entry.name);
  out.send(entry.home, first);
  ++counts(id).sent;
}

void LockTable::Impl::on_wake(NodeId from, std::string_view name, AlgorithmId algorithm,
                              Outbox& out) {
  LockEntry* entry = locks.find(name);
  const NodeId home = entry != nullptr ? entry->home : home_of(name, membership.size);
  if (home != membership.self) {
    return out.complain({from, Kind::broken_protocol, Reject::not_a_member,
                         fmt::format("{} wakes {} here, but its home is {}", from, name, home)});
  }
  if (entry == nullptr) entry = &create(name, algorithm);
  entry->woken = true;
  auto& ring = std::get<TokenRing>(entry->mutex);
  auto& fx = effects_for<TokenRing>(effects_);
  ring.start(fx);
  settle(*entry, ring, fx, out);
}

// --- local waiters ---

Result<void> LockTable::Impl::begin(std::string_view name, NodeId holder, bool held,
                                    const std::optional<LockHolder>& here) {
  if (const auto valid = check_lock_name(name); !valid) return valid.error();
  HAPAX_CHECK(number(holder) < membership.size);
  HAPAX_CHECK(here.has_value() == (held && holder == membership.self));
  if (locks.find(name) != nullptr) return error("The lock {} has begun already.", name);
  if (is_full()) return error("There are {} locks here, and no room for more.", locks.size());
  if (const LockKind kind = policy.kind_for(name); is_shared(kind.algorithm)) {
    return shared.begin(name, kind, here ? std::vector{*here} : std::vector<LockHolder>{});
  }
  LockEntry& entry = locks.insert(name);
  entry.home = holder;
  entry.pinned = true;
  View view = view_of(entry);
  view.held = held;
  with_algorithm(policy.algorithm_for(name),
                 [&]<class A>() { entry.mutex.emplace<A>(make<A>(view)); });
  ++stats.instances;
  if (here) {
    entry.holder = here->waiter;
    entry.fence = here->fence;
    entry.held = true;
    ++stats.held;
  }
  return {};
}

Result<void> LockTable::Impl::acquire(std::string_view name, WaiterId waiter, Want want,
                                      Outbox& out) {
  LockEntry* entry = locks.find(name);
  if (entry == nullptr) {
    if (const auto valid = check_lock_name(name); !valid) return valid.error();
    const LockKind kind = policy.kind_for(name);
    if (is_full() && !shared.contains(name)) {
      return error("There are {} locks here, and no room for more.", locks.size());
    }
    if (is_shared(kind.algorithm)) return shared.acquire(name, kind, waiter, want, out);
    if (const auto fits = check_want(name, kind, want); !fits) return fits.error();
    entry = &create(name, kind.algorithm);
  }
  if (const auto fits = check_want(name, {algorithm_of(entry->mutex)}, want); !fits) {
    return fits.error();
  }
  if (entry->held && entry->holder == waiter) return error("You hold {} already.", name);
  if (entry->held && std::holds_alternative<CarvalhoRoucairol>(entry->mutex)) {
    out.want(entry->holder);
  }
  waiters_.push(entry->waiters, waiter);
  ++stats.waiting;
  if (!entry->pinned && is_homeless(algorithm_of(entry->mutex))) {
    awaits_coordinator = true;
    return {};
  }
  with_mutex_in(entry->mutex,
                [&]<class A>(A& a) { settle(*entry, a, effects_for<A>(effects_), out); });
  return {};
}

Result<void> LockTable::Impl::release(std::string_view name, WaiterId waiter, Outbox& out) {
  LockEntry* entry = locks.find(name);
  if (entry == nullptr) return shared.release(name, waiter, out);
  if (!entry->held || entry->holder != waiter) {
    return error("You do not hold {}.", name);
  }
  entry->held = false;
  entry->holder = {};
  entry->fence = {};
  --stats.held;
  with_mutex_in(entry->mutex, [&]<class A>(A& a) {
    auto& fx = effects_for<A>(effects_);
    a.release(fx);
    settle(*entry, a, fx, out);
  });
  drop_if_like_new(*entry);
  return {};
}

Result<void> LockTable::Impl::abandon(std::string_view name, WaiterId waiter, Outbox& out) {
  LockEntry* entry = locks.find(name);
  if (entry == nullptr) return shared.abandon(name, waiter, out);
  if (!waiters_.remove(entry->waiters, waiter)) {
    return error("You do not wait for {}.", name);
  }
  --stats.waiting;
  if (is_homeless(algorithm_of(entry->mutex))) drop_if_like_new(*entry);
  return {};
}

// --- the coordinator ---

// Nothing was sent for these locks, and no message about them was taken, so they begin anew, from
// the home that they have now.
void LockTable::Impl::appoint(NodeId elected, Outbox& out) {
  HAPAX_CHECK(options.elects_coordinator);
  HAPAX_CHECK(!coordinator.has_value());
  HAPAX_CHECK(number(elected) < membership.size);
  coordinator = elected;
  awaits_coordinator = false;
  auto& fx = effects_for<Central>(effects_);
  for (std::uint32_t slot = 0; slot < locks.slots(); ++slot) {
    LockEntry& entry = locks.at(slot);
    if (entry.pinned || !std::holds_alternative<Central>(entry.mutex)) continue;
    entry.home = elected;
    Central& central = entry.mutex.emplace<Central>(make<Central>(view_of(entry)));
    settle(entry, central, fx, out);
    drop_if_like_new(entry);
  }
}

// --- peers ---

void LockTable::Impl::receive(NodeId from, std::span<const std::uint8_t> bytes, Outbox& out) {
  const auto complain = [&](Kind kind, std::string text) {
    out.complain({from, kind, Reject::none, std::move(text)});
  };
  if (number(from) >= membership.size || from == membership.self) {
    return complain(Kind::not_a_member, fmt::format("{} is no other member of the view", from));
  }
  const auto payload = divide_payload(bytes);
  if (!payload) {
    return complain(Kind::malformed, fmt::format("{} bytes without a lock", bytes.size()));
  }
  const AlgorithmId algorithm{payload->tag};
  if (!is_valid(algorithm)) {
    return complain(Kind::unknown_algorithm, fmt::format("algorithm number {}", payload->tag));
  }
  const LockEntry* entry = locks.find(payload->name);
  if (entry == nullptr) {
    const auto valid = check_lock_name(payload->name);
    if (!valid) return complain(Kind::malformed, valid.error().message);
  }
  const LockKind kind =
      entry != nullptr ? LockKind{algorithm_of(entry->mutex)} : policy.kind_for(payload->name);
  const AlgorithmId ours = kind.algorithm;
  if (ours != algorithm) {
    return complain(Kind::policies_differ, fmt::format("{} is {} there and {} here", payload->name,
                                                       name_of(algorithm), name_of(ours)));
  }
  if (is_homeless(algorithm) && (entry == nullptr || !entry->pinned)) {
    return out.complain({from, Kind::broken_protocol, Reject::not_a_member,
                         fmt::format("{} comes before its coordinator", payload->name)});
  }
  if (entry == nullptr && is_full() && !shared.contains(payload->name)) {
    return complain(Kind::too_many_locks, fmt::format("no room for {}", payload->name));
  }
  if (is_shared(algorithm)) return shared.receive(from, *payload, kind, out);
  with_algorithm(algorithm, [&]<class A>() {
    if (!payload->wake) return on_message<A>(from, *payload, algorithm, out);
    if (!std::same_as<A, TokenRing> || !payload->message.empty()) {
      return complain(Kind::malformed,
                      fmt::format("a WAKE that nobody sends, for {}", payload->name));
    }
    ++counts(algorithm).received;
    on_wake(from, payload->name, algorithm, out);
  });
}

template <class A>
void LockTable::Impl::on_message(NodeId from, const LockPayload& payload, AlgorithmId algorithm,
                                 Outbox& out) {
  // Decoded before anything is made: bytes that say nothing leave nothing behind.
  const auto message = decode<typename A::Message>(payload.message);
  if (!message) {
    return out.complain({from, Kind::malformed, Reject::none,
                         fmt::format("no message of {}, for {}", A::kInfo.name, payload.name)});
  }
  ++counts(algorithm).received;
  LockEntry* entry = locks.find(payload.name);
  if (entry == nullptr) entry = &create(payload.name, algorithm);
  A& a = std::get<A>(entry->mutex);
  auto& fx = effects_for<A>(effects_);
  a.receive(from, *message, fx);
  if (fx.rejected() != Reject::none) {
    out.complain({from, Kind::broken_protocol, fx.rejected(),
                  fmt::format("{} refuses a {} for {}", A::kInfo.name, name_of(fx.rejected()),
                              payload.name)});
  }
  if constexpr (std::same_as<A, CarvalhoRoucairol>) {
    if (entry->held && a.is_wanted()) out.want(entry->holder);
  }
  settle(*entry, a, fx, out);
  drop_if_like_new(*entry);
}

// --- for people ---

LockStatus LockTable::Impl::status_of(const LockEntry& entry) const {
  LockStatus status;
  status.name = entry.name;
  status.algorithm = name_of(algorithm_of(entry.mutex));
  status.home = entry.home;
  if (entry.held) status.holder = LockHolder{entry.holder, entry.fence};
  waiters_.for_each(entry.waiters, [&](WaiterId waiter) { status.waiters.push_back(waiter); });
  with_mutex_in(entry.mutex, [&](const auto& a) {
    status.phase = a.phase();
    status.state = fields_text(a);
  });
  return status;
}

LockEntry LockTable::Impl::entry_as_new(std::string_view name) const {
  LockEntry entry;
  entry.name = name;
  entry.home = home_for(name, policy.algorithm_for(name));
  with_algorithm(policy.algorithm_for(name),
                 [&]<class A>() { entry.mutex.emplace<A>(make<A>(view_of(entry))); });
  return entry;
}

// --- the face ---

LockTable::LockTable(const Membership& membership, Policy policy, const Options& options)
    : impl_(std::make_unique<Impl>(membership, std::move(policy), options)) {}
LockTable::~LockTable() = default;

Result<void> LockTable::begin(std::string_view name, NodeId holder, bool held,
                              std::optional<LockHolder> here) {
  return impl_->begin(name, holder, held, here);
}
Result<void> LockTable::begin_shared(std::string_view name, const std::vector<LockHolder>& here) {
  if (const auto valid = check_lock_name(name); !valid) return valid.error();
  const LockKind kind = impl_->policy.kind_for(name);
  HAPAX_CHECK(is_shared(kind.algorithm));
  return impl_->shared.begin(name, kind, here);
}
Result<void> LockTable::acquire(std::string_view name, WaiterId waiter, Want want, Outbox& out) {
  return impl_->acquire(name, waiter, want, out);
}
Result<void> LockTable::release(std::string_view name, WaiterId waiter, Outbox& out) {
  return impl_->release(name, waiter, out);
}
bool LockTable::may_keep(std::string_view name) const {
  const LockEntry* entry = impl_->locks.find(name);
  if (entry == nullptr || !entry->held || !entry->waiters.empty()) return false;
  const auto* sticky = std::get_if<CarvalhoRoucairol>(&entry->mutex);
  return sticky != nullptr && !sticky->is_wanted();
}
Result<void> LockTable::release_kept(std::string_view name, WaiterId waiter, Turn last,
                                     Outbox& out) {
  LockEntry* entry = impl_->locks.find(name);
  if (entry != nullptr && entry->held && entry->holder == waiter) {
    HAPAX_CHECK(last >= entry->fence.turn);
    impl_->stats.entries += number(last) - number(entry->fence.turn);
    // Its turns are its clock: whoever enters next, here or elsewhere, counts on from there.
    if (auto* sticky = std::get_if<CarvalhoRoucairol>(&entry->mutex)) {
      sticky->raise_clock(Clock{number(last)});
    }
  }
  return impl_->release(name, waiter, out);
}
Result<void> LockTable::abandon(std::string_view name, WaiterId waiter, Outbox& out) {
  return impl_->abandon(name, waiter, out);
}
bool LockTable::awaits_coordinator() const { return impl_->awaits_coordinator; }
std::optional<NodeId> LockTable::coordinator() const { return impl_->coordinator; }
void LockTable::appoint(NodeId coordinator, Outbox& out) { impl_->appoint(coordinator, out); }
void LockTable::receive(NodeId from, std::span<const std::uint8_t> payload, Outbox& out) {
  impl_->receive(from, payload, out);
}

const Membership& LockTable::membership() const { return impl_->membership; }
const Policy& LockTable::policy() const { return impl_->policy; }
const LockStats& LockTable::stats() const { return impl_->stats; }

Result<LockStatus> LockTable::describe(std::string_view name) const {
  if (const LockEntry* entry = impl_->locks.find(name)) return impl_->status_of(*entry);
  if (impl_->shared.contains(name)) return impl_->shared.describe(name);
  if (const auto valid = check_lock_name(name); !valid) return valid.error();
  if (const LockKind kind = impl_->policy.kind_for(name); is_shared(kind.algorithm)) {
    return impl_->shared.describe_as_new(name, kind);
  }
  return impl_->status_of(impl_->entry_as_new(name));
}

std::uint32_t LockTable::next_lock(std::uint32_t from) const {
  while (from < impl_->locks.slots() && impl_->locks.at(from).mutex.index() == 0) ++from;
  return from < impl_->locks.slots() ? from : kNone;
}
void LockTable::for_each_shared_lock(const std::function<void(const LockStatus&)>& f) const {
  impl_->shared.for_each(f);
}
LockStatus LockTable::status_of(std::uint32_t slot) const {
  return impl_->status_of(impl_->locks.at(slot));
}

}  // namespace hapax
