#include "mutex/bakery.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/match.h"

namespace hapax {

Bakery::Bakery(const View& view)
    : self_{view.self},
      size_{view.size},
      phase_(view.starts_inside() ? Phase::inside : Phase::idle),
      number_(view.starts_inside() ? 1 : 0) {}

void Bakery::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  phase_ = Phase::waiting;
  fx.because("{} is in the doorway and reads all numbers", self_.value);
  read_all(Round::numbers, ReadNumber{}, fx);
}

void Bakery::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  number_ = 0;
  if (deferred_.empty()) return;
  fx.because("{} leaves and lets those pass who waited behind its ticket", self_.value);
  fx.multicast(deferred_, Passed{turn_});
  deferred_.clear();
}

void Bakery::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const ReadNumber&) { on_read_number(from, fx); },
      [&](const Number& m) { on_number(from, m.number, fx); },
      [&](const ReadChosen&) { on_read_chosen(from, fx); },
      [&](const Chosen&) { on_chosen(from, fx); },
      [&](const ReadTurn& m) { on_read_turn(from, m.number, fx); },
      [&](const Passed& m) { on_passed(from, m.turn, fx); });
}

// --- the owner of `choosing` and `number` ---

void Bakery::on_read_number(NodeId from, Effects<Message>& fx) {
  const std::uint64_t number = is_choosing() ? 0 : number_;
  fx.because("{} tells {} its number, {}", self_.value, from, number);
  fx.send(from, Number{number});
}

void Bakery::on_read_chosen(NodeId from, Effects<Message>& fx) {
  if (is_choosing()) {
    fx.because("{} keeps {} waiting: it is choosing a number", self_.value, from);
    fx.defer(from);
    defer(from, fx);
  } else {
    fx.because("{} tells {} that it is not choosing", self_.value, from);
    fx.send(from, Chosen{});
  }
}

void Bakery::on_read_turn(NodeId from, std::uint64_t number, Effects<Message>& fx) {
  if (number == 0) {
    fx.because("{} refuses to let {} pass: it has no ticket", self_.value, from);
    fx.reject(Reject::not_granted);
  } else if (precedes(from, number)) {
    fx.because("{} keeps {} waiting: own ticket ({},{}) precedes ({},{})", self_.value, from,
               number_, self_.value, number, from);
    fx.defer(from);
    defer(from, fx);
  } else {
    fx.because("{} lets {} pass: it has no ticket before ({},{})", self_.value, from, number, from);
    fx.send(from, Passed{turn_});
  }
}

// Equal tickets: the lower id goes first, so both sides agree.
bool Bakery::precedes(NodeId reader, std::uint64_t number) const {
  if (is_choosing() || number_ == 0) return false;
  return std::pair{number_, self_.value} < std::pair{number, reader};
}

void Bakery::defer(NodeId from, Effects<Message>& fx) {
  if (deferred_.insert(from)) return;
  fx.because("{} refuses a second question of {}: it owes the first answer", self_.value, from);
  fx.reject(Reject::asked_twice);
}

// --- the reader ---

void Bakery::on_number(NodeId from, std::uint64_t number, Effects<Message>& fx) {
  if (number == std::numeric_limits<std::uint64_t>::max()) {
    fx.because("{} refuses the number of {}: none is larger", self_.value, from);
    fx.reject(Reject::not_granted);
    return;
  }
  if (!is_awaited(from, Round::numbers, fx)) return;
  number_ = std::max(number_, number);
  finish_round_if_answered(fx);
}

void Bakery::on_chosen(NodeId from, Effects<Message>& fx) {
  if (is_awaited(from, Round::chosen, fx)) finish_round_if_answered(fx);
}

void Bakery::on_passed(NodeId from, Turn turn, Effects<Message>& fx) {
  if (!is_awaited(from, Round::turns, fx)) return;
  turn_ = std::max(turn_, turn);
  finish_round_if_answered(fx);
}

// Strikes `from` off, if its answer of this round is missing.
bool Bakery::is_awaited(NodeId from, Round round, Effects<Message>& fx) {
  if (round_ == round && awaiting_.erase(from)) return true;
  fx.because("{} refuses an answer of {}: it has not asked for it", self_.value, from);
  fx.reject(Reject::not_asked);
  return false;
}

void Bakery::read_all(Round round, const Message& question, Effects<Message>& fx) {
  round_ = round;
  awaiting_ = NodeSet::all_below(size_);
  awaiting_.erase(self_);
  if (!awaiting_.empty()) fx.send_to_others(question);
  finish_round_if_answered(fx);
}

void Bakery::finish_round_if_answered(Effects<Message>& fx) {
  if (!awaiting_.empty()) return;
  switch (round_) {
    case Round::none:
      break;
    case Round::numbers:
      choose(fx);
      break;
    case Round::chosen:
      fx.because("{} reads whether its turn has come: everybody else has chosen", self_.value);
      read_all(Round::turns, ReadTurn{number_}, fx);
      break;
    case Round::turns:
      enter(fx);
      break;
  }
}

void Bakery::choose(Effects<Message>& fx) {
  ++number_;
  fx.because("{} draws ticket {}: one more than the largest it has read", self_.value, number_);
  fx.multicast(deferred_, Chosen{});
  deferred_.clear();
  fx.because("{} reads who else is choosing", self_.value);
  read_all(Round::chosen, ReadChosen{}, fx);
}

void Bakery::enter(Effects<Message>& fx) {
  round_ = Round::none;
  phase_ = Phase::inside;
  turn_ = next(turn_);
  fx.because("{} enters with turn {}: nobody has a ticket before ({},{})", self_.value, turn_,
             number_, self_.value);
  fx.enter(turn_);
}

// --- what it costs ---

Theory Bakery::theory(const TheoryInput& in) {
  Theory theory = by_asking_all(6.0 * (in.n - 1), "6(N-1)");
  theory.client_delay = {6, "6T"};
  return theory;
}

}  // namespace hapax
