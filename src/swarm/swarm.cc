#include "swarm/swarm.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "locks/policy.h"
#include "service/orders.h"
#include "service/service.h"
#include "swarm/agenda.h"
#include "swarm/referee.h"
#include "swarm/virtual_engine.h"

namespace hapax {
namespace {

class Swarm {
 public:
  Swarm(const SwarmPlan& plan, std::size_t log)
      : plan_(plan), prng_(plan.seed ^ 0x5a), log_(log), referee_(plan.units) {
    const auto parsed = Policy::parse(plan.lock_kind(), {});
    HAPAX_CHECK(parsed.has_value());
    for (std::uint32_t i = 0; i < plan_.members; ++i) {
      members_.push_back(std::make_unique<Member>());
      Member& m = *members_.back();
      m.index = i;
      const auto drift = static_cast<double>(prng_.below(2 * plan_.drift + 1)) - plan_.drift;
      m.rate = 1.0 + drift / 10'000;
      m.policy = *parsed;
      start(m);
      schedule_fault(m);
    }
    for (std::uint32_t i = 0; i < plan_.clients; ++i) {
      clients_.push_back({});
      clients_.back().home = i % plan_.members;
      think(i);
    }
  }

  SwarmReport run() {
    advance_to(plan_.unsafe);
    heal();
    const Instant end = plan_.unsafe + 24 * plan_.times.ttl +
                        plan_.clients * (20 * (plan_.hold + plan_.think) + 400 * plan_.latency);
    while (!everybody_is_served() && referee_.violation().empty() && agenda_.step(end)) {
      ++report_.events;
    }
    if (!everybody_is_served()) {
      for (std::uint32_t c = 0; c < plan_.clients; ++c) {
        if (clients_[c].served_after_heal) continue;
        referee_.violated("client {} is not served although all is healed", c);
      }
    }
    report_.violation = referee_.violation();
    report_.views = number(engine_.reg.roll.epoch);
    report_.log.assign(lines_.begin(), lines_.end());
    return report_;
  }

 private:
  struct Member final : Holders {
    std::uint32_t index = 0;
    double rate = 1.0;  // Of its clock.
    Policy policy;
    std::unique_ptr<Service> service;  // Null: crashed.
    std::uint64_t run = 0;             // Grows with every start: what is older does not reach it.
    Instant paused_until{};
    Instant engine_cut_until{};
    Instant armed{};  // For when on_time() is entered in the agenda; 0: it is not.
    Orders orders;
    bool is_inside(WaiterId) override { return true; }
  };
  struct Client {
    std::uint32_t home = 0;
    enum class State { idle, waiting, inside } state = State::idle;
    std::string lock;
    WaiterId waiter{};
    Want want = Want::exclusive;
    Fence fence;
    std::uint64_t work = 0;  // Grows with every entry: what belongs to an earlier one is late.
    bool served_after_heal = false;
  };

  // --- time and chance ---

  Span about(Span mean) {
    return Span{static_cast<std::int64_t>(-std::log(1.0 - prng_.unit()) *
                                          static_cast<double>(mean.count()))};
  }
  Instant local(const Member& m, Instant t) const {
    return Instant{static_cast<std::int64_t>(static_cast<double>(t.count()) * m.rate) + 1};
  }
  // When the member's clock shows `t`, or a bit later.
  Instant global(const Member& m, Instant t) const {
    return Instant{static_cast<std::int64_t>(static_cast<double>(t.count()) / m.rate) + 2};
  }
  void advance_to(Instant end) {
    while (referee_.violation().empty() && agenda_.step(end)) ++report_.events;
  }
  template <class... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    if (log_ == 0) return;
    lines_.push_back(fmt::format("{:>10.3f} ms  {}",
                                 static_cast<double>(agenda_.now().count()) / 1e6,
                                 fmt::format(format, std::forward<Args>(args)...)));
    if (lines_.size() > log_) lines_.pop_front();
  }

