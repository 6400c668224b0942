#include "swarm/clients.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "swarm/guarded.h"

namespace hapax {
namespace {

std::uint64_t in_ms(Span span) {
  return static_cast<std::uint64_t>(span / std::chrono::milliseconds{1});
}

}  // namespace

SwarmClients::SwarmClients(SwarmStage& stage, Members& members)
    : stage_(stage), members_(members), clients_(stage.plan.clients) {
  for (std::uint32_t i = 0; i < stage.plan.members && stage.plan.keeping; ++i) {
    kept_.push_back(std::make_unique<Kept>(*this, members[i]));
    members[i].keepers.push_back(kept_.back().get());
  }
  for (Client& client : clients_) {
    client.home = index_of(client) % stage.plan.members;
    client.rate = stage.draw_rate();
    think(client);
  }
}

SwarmClients::Client& SwarmClients::client_of(WaiterId waiter) {
  return clients_[(number(waiter) - 1) % clients_.size()];
}
std::uint32_t SwarmClients::index_of(const Client& client) const {
  return static_cast<std::uint32_t>(&client - clients_.data());
}
session::Heartbeat::Time SwarmClients::clock_of(const Client& client) const {
  return std::chrono::floor<session::Heartbeat::Time>(
      std::chrono::duration<double, Span::period>{stage_.now()} * client.rate);
}

bool SwarmClients::relies_on(WaiterId waiter) {
  const Client& client = client_of(waiter);
  return client.waiter == waiter && client.state == Client::State::inside &&
         clock_of(client) < client.heartbeat->valid_until();
}

// --- what a client does ---

void SwarmClients::think(Client& client) {
  client.state = Client::State::idle;
  stage_.agenda.after(stage_.about(stage_.plan.think), [this, &client, turn = ++client.turn] {
    if (client.turn == turn) ask(client);
  });
}

void SwarmClients::ask(Client& client) {
  if (!client.heartbeat) return connect(client);
  if (enter_again(client)) return;
  client.entry = 0;
  client.lock = fmt::format("lock-{}", stage_.prng.below(stage_.plan.locks));
  client.waiter = WaiterId{1 + index_of(client) + clients_.size() * ++asked_};
  client.want = draw_want();
  client.state = Client::State::waiting;
  say(client, [lock = client.lock, waiter = client.waiter, want = client.want](SwarmMember& m,
                                                                               Instant now) {
    const auto asked = m.acquire(now, lock, waiter, want);
    HAPAX_CHECK(asked.has_value());
  });
  if (stage_.prng.below(100) < stage_.plan.give_up) {
    stage_.agenda.after(stage_.about(stage_.plan.hold), [this, &client, waiter = client.waiter] {
      if (client.waiter == waiter) give_up(client);
    });
  }
}

Want SwarmClients::draw_want() {
  if (stage_.plan.has_units()) return Want::unit;
  const std::uint32_t readers = stage_.plan.readers;
  return readers > 0 && stage_.prng.below(100) < readers ? Want::shared : Want::exclusive;
}

// It may be granted meanwhile.
void SwarmClients::give_up(Client& client) {
  if (client.state != Client::State::waiting) return;
  give_back(client);
  think(client);
}

void SwarmClients::give_back(Client& client) {
  say(client, [this, lock = client.lock, waiter = client.waiter](SwarmMember& m, Instant now) {
    stage_.referee.left(lock, waiter);
    // Refused if the lease has run out by now.
    if (!m.abandon(now, lock, waiter)) (void)m.release(now, lock, waiter, m.take_back(waiter));
  });
}

void SwarmClients::on_granted(SwarmMember& m, const Grant& grant) {
  Client& client = client_of(grant.waiter);
  if (client.waiter != grant.waiter) return;  // It has given up, and that is on its way.
  stage_.referee.entered(
      client.lock, grant.waiter, m.life(), grant.fence, client.want,
      [this](Life life) { return members_.is_leased(life); },
      [this](WaiterId waiter) { return relies_on(waiter); });
  std::uint64_t entry = 0;
  KeptByClient* const kept = client.kept;
  if (kept != nullptr && !kept->grant.holder() && client.want == Want::exclusive &&
      grant.may_keep && !m.keeper().is_leaving()) {
    entry = kept->grant.next();
    kept->grant.grant(grant, true);
    kept->granted_lock = client.lock;
  }
  tell(client, client.connection, [this, &client, grant, entry, life = m.life()] {
    if (client.waiter != grant.waiter || client.state != Client::State::waiting) return;
    client.fence = grant.fence;
    client.entry = entry;
    if (entry != 0) {
      KeptByClient& ours = *client.kept;
      ours.entry = entry;
      ours.lock = client.lock;
      ours.waiter = grant.waiter;
      ours.fence = grant.fence;
      ours.life = life;
      ours.is_lost = false;
    }
    client.state = Client::State::granted;
    enter_if_good(client);
  });
}

// How long it is good for may not be known before the member has said so.
void SwarmClients::enter_if_good(Client& client) {
  if (client.state != Client::State::granted) return;
  if (!client.heartbeat->is_good(clock_of(client))) return client.heartbeat->ping_soon();
  work(client);
}

void SwarmClients::work(Client& client) {
  stage_.note("client {} of member {} enters {} with {}", index_of(client), client.home,
              client.lock, client.fence);
  client.state = Client::State::inside;
  client.is_served = stage_.is_healed;
  ++stage_.report.entries;
  const Span hold = stage_.about(stage_.plan.hold);
  // Where several may be inside, there is nothing for them to update one at a time.
  if (stage_.plan.units == 1) {
    use_what_is_guarded(stage_, client.lock, client.fence, client.want, hold / 2);
  }
  stage_.agenda.after(hold, [this, &client, turn = ++client.turn] {
    if (client.turn == turn) finish(client);
  });
}

// As KeptLock::enter_again(). Mostly it wants the same again: so some do when the lease is over.
bool SwarmClients::enter_again(Client& client) {
  KeptByClient* const kept = client.kept;
  if (kept == nullptr || kept->entry == 0 || stage_.prng.below(16) == 0) return false;
  std::uint64_t seen = kept->word.load();
  if (stage_.plan.grabbing) {
    seen = kept::word_of(kept::State::kept, kept::number_of(seen));
    kept->word.store(seen);
  }
  if (kept::state_of(seen) != kept::State::kept || !kept::enter(kept->word, seen)) return false;
  const std::uint64_t number = kept::number_of(seen) + 1;
  client.lock = kept->lock;
  client.waiter = kept->waiter;
  client.want = Want::exclusive;
  client.fence = kept->fence_of(number);
  client.entry = number;
  const auto left = client.heartbeat->valid_until() - clock_of(client);
  if (!stage_.plan.trusting && (kept->is_lost || left <= session::Heartbeat::Time{1})) {
    if (kept::leave(kept->word, number, false) == kept::Left::back) give_back(client);
    return false;
  }
  stage_.referee.entered(
      client.lock, client.waiter, kept->life, client.fence, client.want,
      [this, kept](Life life) {
        // Of a fixed list it may rely on its promise when its member is gone.
        return members_.is_leased(life) || (stage_.plan.fixed && life == kept->life);
      },
      [this](WaiterId waiter) { return relies_on(waiter); });
  ++stage_.report.kept_entries;
  work(client);
  return true;
}

void SwarmClients::finish(Client& client) {
  const auto left = client.entry == 0
                        ? kept::Left::back
                        : kept::leave(client.kept->word, client.entry, !client.kept->is_lost);
  if (left == kept::Left::kept) {
    stage_.referee.left(client.lock, client.waiter);
  } else {
    give_back(client);
  }
  think(client);
}

void SwarmClients::on_lost(WaiterId waiter) {
  Client& client = client_of(waiter);
  if (client.waiter != waiter) return;
  tell(client, client.connection, [this, &client, waiter] {
    if (client.waiter == waiter) lose(client);
  });
}

void SwarmClients::lose(Client& client) {
  if (client.state != Client::State::granted && client.state != Client::State::inside) return;
  stage_.note("client {} has lost {}", index_of(client), client.lock);
  ++stage_.report.lost;
  if (client.entry != 0) (void)kept::leave(client.kept->word, client.entry, false);
  give_back(client);
  think(client);
}

// --- what its member makes of what it keeps: as ClientRequest and KeptLocks ---

KeptByClient* SwarmClients::Kept::held_by(WaiterId waiter) {
  const Client& client = clients_.client_of(waiter);
  for (const auto& kept : client.shared) {
    if (!kept->is_orphan && kept->grant.holder() == waiter) return kept.get();
  }
  return nullptr;
}

std::optional<Turn> SwarmClients::Kept::told(Turn last) const {
  return clients_.stage_.plan.secretive ? std::nullopt : std::optional{last};
}

bool SwarmClients::Kept::is_inside(WaiterId waiter) {
  KeptByClient* const kept = held_by(waiter);
  return kept == nullptr || kept->grant.is_inside();
}

std::optional<Turn> SwarmClients::Kept::take_back(WaiterId waiter) {
  KeptByClient* const kept = held_by(waiter);
  return kept == nullptr ? std::nullopt : told(kept->grant.take_back());
}

void SwarmClients::Kept::on_wanted(WaiterId waiter) {
  if (KeptByClient* const kept = held_by(waiter)) stop_keeping(*kept);
}

void SwarmClients::Kept::on_leaving() {
  for (const Client& client : clients_.clients_) {
    if (client.home != member_.index) continue;
    for (const auto& kept : client.shared) {
      if (!kept->is_orphan) stop_keeping(*kept);
    }
  }
}

void SwarmClients::Kept::stop_keeping(KeptByClient& kept) {
  const auto given = kept.grant.stop_keeping();
  if (!given) return;
  const Instant now = member_.local(clients_.stage_.now());
  // The lock that this word is of, at the member: its client may not have been told yet.
  (void)member_.release(now, kept.granted_lock, given->holder, told(given->last));
}

// --- its connection ---

void SwarmClients::connect(Client& client) {
  if (!home_of(client).runs()) return think(client);  // Nobody answers there; it tries again.
  ++client.connection;
  client.heartbeat.emplace(clock_of(client));
  if (stage_.plan.keeping) {
    std::erase_if(client.shared, [](const auto& k) { return k->is_orphan || !k->grant.holder(); });
    client.kept = client.shared.emplace_back(std::make_unique<KeptByClient>()).get();
  }
  say(client, [this, &client, connection = client.connection](SwarmMember& m, Instant) {
    session::Welcome welcome;
    if (m.service) welcome.ttl_ms = in_ms(m.service->lease().times().ttl);
    tell(client, connection, [this, &client, welcome] {
      client.heartbeat->on_welcome(welcome);
      ask(client);
    });
  });
  look(client, client.connection);
}

// The product looks four times as often: whether it relies on a grant does not depend on that.
void SwarmClients::look(Client& client, std::uint64_t connection) {
  if (!client.heartbeat || client.connection != connection) return;
  session::Heartbeat& heartbeat = *client.heartbeat;
  const auto now = clock_of(client);
  if (heartbeat.is_silent(now)) return disconnect(client);
  if (heartbeat.expires(now)) {
    if (client.kept) client.kept->is_lost = true;
    lose(client);
  }
  if (const auto due = heartbeat.ping(now)) ping(client, *due);
  stage_.agenda.after(4 * heartbeat.until_next_look(now),
                      [this, &client, connection] { look(client, connection); });
}

void SwarmClients::ping(Client& client, const session::Ping& ping) {
  say(client, [this, &client, ping, connection = client.connection](SwarmMember& m, Instant now) {
    session::Pong pong{ping.request, std::nullopt};
    if (m.service) pong.lease_ms = in_ms(m.service->lease_left(now).value_or(Span{0}));
    tell(client, connection, [this, &client, pong] {
      (void)client.heartbeat->on_pong(pong);
      enter_if_good(client);
    });
  });
}

// What it held is lost; its member hears of it, if it is there.
void SwarmClients::disconnect(Client& client) {
  const bool is_idle = client.state == Client::State::idle;
  if (!is_idle) give_back(client);
  const KeptByClient* const kept = client.kept;
  if (kept != nullptr && kept->entry != 0 && (is_idle || client.waiter != kept->waiter)) {
    client.lock = client.kept->lock;  // Its member sees that nobody is there who keeps it.
    client.waiter = client.kept->waiter;
    give_back(client);
  }
  client.heartbeat.reset();
  think(client);
}

void SwarmClients::say(Client& client, Members::What what) {
  client.to_member = std::max(client.to_member, stage_.now() + stage_.about(stage_.plan.latency));
  stage_.agenda.at(client.to_member, [this, &client, connection = client.connection,
                                      what = std::move(what)] { hear(client, connection, what); });
}

// A member that sleeps hears it when it wakes up; one that has crashed, never.
void SwarmClients::hear(Client& client, std::uint64_t connection, const Members::What& what) {
  if (connection < client.dead_below) return;
  SwarmMember& m = home_of(client);
  if (stage_.now() >= m.asleep_until) return members_.at(m, what);
  stage_.agenda.at(m.asleep_until,
                   [this, &client, connection, what] { hear(client, connection, what); });
}

void SwarmClients::tell(Client& client, std::uint64_t connection, std::function<void()> what) {
  client.to_client = std::max(client.to_client, stage_.now() + stage_.about(stage_.plan.latency));
  stage_.agenda.at(client.to_client, [&client, connection, what = std::move(what)] {
    if (client.heartbeat && client.connection == connection) what();
  });
}

// Who loses its member hears of it, or of nothing any more, as if the whole machine were gone.
void SwarmClients::on_crashed(const SwarmMember& m) {
  for (Client& client : clients_) {
    if (client.home != m.index || !client.heartbeat) continue;
    client.dead_below = client.connection + 1;
    for (const auto& kept : client.shared) kept->is_orphan = true;
    if (stage_.prng.below(2) == 0)
      tell(client, client.connection, [this, &client] { disconnect(client); });
  }
}

bool SwarmClients::all_are_served() const {
  return std::all_of(clients_.begin(), clients_.end(), [](const Client& c) { return c.is_served; });
}

void SwarmClients::complain_of_waiting() {
  for (const Client& client : clients_) {
    if (client.is_served) continue;
    stage_.referee.violated("client {} is not served although all is healed", index_of(client));
  }
}

}  // namespace hapax
