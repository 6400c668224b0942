#include "locks/lock_table.h"

#include <utility>

#include "base/check.h"
#include "catalog/catalog.h"
#include "core/instance.h"
#include "core/lock_name.h"
#include "locks/instances.h"
#include "locks/lock_payload.h"
#include "locks/lock_store.h"
#include "locks/shared_locks.h"
#include "locks/waiter_queue.h"

namespace hapax {

namespace {

using Kind = Outbox::Complaint::Kind;

// How many local waiters one entry of an algorithm serves at most, besides the first: others wait
// elsewhere meanwhile.
constexpr std::uint8_t kServedNext = 8;

}  // namespace

class LockTable::Impl {
 public:
  Impl(const Membership& m, Policy p, const Options& o)
      : membership(m),
        policy(std::move(p)),
        options(o),
        instances(membership, policy, stats),
        shared(membership, instances, stats) {
    HAPAX_CHECK(number(membership.self) < membership.size);
  }
  Impl(const Impl& other)
      : membership(other.membership),
        policy(other.policy),
        options(other.options),
        stats(other.stats),
        locks(other.locks),
        instances(other.instances, stats),
        shared(other.shared, instances, stats),
        waiters_(other.waiters_) {}
  Impl& operator=(const Impl&) = delete;

  Result<void> begin(std::string_view name, NodeId holder, bool held,
                     const std::optional<LockHolder>& here);
  Result<void> acquire(std::string_view name, WaiterId waiter, Want want, Outbox& out);
  // `last`: the turn of its last entry, if that is not the one it was granted.
  Result<void> release(std::string_view name, WaiterId waiter, std::optional<Turn> last,
                       Outbox& out);
  Result<void> abandon(std::string_view name, WaiterId waiter, Outbox& out);
  void receive(NodeId from, std::span<const std::uint8_t> payload, Outbox& out);
  LockStatus status_of(const LockEntry& entry) const;
  LockStatus described(const LockEntry& entry) const;  // With its state.
  LockEntry entry_as_new(std::string_view name) const;
  void encode_to(Bytes& bytes) const;
  Result<LockStart> observe(std::string_view name, std::shared_ptr<LockObserver> observer);

  // What was just done to its instance, to whoever watches it.
  void note(const LockEntry& entry, LockStep::Kind kind, NodeId peer = {},
            std::span<const std::uint8_t> message = {}, std::uint64_t value = 0) {
    if (observer_ == nullptr || entry.name != observed_) return;
    observer_->on_step(
        {kind, peer, {message.begin(), message.end()}, value, instances.effects().entered()});
  }

  Membership membership;
  Policy policy;
  Options options;
  LockStats stats;
  LockStore locks;
  Instances instances;
  SharedLocks shared;

 private:
  static LockKind kind_of(const LockEntry& entry) {
    return {.algorithm = entry.mutex.info().id, .sets = entry.sets};
  }
  View view_of(const LockEntry& entry) const { return instances.view_of(entry.home); }
  bool is_home(const LockEntry& entry) const { return entry.home == membership.self; }
  bool is_full() const { return locks.size() + shared.size() >= options.most_locks; }

  void set_up(LockEntry& entry, const LockKind& kind) const;
  LockEntry& create(std::string_view name, const LockKind& kind);
  void drop_if_like_new(LockEntry& entry);

  // Null: there is none yet of that lock.
  void on_wake(NodeId from, LockEntry* entry, std::string_view name, const LockKind& kind,
               Outbox& out);
  void on_message(NodeId from, LockEntry* entry, const LockPayload& payload, const LockKind& kind,
                  Outbox& out);

  void settle(LockEntry& entry, Outbox& out);
  void flush_sends(LockEntry& entry, Outbox& out);
  static bool may_keep(const LockEntry& entry);
  void begin_serving(LockEntry& entry, Turn turn, Outbox& out);
  void grant_first(LockEntry& entry, Turn turn, Outbox& out);
  void count_on(LockEntry& entry, Turn last);
  bool comes_to_rest(LockEntry& entry, std::span<const std::uint8_t> message) const;

