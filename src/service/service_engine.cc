// What the service asks of the engine, and what it makes of the answers.
#include <utility>

#include "service/service.h"

namespace hapax {

void Service::ask(EngineAsk::Kind kind, Instant now, Orders& orders) {
  EngineAsk ask{kind, keeper_.self(), now, {}};
  switch (kind) {
    case EngineAsk::Kind::announce:
      is_announcing_ = true;
      break;
    case EngineAsk::Kind::beat:
      is_beating_ = true;
      next_beat_ = now + times_.beat_every();
      ++stats_.beats;
      break;
    case EngineAsk::Kind::read:
      is_reading_ = true;
      next_read_ = now + times_.read_every();
      ++stats_.reads;
      break;
    case EngineAsk::Kind::propose:
      ask.proposal = *keeper_.pending();
      ++stats_.proposals;
      break;
  }
  orders.asks.push_back(std::move(ask));
}

void Service::announce(Instant now, Orders& orders) {
  settle_time(now, orders);
  if (is_announcing_) return;
  Keeper::Effects effects;
  keeper_.announce(effects);
  carry_out(now, effects, orders);
}

void Service::on_committed(Instant now, const EngineAsk& asked, Outcome outcome, Orders& orders) {
  settle_time(now, orders);
  if (asked.life != keeper_.self()) return;
  Keeper::Effects effects;
  const bool committed = outcome == Outcome::committed;
  switch (asked.kind) {
    case EngineAsk::Kind::announce:
      is_announcing_ = false;
      if (committed) {
        lease_end_ = asked.sent + times_.lease();
        next_beat_ = asked.sent + times_.beat_every();
        orders.leased_until = promised_until();
      }
      keeper_.on_announced(outcome, effects);
      break;
    case EngineAsk::Kind::beat:
      is_beating_ = false;
      if (committed) {
        lease_end_ = asked.sent + times_.lease();
        orders.leased_until = promised_until();
      }
      keeper_.on_beat(outcome, effects);
      break;
    case EngineAsk::Kind::propose:
      keeper_.on_proposed(outcome, effects);
      break;
    case EngineAsk::Kind::read:
      break;
  }
  carry_out(now, effects, orders);
  settle_time(now, orders);  // It may have taken so long that the lease is over already.
  go_on(now, orders);
}

void Service::on_register(Instant now, const Register& reg, Orders& orders) {
  settle_time(now, orders);
  is_reading_ = false;
  if (reg.version >= reg_.version) {
    beats_.look_at(now, reg, keeper_.self());
    reg_ = reg;
    Keeper::Effects effects;
    keeper_.on_register(reg, effects);
    carry_out(now, effects, orders);
  }
  go_on(now, orders);
}

void Service::on_unreadable(Instant now, Orders& orders) {
  is_reading_ = false;
  on_time(now, orders);
}

}  // namespace hapax
