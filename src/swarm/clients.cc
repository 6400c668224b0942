#include "swarm/clients.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"

namespace hapax {

SwarmClients::SwarmClients(SwarmStage& stage, Members& members)
    : stage_(stage), members_(members), clients_(stage.plan.clients) {
  for (Client& client : clients_) {
    client.home = index_of(client) % stage.plan.members;
    think(client);
  }
}

SwarmClients::Client& SwarmClients::client_of(WaiterId waiter) {
  return clients_[(number(waiter) - 1) % clients_.size()];
}
std::uint32_t SwarmClients::index_of(const Client& client) const {
  return static_cast<std::uint32_t>(&client - clients_.data());
}

void SwarmClients::think(const Client& client) {
  stage_.agenda.after(stage_.about(stage_.plan.think),
                      [this, c = index_of(client)] { ask(clients_[c]); });
}

void SwarmClients::ask(Client& client) {
  SwarmMember& home = home_of(client);
  // Nobody answers there; it tries again.
  if (!home.runs() || stage_.now() < home.asleep_until) return think(client);
  client.lock = fmt::format("lock-{}", stage_.prng.below(stage_.plan.locks));
  client.waiter = WaiterId{1 + index_of(client) + clients_.size() * ++asked_};
  client.want = draw_want();
  client.state = Client::State::waiting;
  members_.at(home, [client](SwarmMember& m, Instant now) {
    const auto asked = m.acquire(now, client.lock, client.waiter, client.want);
    HAPAX_CHECK(asked.has_value());
  });
  if (stage_.prng.below(100) < stage_.plan.give_up) {
    stage_.agenda.after(stage_.about(stage_.plan.hold),
                        [this, &client, waiter = client.waiter] { give_up(client, waiter); });
  }
}

Want SwarmClients::draw_want() {
  if (stage_.plan.has_units()) return Want::unit;
  const std::uint32_t readers = stage_.plan.readers;
  return readers > 0 && stage_.prng.below(100) < readers ? Want::shared : Want::exclusive;
}

void SwarmClients::give_up(Client& client, WaiterId waiter) {
  const auto waits = [&client, waiter] {
    return client.waiter == waiter && client.state == Client::State::waiting;
  };
  if (!waits()) return;
  members_.at(home_of(client), [this, &client, waits](SwarmMember& m, Instant now) {
    if (!waits() || !m.abandon(now, client.lock, client.waiter)) return;
    client.state = Client::State::idle;
    think(client);
  });
}

void SwarmClients::on_granted(SwarmMember& m, const Grant& grant) {
  Client& client = client_of(grant.waiter);
  HAPAX_CHECK(client.waiter == grant.waiter);
  stage_.note("client {} at member {} enters {} with {}", index_of(client), m.index, client.lock,
              grant.fence);
  stage_.referee.entered(client.lock, grant.waiter, m.life(), grant.fence, client.want,
                         [this](Life life) { return members_.is_leased(life); });
  client.state = Client::State::inside;
  client.fence = grant.fence;
  client.is_served = stage_.is_healed;
  ++stage_.report.entries;
  const Span hold = stage_.about(stage_.plan.hold);
  // Where several may be inside, there is nothing for them to update one at a time.
  if (stage_.plan.units == 1) use_what_is_guarded(client, hold / 2);
  stage_.agenda.after(hold, [this, &client, work = ++client.work] { finish(client, work); });
}

// It reads now, and after a while reads again or writes, whatever it has been told meanwhile: it
// may have slept.
void SwarmClients::use_what_is_guarded(const Client& client, Span after) {
  const Referee::Reading reading = stage_.referee.read(client.lock, client.fence, client.want);
  if (!reading.admitted) return;
  if (stage_.prng.below(20) == 0) after += 2 * stage_.plan.times.ttl;
  stage_.agenda.after(after, [this, lock = client.lock, fence = client.fence, want = client.want,
                              value = reading.value] {
    SwarmReport& report = stage_.report;
    if (want == Want::shared) {
      if (!stage_.referee.read_again(lock, fence, value)) ++report.stale_refused;
    } else {
      stage_.referee.write(lock, fence, value) ? ++report.updates : ++report.stale_refused;
    }
  });
}

void SwarmClients::finish(Client& client, std::uint64_t work) {
  const auto works = [&client, work] {
    return client.work == work && client.state == Client::State::inside;
  };
  if (!works()) return;
  members_.at(home_of(client), [this, &client, works](SwarmMember& m, Instant now) {
    if (!works()) return;
    stage_.referee.left(client.lock, client.waiter);
    // Refused if the lease has run out by now: then it is being told so.
    if (!m.release(now, client.lock, client.waiter)) return;
    client.state = Client::State::idle;
    think(client);
  });
}

void SwarmClients::on_lost(WaiterId waiter, bool life_ended) {
  Client& client = client_of(waiter);
  if (client.waiter != waiter || client.state != Client::State::inside) return;
  stage_.note("client {} has lost {}", index_of(client), client.lock);
  // By its own clock it has left when the lease is over. If its member's life ends before that, it
  // need not have heard of it yet, and counts as inside.
  if (!life_ended) stage_.referee.left(client.lock, waiter);
  client.state = Client::State::idle;
  ++stage_.report.lost;
  think(client);
}

// A client, another process, may go on working until the lease is over.
void SwarmClients::on_crashed(const SwarmMember& m) {
  for (Client& client : clients_) {
    if (client.home != m.index || client.state == Client::State::idle) continue;
    client.state = Client::State::idle;
    ++client.work;
    think(client);
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