  WaiterPool waiters_;
  std::shared_ptr<LockObserver> observer_;  // Usually null. Not copied.
  std::string observed_;                    // The lock's name.
};

// --- instances ---

// As new, at the home that such a lock has.
void LockTable::Impl::set_up(LockEntry& entry, const LockKind& kind) const {
  entry.sets = kind.sets;
  entry.home = home_of(entry.name, membership.size);
  entry.mutex = Instances::make(kind, view_of(entry), instances.choices_for(kind));
}

// REQUIRES: there is none of that name, and room for one.
LockEntry& LockTable::Impl::create(std::string_view name, const LockKind& kind) {
  LockEntry& entry = locks.insert(name);
  set_up(entry, kind);
  entry.mutex.raise_counter(instances.floor_of(entry.mutex));
  note(entry, LockStep::Kind::raise, {}, {}, instances.floor_of(entry.mutex));
  ++stats.instances;
  return entry;
}

void LockTable::Impl::drop_if_like_new(LockEntry& entry) {
  if (entry.held || entry.pinned || entry.woken || !entry.waiters.empty()) return;
  const MutexChoices choices = instances.choices_for(kind_of(entry));
  if (!instances.forget_if_like_new(entry.mutex, view_of(entry), choices)) return;
  locks.erase(entry);
  --stats.instances;
  ++stats.dropped;
}

// --- steps ---

// Carries out what a step left in the effects, and goes on until there is nothing more to do here:
// an entry goes to the first local waiter, or is left again if all have given up; and while
// somebody waits, the algorithm asks.
void LockTable::Impl::settle(LockEntry& entry, Outbox& out) {
  InstanceEffects& fx = instances.effects();
  Instance& mutex = entry.mutex;
  while (true) {
    if (!fx.sends().empty()) flush_sends(entry, out);
    const std::optional<Turn> entered = fx.entered();
    fx.clear();
    if (entered && !entry.waiters.empty()) return begin_serving(entry, *entered, out);
    if (entered) {
      mutex.release(fx);
      note(entry, LockStep::Kind::release);
    } else if (!entry.waiters.empty() && mutex.phase() == Phase::idle) {
      mutex.request(fx);
      note(entry, LockStep::Kind::request);
      if (mutex.info().token_rests && mutex.phase() == Phase::waiting && !is_home(entry)) {
        instances.post_wake(mutex, entry.name, entry.home, out);
      }
    } else {
      return;
    }
  }
}

void LockTable::Impl::flush_sends(LockEntry& entry, Outbox& out) {
  const InstanceEffects& fx = instances.effects();
  const bool may_rest = entry.mutex.info().token_rests && is_home(entry);
  for (const InstanceEffects::Send& send : fx.sends()) {
    if (may_rest && comes_to_rest(entry, fx.bytes(send))) continue;
    instances.post(send, entry.mutex, kind_of(entry), entry.name, out);
  }
}

// Whoever holds it may enter again without asking, since nobody waits, here or elsewhere.
bool LockTable::Impl::may_keep(const LockEntry& entry) {
  return entry.mutex.info().permission_stays && !entry.mutex.is_wanted() && entry.waiters.empty();
}

void LockTable::Impl::begin_serving(LockEntry& entry, Turn turn, Outbox& out) {
  grant_first(entry, turn, out);
  const bool serves_more = entry.mutex.info().permission_stays;
  entry.served_next = serves_more ? waiters_.count(entry.waiters, kServedNext) & 0x7f : 0;
}

void LockTable::Impl::grant_first(LockEntry& entry, Turn turn, Outbox& out) {
  entry.holder = waiters_.pop(entry.waiters, entry.slot);
  entry.fence = {membership.epoch, turn};
  entry.held = true;
  --stats.waiting;
  ++stats.held;
  ++stats.entries;
  out.grant({entry.holder, entry.fence, may_keep(entry)});
}

// Its turns are its clock: whoever enters next, here or elsewhere, counts on from there.
void LockTable::Impl::count_on(LockEntry& entry, Turn last) {
  if (!entry.mutex.info().permission_stays || entry.mutex.counter() >= number(last)) return;
  entry.mutex.raise_counter(number(last));
  note(entry, LockStep::Kind::raise, {}, {}, number(last));
}

// --- a token that rests at home ---

// The home keeps a token that is about to leave, as before it first set out, unless a WAKE came
// since it left last. Nobody is forgotten: whoever waits sent a WAKE as it began to. If the WAKE
// came before the token last left, the token has gone by there since; if after, it leaves again.
bool LockTable::Impl::comes_to_rest(LockEntry& entry, std::span<const std::uint8_t> message) const {
  return !std::exchange(entry.woken, false) && entry.mutex.take_back(message);
}

void LockTable::Impl::on_wake(NodeId from, LockEntry* entry, std::string_view name,
                              const LockKind& kind, Outbox& out) {
  const NodeId home = entry != nullptr ? entry->home : home_of(name, membership.size);
  if (home != membership.self) {
    return out.complain({from, Kind::broken_protocol, Reject::not_a_member,
                         fmt::format("{} wakes {} here, but its home is {}", from, name, home)});
  }
  if (entry == nullptr) entry = &create(name, kind);
  instances.count_received(entry->mutex);
  entry->woken = true;
  entry->mutex.start(instances.effects());
  settle(*entry, out);
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
  const LockKind kind = policy.kind_for(name);
  LockEntry& entry = locks.insert(name);
  entry.home = holder;
  entry.pinned = true;
  entry.sets = kind.sets;
  entry.mutex = Instances::make(kind, instances.view_of(holder, held), instances.choices_for(kind));
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
    entry = &create(name, kind);
  } else if (const auto fits = check_want(name, kind_of(*entry), want); !fits) {
    return fits.error();
  }
  if (entry->held && entry->holder == waiter) return error("You hold {} already.", name);
  if (waiters_.contains(entry->slot, waiter)) return error("You wait for {} already.", name);
  if (entry->held && entry->mutex.info().permission_stays) out.want(entry->holder);
  waiters_.push(entry->waiters, entry->slot, waiter);
  ++stats.waiting;
  settle(*entry, out);
  return {};
}

