#include "swarm/members.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace hapax {

Members::Members(SwarmStage& stage, MakeLink make_link, Handlers handlers)
    : stage_(stage),
      handlers_(std::move(handlers)),
      engine_(stage),
      network_(stage, std::move(make_link),
               {.on_message =
                    [this](std::uint32_t at_member, Life from, auto message) {
                      SwarmMember& m = *members_[at_member];
                      m.service
                          ? m.service->on_frame(m.local(stage_.now()), from, message, m.orders)
                          : m.list->on_frame(from, message, m.orders);
                      carry_out(m);
                    },
                .on_up =
                    [this](std::uint32_t at_member, Life other) {
                      SwarmMember& m = *members_[at_member];
                      if (m.service) return look_around(m);
                      m.list->met(NodeId{member_of_.at(other)}, other, m.orders);
                      carry_out(m);
                    },
                .on_down =
                    [this](std::uint32_t at_member, Life other) {
                      SwarmMember& m = *members_[at_member];
                      if (m.list) m.list->parted(NodeId{member_of_.at(other)});
                    },
                .on_broken =
                    [this](std::uint32_t at_member) {
                      SwarmMember& m = *members_[at_member];
                      m.service ? m.service->on_link_broken(m.local(stage_.now()), m.orders)
                                : m.list->on_link_broken(m.orders);
                    },
                .asleep_until =
                    [this](std::uint32_t member) { return members_[member]->asleep_until; }}) {
  const SwarmPlan& plan = stage.plan;
  const auto parsed = Policy::parse(plan.lock_kind(), {});
  HAPAX_CHECK(parsed.has_value());
  for (std::uint32_t i = 0; i < plan.members; ++i) {
    members_.push_back(std::make_unique<SwarmMember>());
    SwarmMember& m = *members_.back();
    m.index = i;
    m.rate = stage.draw_rate();
    m.policy = *parsed;
  }
}

void Members::begin() {
  for (const auto& m : members_) {
    start(*m);
    keep_looking_around(*m);
  }
}

bool Members::is_leased(Life life) const {
  const auto end = lease_end_.find(life);
  return end != lease_end_.end() && stage_.now() < end->second;
}

void Members::at(SwarmMember& m, std::uint64_t run, What what) {
  if (m.run != run || !m.runs()) return;
  if (stage_.now() < m.asleep_until) {
    stage_.agenda.at(m.asleep_until, [this, &m, run, what = std::move(what)] { at(m, run, what); });
    return;
  }
  what(m, m.local(stage_.now()));
  carry_out(m);
}

void Members::start(SwarmMember& m) {
  if (stage_.plan.fixed) return start_in_list(m);
  m.service = std::make_unique<Service>(m.policy, stage_.plan.times, m, stage_.plan.hasty);
  m.newest = m.own_commit = 0;
  if (stage_.plan.forgetful) m.written = {};
  be_born(m);
  carry_out(m);
}

Life Members::next_life(const SwarmMember& m) {
  const Life life{++last_life_};
  member_of_[life] = m.index;
  return life;
}