  // Does something at a member: at once, when it wakes up, or never if it has crashed meanwhile.
  void at_member(Member& m, std::uint64_t run, std::function<void(Member&)> what) {
    if (m.run != run || !m.service) return;
    if (agenda_.now() < m.paused_until) {
      agenda_.at(m.paused_until,
                 [this, &m, run, what = std::move(what)] { at_member(m, run, what); });
      return;
    }
    what(m);
    carry_out(m);
  }

  // --- members ---

  void start(Member& m) {
    ++m.run;
    m.service = std::make_unique<Service>(m.policy, plan_.times, m);
    m.service->be_born(next_life(m));
    m.armed = {};
    note("member {} starts as life {}", m.index, m.service->keeper().self());
    carry_out(m);
    agenda_.after(plan_.latency, [this, &m, run = m.run] { announce(m, run); });
  }
  Life next_life(const Member& m) {
    const Life life{++last_life_};
    member_of_[life] = m.index;
    engine_.enlist(life);
    return life;
  }

  // As soon as it is connected to everybody.
  void announce(Member& m, std::uint64_t run) {
    if (m.run != run || !m.service) return;
    at_member(m, run, [this](Member& me) {
      const bool is_read = me.service->stats().reads > 0;
      if (me.service->keeper().standing() == Standing::outside && is_read && !is_cut_off(me)) {
        me.service->announce(local(me, agenda_.now()), me.orders);
      }
    });
    if (m.service->keeper().standing() != Standing::outside) return;
    agenda_.after(plan_.times.ttl / 10, [this, &m, run] { announce(m, run); });
  }
  bool is_cut_off(const Member& m) const {
    for (const auto& other : members_) {
      if (cut_until(m.index, other->index) > agenda_.now()) return true;
      if (cut_until(other->index, m.index) > agenda_.now()) return true;
    }
    return false;
  }

  // Everything that the service has ordered, and the alarm for when it has to be called next.
  void carry_out(Member& m) {
    Orders orders = std::exchange(m.orders, {});
    for (const WaiterId waiter : orders.lost) on_lost(waiter, orders.ended);
    note_lease(m);
    for (const Grant& grant : orders.grants) on_granted(m, grant);
    const Life self = m.service->keeper().self();
    for (const Orders::Send& send : orders.sends) {
      const auto bytes = orders.bytes(send);
      transmit(m.index, self, send.to, {bytes.begin(), bytes.end()});
    }
    for (const EngineAsk& ask : orders.asks) ask_engine(m, ask);
    for (const Orders::Complaint& c : orders.complaints) {
      referee_.violated("life {} {}", c.peer, c.text);
    }
    if (orders.begun) {
      note("member {} begins view {}", m.index, m.service->keeper().roll().epoch);
    }
    if (orders.ended) {
      const Life life = next_life(m);
      note("member {} ends and comes back as life {}", m.index, life);
      m.service->be_born(life);
      ++m.run;  // What was sent to the old life does not reach the new one.
      m.armed = {};
      agenda_.after(plan_.latency, [this, &m, run = m.run] { announce(m, run); });
    }
    arm(m);
  }
  // Until when, in true time, a life's clients may rely on it.
  void note_lease(const Member& m) {
    const Keeper& keeper = m.service->keeper();
    if (keeper.is_leased()) lease_end_[keeper.self()] = global(m, m.service->lease_deadline());
  }
  void arm(Member& m) {
    const Instant next = m.service->next_deadline();
    if (next == Instant::max()) return;
    const Instant when = std::max(global(m, next), agenda_.now());
    if (m.armed != Instant{} && m.armed <= when && m.armed > agenda_.now()) return;
    m.armed = std::max(when, agenda_.now() + Span{1});
    agenda_.at(m.armed, [this, &m, run = m.run, when = m.armed] {
      if (m.run != run || m.armed != when) return;
      at_member(m, run, [this](Member& me) {
        me.armed = {};
        me.service->on_time(local(me, agenda_.now()), me.orders);
      });
    });
  }

  // --- the network: reliable and FIFO, but for how long it takes ---