Result<void> LockTable::Impl::release(std::string_view name, WaiterId waiter,
                                      std::optional<Turn> told, Outbox& out) {
  LockEntry* entry = locks.find(name);
  if (entry == nullptr) return shared.release(name, waiter, out);
  if (!entry->held || entry->holder != waiter) {
    return error("You do not hold {}.", name);
  }
  const Turn last = told.value_or(entry->fence.turn);
  HAPAX_CHECK(last >= entry->fence.turn);
  stats.entries += number(last) - number(entry->fence.turn);
  const bool counts = told || entry->fence.epoch == membership.epoch;
  --stats.held;
  if (entry->served_next > 0 && !entry->waiters.empty()) {
    --entry->served_next;
    grant_first(*entry, next(last), out);
    return {};
  }
  entry->held = false;
  entry->holder = {};
  entry->fence = {};
  entry->served_next = 0;
  if (counts) count_on(*entry, last);
  entry->mutex.release(instances.effects());
  note(*entry, LockStep::Kind::release);
  settle(*entry, out);
  drop_if_like_new(*entry);
  return {};
}

Result<void> LockTable::Impl::abandon(std::string_view name, WaiterId waiter, Outbox& out) {
  LockEntry* entry = locks.find(name);
  if (entry == nullptr) return shared.abandon(name, waiter, out);
  if (!waiters_.remove(entry->waiters, entry->slot, waiter)) {
    return error("You do not wait for {}.", name);
  }
  --stats.waiting;
  // Who comes later is not to be served in its place.
  entry->served_next = waiters_.count(entry->waiters, entry->served_next) & 0x7f;
  return {};
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
  LockEntry* entry = locks.find(payload->name);
  if (entry == nullptr) {
    const auto valid = check_lock_name(payload->name);
    if (!valid) return complain(Kind::malformed, valid.error().message);
  }
  const LockKind kind = entry != nullptr ? kind_of(*entry) : policy.kind_for(payload->name);
  const AlgorithmId ours = kind.algorithm;
  if (ours != algorithm) {
    return complain(Kind::policies_differ, fmt::format("{} is {} there and {} here", payload->name,
                                                       name_of(algorithm), name_of(ours)));
  }
  const Operations& operations = *find_algorithm(algorithm);
  if (entry == nullptr && is_full() && !shared.contains(payload->name)) {
    return complain(Kind::too_many_locks, fmt::format("no room for {}", payload->name));
  }
  if (operations.shared) return shared.receive(from, *payload, kind, out);
  if (!payload->wake) return on_message(from, entry, *payload, kind, out);
  if (!operations.info.token_rests || !payload->message.empty()) {
    return complain(Kind::malformed,
                    fmt::format("a WAKE that nobody sends, for {}", payload->name));
  }
  on_wake(from, entry, payload->name, kind, out);
}

