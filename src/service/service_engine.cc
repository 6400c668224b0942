// What the service asks of the engine, and what it makes of the answers.
#include <utility>

#include "service/service.h"

namespace hapax {

void Service::ask(EngineAsk::Kind kind, Instant now, Orders& orders) {
  EngineAsk ask{kind, keeper().self(), now, {}};
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
      ask.proposal = *keeper().pending();
      ++stats_.proposals;
      break;
  }
  orders.asks.push_back(std::move(ask));
}

void Service::announce(Instant now, Orders& orders) {
  settle_time(now, orders);
  if (is_announcing_) return;
  tell_keeper(
      now, [](Keeper& keeper, auto& effects) { keeper.announce(effects); }, orders);
}

void Service::on_committed(Instant now, const EngineAsk& asked, Outcome outcome, Orders& orders) {
  settle_time(now, orders);
  if (asked.life != keeper().self()) return;
  const bool committed = outcome == Outcome::committed;
  const bool is_announcement = asked.kind == EngineAsk::Kind::announce;
  if (is_announcement) is_announcing_ = false;
  if (asked.kind == EngineAsk::Kind::beat) is_beating_ = false;
  if (committed && asked.kind != EngineAsk::Kind::propose) {
    lease_end_ = asked.sent + times_.lease();
    if (is_announcement) next_beat_ = asked.sent + times_.beat_every();
    orders.leased_until = promised_until();
  }
  const auto answer = [&](Keeper& keeper, Keeper::Effects& effects) {
    switch (asked.kind) {
      case EngineAsk::Kind::announce:
        return keeper.on_announced(outcome, effects);
      case EngineAsk::Kind::beat:
        return keeper.on_beat(outcome, effects);
      case EngineAsk::Kind::propose:
        return keeper.on_proposed(outcome, effects);
      case EngineAsk::Kind::read:
        return;
    }
  };
  tell_keeper(now, answer, orders);
  settle_time(now, orders);  // It may have taken so long that the lease is over already.
  go_on(now, orders);
}

void Service::on_register(Instant now, Instant asked, const Register& reg, Epoch beyond,
                          Orders& orders) {
  settle_time(now, orders);
  if (sight_.is_too_old(asked)) return on_unreadable(now, orders);
  is_reading_ = false;
  if (!sight_.look_at(now, reg)) {
    beats_.clear();
    tell_keeper(
        now, [](Keeper& keeper, auto&) { keeper.look_anew(); }, orders);
  }
  beats_.look_at(now, reg, keeper().self());
  reg_ = reg;
  const auto read = [&](Keeper& keeper, auto& effects) {
    keeper.on_register(reg, effects, beyond);
  };
  tell_keeper(now, read, orders);
  go_on(now, orders);
}

void Service::on_went_back(Instant now, Orders& orders) {
  settle_time(now, orders);
  tell_keeper(
      now, [](Keeper& keeper, auto& effects) { keeper.on_went_back(effects); }, orders);
}

void Service::on_unreadable(Instant now, Orders& orders) {
  look_anew();
  is_reading_ = false;
  on_time(now, orders);
}

}  // namespace hapax