  Instant& cut(std::uint32_t from, std::uint32_t to) { return cuts_[{from, to}]; }
  Instant cut_until(std::uint32_t from, std::uint32_t to) const {
    const auto at = cuts_.find({from, to});
    return at == cuts_.end() ? Instant{} : at->second;
  }
  void transmit(std::uint32_t from, Life self, Life to, Bytes frame) {
    const auto at = member_of_.find(to);
    HAPAX_CHECK(at != member_of_.end());
    Member& m = *members_[at->second];
    const Instant arrival = std::max(agenda_.now() + about(plan_.latency), last_[{self, to}]);
    last_[{self, to}] = arrival;
    arrive(m, m.run, from, self, to, std::make_shared<const Bytes>(std::move(frame)), arrival);
  }
  // What is under way while the link is cut waits until it is mended, behind what waits already.
  void arrive(Member& m, std::uint64_t run, std::uint32_t from, Life self, Life to,
              std::shared_ptr<const Bytes> frame, Instant when) {
    agenda_.at(when, [=, this, &m] {
      const Instant open = cut_until(from, m.index);
      if (open > agenda_.now()) {
        last_[{self, to}] = std::max(last_[{self, to}], open);
        return arrive(m, run, from, self, to, frame, open);
      }
      at_member(m, run, [=, this](Member& me) {
        if (me.service->keeper().self() != to) return;
        me.service->on_frame(local(me, agenda_.now()), self, *frame, me.orders);
      });
    });
  }

  // --- the engine ---