void LockTable::Impl::on_message(NodeId from, LockEntry* entry, const LockPayload& payload,
                                 const LockKind& kind, Outbox& out) {
  if (entry == nullptr) entry = &create(payload.name, kind);
  if (!entry->mutex.receive(from, payload.message, instances.effects())) {
    out.complain({from, Kind::malformed, Reject::none,
                  fmt::format("no message of {}, for {}", entry->mutex.info().name, payload.name)});
    return drop_if_like_new(*entry);
  }
  note(*entry, LockStep::Kind::receive, from, payload.message);
  instances.count_received(entry->mutex);
  instances.complain_if_rejected(from, entry->mutex, payload.name, out);
  if (entry->held && entry->mutex.info().permission_stays && entry->mutex.is_wanted()) {
    out.want(entry->holder);
  }
  settle(*entry, out);
  drop_if_like_new(*entry);
}

// --- for people ---

LockStatus LockTable::Impl::status_of(const LockEntry& entry) const {
  LockStatus status;
  status.name = entry.name;
  status.algorithm = entry.mutex.info().name;
  status.home = entry.home;
  if (entry.held) status.holder = LockHolder{entry.holder, entry.fence};
  waiters_.for_each(entry.waiters, [&](WaiterId waiter) { status.waiters.push_back(waiter); });
  status.phase = entry.mutex.phase();
  return status;
}

LockStatus LockTable::Impl::described(const LockEntry& entry) const {
  LockStatus status = status_of(entry);
  status.state = entry.mutex.describe();
  return status;
}

LockEntry LockTable::Impl::entry_as_new(std::string_view name) const {
  LockEntry entry;
  entry.name = name;
  set_up(entry, policy.kind_for(name));
  return entry;
}

void LockTable::Impl::encode_to(Bytes& bytes) const {
  hapax::encode_to(bytes, locks.size());
  for (std::uint32_t slot = 0; slot < locks.slots(); ++slot) {
    const LockEntry& entry = locks.at(slot);
    if (entry.mutex.empty()) continue;
    hapax::encode_to(bytes, entry.name);
    entry.mutex.encode_to(bytes);
    hapax::encode_to(bytes, entry.held ? LockHolder{entry.holder, entry.fence} : LockHolder{});
    std::vector<WaiterId> waiters;
    waiters_.for_each(entry.waiters, [&](WaiterId waiter) { waiters.push_back(waiter); });
    hapax::encode_to(bytes, waiters);
    hapax::encode_to(bytes, entry.home);
    for (const bool is : {entry.held, entry.pinned, entry.woken}) hapax::encode_to(bytes, is);
    hapax::encode_to(bytes, static_cast<std::uint8_t>(entry.served_next));
  }
  shared.encode_to(bytes);
  instances.encode_floors_to(bytes);
}

Result<LockStart> LockTable::Impl::observe(std::string_view name,
                                           std::shared_ptr<LockObserver> observer) {
  if (const auto valid = check_lock_name(name); !valid) return valid.error();
  const LockEntry* found = locks.find(name);
  const LockKind kind = found != nullptr ? kind_of(*found) : policy.kind_for(name);
  if (is_shared(kind.algorithm)) {
    return error("{} may be held by several, and such locks are not recorded yet", name);
  }
  const LockEntry& entry = found != nullptr ? *found : entry_as_new(name);
  if (entry.mutex.info().token_rests) {
    return error("{} is served by {}, whose token rests here as it does in no trace", name,
                 entry.mutex.info().name);
  }
  LockStart start{std::string{entry.mutex.info().name},
                  kind.sets == 0 ? "" : policy.voting_sets()[kind.sets - 1].text,
                  entry.home,
                  {}};
  if (instances.choices_for(kind).voting_sets == nullptr) start.voting_sets.clear();
  entry.mutex.encode_to(start.state);
  observed_ = observer ? name : "";
  observer_ = std::move(observer);
  return start;
}

// --- the face ---

LockTable::LockTable(const Membership& membership, Policy policy, const Options& options)
    : impl_(std::make_unique<Impl>(membership, std::move(policy), options)) {}