// A clock that is ahead of all epochs.
Epoch Members::today() const {
  return Epoch{static_cast<std::uint64_t>(stage_.now().count() / 1'000)};
}

void Members::be_born(SwarmMember& m) {
  const Life life = next_life(m);
  engine_.state.enlist(life);
  ++m.run;
  m.armed = {};
  m.has_read = false;
  m.down_since.clear();
  m.service->be_born(life, m.written);
  network_.open(m.index, life);
  stage_.note("member {} is life {}", m.index, life);
}

// Everything that the service has ordered, and the alarm for when it has to be called next.
void Members::carry_out(SwarmMember& m) {
  do {
    const Orders orders = std::exchange(m.orders, {});
    carry_out(m, orders);
  } while (m.runs() && !m.orders.is_empty());
  if (!m.service) return;
  note_lease(m);
  arm(m);
}

void Members::note_lease(const SwarmMember& m) {
  if (m.service && m.keeper().is_leased()) {
    lease_end_[m.life()] = m.global(m.service->lease().end());
  }
}

void Members::carry_out(SwarmMember& m, const Orders& orders) {
  if (m.service) m.written = std::max(m.written, m.keeper().roll().epoch);
  for (const WaiterId waiter : orders.lost) handlers_.on_lost(m, waiter);
  note_lease(m);
  for (SwarmKeeper* const keeper : m.keepers) {
    if (orders.leased_until) keeper->on_leased(*orders.leased_until);
  }
  for (const Grant& grant : orders.grants) handlers_.on_granted(m, grant);
  for (SwarmKeeper* const keeper : m.keepers) {
    for (const WaiterId waiter : orders.recalled) keeper->on_recalled(waiter);
    for (const WaiterId waiter : orders.wanted) keeper->on_wanted(waiter);
  }
  for (const Orders::Send& send : orders.sends) {
    if (!network_.send(m.index, send.to, orders.bytes(send))) break;
  }
  network_.flush(m.index);
  for (const EngineAsk& ask : orders.asks) ask_engine(m, ask);
  for (const Orders::Complaint& c : orders.complaints) {
    // An engine that forgets may have two lists of one view agreed upon; one never begins.
    const bool may_be = stage_.plan.wipes + stage_.plan.restores > 0;
    if (!may_be) stage_.referee.violated("life {} {}", c.peer, c.text);
  }
  if (orders.promise) write_down(m, *orders.promise);
  if (orders.begun) {
    const Epoch epoch = m.keeper().roll().epoch;
    if (epoch > highest_epoch_) ++views_;
    highest_epoch_ = std::max(highest_epoch_, epoch);
    stage_.note("member {} begins view {}", m.index, epoch);
  }
  if (!orders.ended) return;
  if (m.list) return end_in_list(m);
  stage_.note("life {} of member {} is over", m.life(), m.index);
  network_.close(m.index, Network::Parting::goodbye);
  be_born(m);
}

void Members::arm(SwarmMember& m) {
  const Instant next = m.service->next_deadline();
  if (next == Instant::max()) return;
  const Instant now = stage_.now();
  const Instant when = std::max(m.global(next), now);
  if (m.armed != Instant{} && m.armed <= when && m.armed > now) return;
  m.armed = std::max(when, now + Span{1});
  stage_.agenda.at(m.armed, [this, &m, run = m.run, armed = m.armed] {
    if (m.run != run || m.armed != armed) return;
    at(m, [](SwarmMember& me, Instant local) {
      me.armed = {};
      me.service->on_time(local, me.orders);
    });
  });
}

void Members::ask_engine(SwarmMember& m, const EngineAsk& ask) {
  const bool is_deaf = stage_.now() < m.engine_cut_until;
  const auto answer = [this, &m, ask, run = m.run,
                       known = m.newest](const VirtualEngine::Done& done) {
    at(m, run, [=, this](SwarmMember& me, Instant now) { on_answer(me, ask, known, done, now); });
  };
  engine_.ask(ask, is_deaf, answer);
}

// `known`: what it knew when it asked. As in membership/registrar.h.
void Members::on_answer(SwarmMember& m, const EngineAsk& ask, std::uint64_t known,
                        const VirtualEngine::Done& done, Instant now) {
  if (ask.kind != EngineAsk::Kind::read) {
    if (done.outcome == Outcome::committed) {
      m.newest = std::max(m.newest, done.revision);
      if (ask.kind != EngineAsk::Kind::beat) m.own_commit = done.revision;
    }
    return m.service->on_committed(now, ask, done.outcome, m.orders);
  }
  if (!done.read) return m.service->on_unreadable(now, m.orders);
  if (std::exchange(m.has_gap, false)) m.service->look_anew();
  if (done.revision < known) {
    stage_.note("member {} sees that the engine went back", m.index);
    m.newest = m.own_commit = done.revision;
    m.service->on_went_back(now, m.orders);
  } else if (done.revision < m.own_commit) {
    return m.service->on_unreadable(now, m.orders);
  }
  m.newest = std::max(m.newest, done.revision);
  m.has_read = true;
  if (done.ttl != Span{0}) {
    m.service->set_ttl(now, done.ttl, stage_.plan.times.ttl, stage_.plan.longest_ttl());
  }
  const Epoch beyond = stage_.plan.forgetful ? Epoch{} : today();
  m.service->on_register(now, *done.read, beyond, m.orders);
}

// --- coming and going, as in membership/upkeep.h ---

void Members::keep_looking_around(SwarmMember& m) {
  look_around(m);
  stage_.agenda.after(stage_.plan.times.ttl / 4, [this, &m] { keep_looking_around(m); });
}

void Members::look_around(SwarmMember& m) {
  if (!m.service || stage_.now() < m.asleep_until) return;
  at(m, [this](SwarmMember& me, Instant now) {
    if (me.service->keeper().standing() == Standing::outside) {
      if (may_announce(me, now)) me.service->announce(now, me.orders);
    } else if (has_to_give_way(me, now)) {
      stage_.note("member {} gives way", me.index);
      me.service->leave(now, me.orders);
    }
  });
}

// As soon as it is connected to everybody who counts.
bool Members::may_announce(const SwarmMember& m, Instant now) const {
  const std::vector<Beat>& beats = m.service->reg().beats;
  return m.has_read && std::all_of(beats.begin(), beats.end(), [&](const Beat& beat) {
           return network_.is_up(m.index, beat.life) ||
                  m.service->beats().is_overdue(beat.life, now);
         });
}

// Of two that do not reach each other for a TTL one goes: who reaches fewer, then who is younger.
bool Members::has_to_give_way(SwarmMember& m, Instant now) {
  const Keeper& keeper = m.service->keeper();
  const bool is_member =
      keeper.standing() == Standing::running || keeper.standing() == Standing::changing;
  if (!is_member || keeper.is_leaving()) return false;
  const Roll& roll = keeper.roll();
  for (const Life life : roll.members) {
    if (life == m.life()) continue;
    if (network_.is_up(m.index, life)) {
      m.down_since.erase(life);
      continue;
    }
    const Instant since = m.down_since.try_emplace(life, now).first->second;
    if (now - since <= stage_.plan.times.ttl || !m.service->is_fresh(life, now)) continue;
    const bool is_ours_to_go = std::pair{reach(m.index, roll), number(life)} <
                               std::pair{reach(member_of_.at(life), roll), number(m.life())};
    if (!is_ours_to_go) continue;
    m.down_since.clear();
    return true;
  }
  return false;
}

std::uint32_t Members::reach(std::uint32_t member, const Roll& roll) const {
  return static_cast<std::uint32_t>(
      std::count_if(roll.members.begin(), roll.members.end(),
                    [&](Life life) { return network_.is_up(member, life); }));
}

// --- faults ---

void Members::crash(SwarmMember& m) {
  stage_.note("member {} crashes", m.index);
  network_.close(m.index, Network::Parting::crash);
  if (m.list) lease_end_[m.life()] = stage_.now();  // There was none; clients rely on it longer.
  m.service.reset();
  m.list.reset();
  m.orders.clear();
  m.ended_free = false;
  ++m.run;
  handlers_.on_crashed(m);
}

void Members::start_if_down(SwarmMember& m) {
  if (!m.runs()) start(m);
}

void Members::sleep(SwarmMember& m, Span length) {
  stage_.note("member {} sleeps", m.index);
  m.asleep_until = stage_.now() + length;
  network_.on_asleep(m.index);
}

void Members::break_engine_connections() {
  for (const auto& m : members_) m->has_gap = true;
}

void Members::heal() {
  network_.heal();
  for (const auto& m : members_) {
    m->engine_cut_until = {};
    start_if_down(*m);
  }
}

}  // namespace hapax