  void ask_engine(Member& m, const EngineAsk& ask) {
    const bool is_deaf = agenda_.now() < m.engine_cut_until;
    const bool loses = !healed_ && prng_.below(1'000) < plan_.lost_answers;
    const bool reaches = !is_deaf && (!loses || prng_.below(2) == 0);
    const bool answers = !is_deaf && !loses;
    const Instant there = agenda_.now() + about(plan_.engine_latency);
    auto outcome = std::make_shared<Outcome>(Outcome::unknown);
    auto reg = std::make_shared<std::optional<Register>>();
    if (reaches) {
      agenda_.at(there, [this, ask, outcome, reg] {
        *outcome = hapax::carry_out(engine_, ask);
        *reg = engine_.reg;
      });
    }
    const Instant limit = agenda_.now() + plan_.times.engine_limit();
    const Instant answer = answers ? there + about(plan_.engine_latency) : limit;
    agenda_.at(std::min(answer, limit), [=, this, &m, run = m.run, late = answer >= limit] {
      at_member(m, run, [=, this](Member& me) {
        const Instant now = local(me, agenda_.now());
        if (ask.kind != EngineAsk::Kind::read) {
          const Outcome told = answers && !late ? *outcome : Outcome::unknown;
          me.service->on_committed(now, ask, told, me.orders);
        } else if (answers && !late && *reg) {
          me.service->on_register(now, **reg, me.orders);
        } else {
          me.service->on_unreadable(now, me.orders);
        }
      });
    });
  }

  // --- clients ---

  Client& client_of(WaiterId waiter) { return clients_[(number(waiter) - 1) % plan_.clients]; }

  void think(std::uint32_t c) {
    agenda_.after(about(plan_.think), [this, c] { ask(c); });
  }
  void ask(std::uint32_t c) {
    Client& client = clients_[c];
    Member& m = *members_[client.home];
    // Nobody answers there; it tries again.
    if (!m.service || agenda_.now() < m.paused_until) return think(c);
    client.lock = fmt::format("lock-{}", prng_.below(plan_.locks));
    client.waiter = WaiterId{1 + c + plan_.clients * ++asked_};
    client.want = draw_want();
    client.state = Client::State::waiting;
    at_member(m, m.run, [this, client](Member& me) {
      const auto asked = me.service->acquire(local(me, agenda_.now()), client.lock, client.waiter,
                                             client.want, me.orders);
      HAPAX_CHECK(asked.has_value());
    });
    if (prng_.below(100) < plan_.give_up) {
      agenda_.after(about(plan_.hold), [this, c, waiter = client.waiter] { give_up(c, waiter); });
    }
  }
  Want draw_want() {
    if (plan_.has_units()) return Want::unit;
    return plan_.readers > 0 && prng_.below(100) < plan_.readers ? Want::shared : Want::exclusive;
  }
  void give_up(std::uint32_t c, WaiterId waiter) {
    Client& client = clients_[c];
    Member& m = *members_[client.home];
    if (client.waiter != waiter || client.state != Client::State::waiting || !m.service) return;
    at_member(m, m.run, [this, c, waiter](Member& me) {
      Client& mine = clients_[c];
      if (mine.waiter != waiter || mine.state != Client::State::waiting) return;
      if (!me.service->abandon(local(me, agenda_.now()), mine.lock, waiter, me.orders)) return;
      mine.state = Client::State::idle;
      think(c);
    });
  }

  void on_granted(const Member& m, const Grant& grant) {
    Client& client = client_of(grant.waiter);
    HAPAX_CHECK(client.waiter == grant.waiter);
    const auto c = static_cast<std::uint32_t>(&client - clients_.data());
    const Life life = m.service->keeper().self();
    note("client {} at member {} enters {} with {}", c, m.index, client.lock, grant.fence);
    referee_.entered(client.lock, grant.waiter, static_cast<std::uint32_t>(number(life)),
                     grant.fence, client.want,
                     [this](std::uint32_t l) { return agenda_.now() < lease_end_[Life{l}]; });
    client.state = Client::State::inside;
    client.fence = grant.fence;
    client.served_after_heal = healed_;
    ++report_.entries;
    const std::uint64_t work = ++client.work;
    const Span hold = about(plan_.hold);
    // Where several may be inside, there is nothing for them to update one at a time.
    if (plan_.units == 1) use_what_is_guarded(client, hold / 2);
    agenda_.after(hold, [this, c, work] { finish(c, work); });
  }
  // It reads now, and after a while reads again or writes, whatever it has been told meanwhile: it
  // may have slept.
  void use_what_is_guarded(const Client& client, Span after) {
    const Referee::Reading reading = referee_.read(client.lock, client.fence, client.want);
    if (!reading.admitted) return;
    if (prng_.below(20) == 0) after += 2 * plan_.times.ttl;
    agenda_.after(after, [this, lock = client.lock, fence = client.fence, want = client.want,
                          value = reading.value] {
      if (want == Want::shared) {
        if (!referee_.read_again(lock, fence, value)) ++report_.stale_refused;
      } else {
        referee_.write(lock, fence, value) ? ++report_.updates : ++report_.stale_refused;
      }
    });
  }
  void finish(std::uint32_t c, std::uint64_t work) {
    Client& client = clients_[c];
    if (client.work != work || client.state != Client::State::inside) return;
    Member& m = *members_[client.home];
    at_member(m, m.run, [this, c, work](Member& me) {
      Client& mine = clients_[c];
      if (mine.work != work || mine.state != Client::State::inside) return;
      referee_.left(mine.lock, mine.waiter);
      // Refused if the lease has run out by now: then it is being told so.
      const bool released =
          me.service
              ->release(local(me, agenda_.now()), mine.lock, mine.waiter, std::nullopt, me.orders)
              .has_value();
      if (!released) return;
      mine.state = Client::State::idle;
      think(c);
    });
  }
  void on_lost(WaiterId waiter, bool life_ended) {
    Client& client = client_of(waiter);
    if (client.waiter != waiter || client.state != Client::State::inside) return;
    const auto c = static_cast<std::uint32_t>(&client - clients_.data());
    note("client {} has lost {}", c, client.lock);
    // By its own clock it has left when the lease is over. If its member's life ends before that,
    // it need not have heard of it yet, and counts as inside.
    if (!life_ended) referee_.left(client.lock, waiter);
    client.state = Client::State::idle;
    ++report_.lost;
    think(c);
  }

  // --- faults ---

  void schedule_fault(Member& m) {
    agenda_.after(about(plan_.fault_every), [this, &m] {
      if (healed_) return;
      strike(m);
      schedule_fault(m);
    });
  }
  void strike(Member& m) {
    if (!m.service || agenda_.now() < m.paused_until) return;
    ++report_.faults;
    const Span length = std::min(about(2 * plan_.times.ttl), 8 * plan_.times.ttl);
    std::uint64_t dice = prng_.below(100);
    const auto falls = [&](std::uint32_t share) {
      const bool hit = dice < share;
      dice = hit ? 0 : dice - share;
      return hit;
    };
    if (falls(plan_.crashes)) {
      crash(m, length);
    } else if (falls(plan_.pauses)) {
      note("member {} sleeps", m.index);
      m.paused_until = agenda_.now() + length;
    } else if (falls(plan_.cuts)) {
      cut_link(m, length);
    } else if (falls(plan_.engine_cuts)) {
      note("member {} does not reach the engine", m.index);
      m.engine_cut_until = agenda_.now() + length;
    } else if (falls(plan_.leaves)) {
      note("member {} leaves", m.index);
      at_member(m, m.run,
                [this](Member& me) { me.service->leave(local(me, agenda_.now()), me.orders); });
    } else if (falls(plan_.evictions)) {
      note("member {} is evicted", m.index);
      engine_.evict(m.service->keeper().self());
    }
  }
  void crash(Member& m, Span length) {
    note("member {} crashes", m.index);
    m.service.reset();
    ++m.run;
    for (std::uint32_t c = 0; c < plan_.clients; ++c) {
      Client& client = clients_[c];
      if (client.home != m.index || client.state == Client::State::idle) continue;
      // Its client, another process, may go on working until the lease is over.
      client.state = Client::State::idle;
      ++client.work;
      think(c);
    }
    agenda_.after(length, [this, &m] {
      if (!m.service) start(m);
    });
  }
  void cut_link(Member& m, Span length) {
    const auto other = static_cast<std::uint32_t>(prng_.below(plan_.members));
    if (other == m.index) return;
    const bool both = prng_.below(2) == 0;
    const Instant until = agenda_.now() + length;
    note("members {} and {} are cut off{}", m.index, other, both ? "" : ", one way");
    cut(m.index, other) = std::max(cut(m.index, other), until);
    if (both) cut(other, m.index) = std::max(cut(other, m.index), until);
    if (length < plan_.times.ttl) return;
    // Of two that cannot reach each other for a TTL, one gives way.
    Member& higher = *members_[std::max(m.index, other)];
    agenda_.after(plan_.times.ttl, [this, &higher, run = higher.run] {
      if (!is_cut_off(higher)) return;
      at_member(higher, run, [this](Member& me) {
        if (me.service->keeper().standing() == Standing::outside) return;
        note("member {} gives way", me.index);
        me.service->leave(local(me, agenda_.now()), me.orders);
      });
    });
  }

  void heal() {
    note("all is healed");  // Sleepers wake up by themselves.
    healed_ = true;
    cuts_.clear();
    for (const auto& m : members_) {
      m->engine_cut_until = {};
      if (!m->service) start(*m);
    }
  }
  bool everybody_is_served() const {
    return healed_ && std::all_of(clients_.begin(), clients_.end(),
                                  [](const Client& c) { return c.served_after_heal; });
  }

  const SwarmPlan& plan_;
  Prng prng_;
  std::size_t log_;
  std::deque<std::string> lines_;
  Agenda agenda_;
  EngineRegister engine_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<Client> clients_;
  std::map<Life, std::uint32_t> member_of_;
  std::map<Life, Instant> lease_end_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Instant> cuts_;
  std::map<std::pair<Life, Life>, Instant> last_;
  std::uint64_t last_life_ = 0;
  std::uint64_t asked_ = 0;
  bool healed_ = false;
  Referee referee_;
  SwarmReport report_;
};

}  // namespace

SwarmReport run_swarm(const SwarmPlan& plan, std::size_t log) { return Swarm{plan, log}.run(); }

}  // namespace hapax