LockTable::~LockTable() = default;
LockTable::LockTable(const LockTable& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
LockTable::LockTable(LockTable&& other) noexcept = default;
LockTable& LockTable::operator=(LockTable other) noexcept {
  impl_.swap(other.impl_);
  return *this;
}

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
  return impl_->release(name, waiter, std::nullopt, out);
}
Result<void> LockTable::release_kept(std::string_view name, WaiterId waiter, Turn last,
                                     Outbox& out) {
  return impl_->release(name, waiter, last, out);
}
Result<void> LockTable::abandon(std::string_view name, WaiterId waiter, Outbox& out) {
  return impl_->abandon(name, waiter, out);
}
void LockTable::receive(NodeId from, std::span<const std::uint8_t> payload, Outbox& out) {
  impl_->receive(from, payload, out);
}

const Membership& LockTable::membership() const { return impl_->membership; }
const Policy& LockTable::policy() const { return impl_->policy; }
const LockStats& LockTable::stats() const { return impl_->stats; }
void LockTable::encode_to(Bytes& bytes) const { impl_->encode_to(bytes); }
Result<LockStart> LockTable::observe(std::string_view name,
                                     std::shared_ptr<LockObserver> observer) const {
  return impl_->observe(name, std::move(observer));
}

Result<LockStatus> LockTable::describe(std::string_view name) const {
  if (const LockEntry* entry = impl_->locks.find(name)) return impl_->described(*entry);
  if (impl_->shared.contains(name)) return impl_->shared.describe(name);
  if (const auto valid = check_lock_name(name); !valid) return valid.error();
  if (const LockKind kind = impl_->policy.kind_for(name); is_shared(kind.algorithm)) {
    return impl_->shared.describe_as_new(name, kind);
  }
  return impl_->described(impl_->entry_as_new(name));
}

std::uint32_t LockTable::next_lock(std::uint32_t from) const {
  while (from < impl_->locks.slots() && impl_->locks.at(from).mutex.empty()) ++from;
  return from < impl_->locks.slots() ? from : kNone;
}
void LockTable::for_each_shared_lock(const std::function<void(const LockStatus&)>& f) const {
  impl_->shared.for_each(f);
}
std::size_t LockTable::for_first_in_use(std::size_t most, std::string_view pattern,
                                        const std::function<void(const LockStatus&)>& f) const {
  std::size_t in_use = 0;
  const auto is_asked_for = [&](const std::string& name) {
    return pattern.empty() || glob_matches(pattern, name);
  };
  for (std::uint32_t slot = 0; slot < impl_->locks.slots(); ++slot) {
    const LockEntry& entry = impl_->locks.at(slot);
    if ((!entry.held && entry.waiters.empty()) || !is_asked_for(entry.name)) continue;
    if (++in_use <= most) f(impl_->status_of(entry));
  }
  impl_->shared.for_each([&](const LockStatus& lock) {
    if (lock.sharers.empty() && lock.waiters.empty() && !lock.holder) return;
    if (!is_asked_for(lock.name)) return;
    if (++in_use <= most) f(lock);
  });
  return in_use;
}
// Places from kShared on are those of locks that several may hold.
std::uint64_t LockTable::for_in_use_from(std::uint64_t place, std::size_t most,
                                         const std::function<void(const LockStatus&)>& f) const {
  constexpr std::uint64_t kShared = std::uint64_t{1} << 32;
  std::size_t told = 0;
  for (; place < std::min<std::uint64_t>(impl_->locks.slots(), kShared); ++place) {
    const LockEntry& entry = impl_->locks.at(static_cast<std::uint32_t>(place));
    if (!entry.held && entry.waiters.empty()) continue;
    if (told++ == most) return place;
    f(impl_->status_of(entry));
  }
  std::uint64_t at = kShared, next = 0;
  impl_->shared.for_each([&](const LockStatus& lock) {
    const std::uint64_t here = at++;
    if (here < place || next != 0) return;
    if (lock.sharers.empty() && lock.waiters.empty() && !lock.holder) return;
    if (told++ == most) {
      next = here;
    } else {
      f(lock);
    }
  });
  return next;
}
LockStatus LockTable::status_of(std::uint32_t slot) const {
  return impl_->status_of(impl_->locks.at(slot));
}

}  // namespace hapax
