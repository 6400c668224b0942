// What the service asks of the engine, and what it makes of the answers.
#include <algorithm>
#include <chrono>
#include <utility>

#include "service/service.h"

namespace hapax {

void Service::ask(EngineAsk::Kind kind, Instant now, Orders& orders) {
  EngineAsk ask{kind, keeper().self(), now, {}, {}, 0};
  if (kind == EngineAsk::Kind::announce || kind == EngineAsk::Kind::beat) {
    ask.ttl = lease_.say(now);
    const bool is_usual = ask.ttl == lease_.started().ttl;
    ask.ttl_ms = is_usual ? 0 : static_cast<std::uint32_t>(ask.ttl / std::chrono::milliseconds{1});
  }
  switch (kind) {
    case EngineAsk::Kind::announce:
      is_announcing_ = true;
      lease_.announce(now);
      break;
    case EngineAsk::Kind::beat:
      is_beating_ = true;
      next_beat_ = now + lease_.times().beat_every();
      ++stats_.beats;
      break;
    case EngineAsk::Kind::read:
      is_reading_ = true;
      next_read_ = now + lease_.times().read_every();
      ++stats_.reads;
      break;
    case EngineAsk::Kind::propose:
      ask.proposal = *keeper().pending();
      ++stats_.proposals;
      break;
  }
  orders.asks.push_back(std::move(ask));
}

void Service::set_ttl(Instant now, Span ttl, Span started, Span longest) {
  lease_.set_ttl(ttl, started, longest);
  next_beat_ = std::min(next_beat_, now + lease_.times().beat_every());
  next_read_ = std::min(next_read_, now + lease_.times().read_every());
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
  const bool is_beat = asked.kind != EngineAsk::Kind::propose;
  if (committed && is_beat) {
    lease_.on_acknowledged(asked.sent, asked.ttl);
    if (is_announcement) next_beat_ = asked.sent + lease_.times().beat_every();
  }
  if (outcome == Outcome::unknown && is_beat) lease_.on_unanswered(asked.sent, asked.ttl);
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
  if (committed && is_beat && keeper().is_leased()) orders.leased_until = promised_until();
  settle_time(now, orders);  // It may have taken so long that the lease is over already.
  go_on(now, orders);
}

void Service::on_register(Instant now, const Register& reg, Epoch beyond, Orders& orders) {
  settle_time(now, orders);
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
  look_anew();
  tell_keeper(
      now, [](Keeper& keeper, auto& effects) { keeper.on_went_back(effects); }, orders);
}

void Service::on_unreadable(Instant now, Orders& orders) {
  look_anew();
  is_reading_ = false;
  on_time(now, orders);
}

}  // namespace hapax
