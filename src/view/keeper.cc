#include "view/keeper.h"

#include <algorithm>

#include "base/check.h"

namespace hapax {

void Keeper::announce(Effects& fx) {
  HAPAX_CHECK(standing_ == Standing::outside);
  fx.announce = true;
}

void Keeper::on_announced(Outcome outcome, Effects& fx) {
  if (standing_ != Standing::outside) return;
  switch (outcome) {
    case Outcome::committed:
      standing_ = Standing::announced;
      leased_ = !lapsed_;
      fx.read = true;
      break;
    case Outcome::conflict:  // An earlier attempt has succeeded; or we were shut out meanwhile.
      refused_ = true;
      fx.read = true;
      break;
    case Outcome::unknown:
      fx.read = true;
      break;
  }
}

void Keeper::beat_due(Effects& fx) {
  const bool counts = standing_ != Standing::outside && standing_ != Standing::ended;
  fx.beat = counts && !leaving_ && !lapsed_;
}

void Keeper::on_beat(Outcome outcome, Effects& fx) {
  if (standing_ == Standing::ended) return;
  if (outcome == Outcome::committed && !lapsed_) leased_ = true;
  if (outcome == Outcome::conflict) end(fx);
}

void Keeper::lease_ended(Effects& fx) {
  if (!leased_) return;
  leased_ = false;
  fx.lost = true;
}

void Keeper::on_register(const Register& now, Effects& fx, Epoch beyond) {
  if (standing_ == Standing::ended) return;
  if (standing_ == Standing::outside) {
    if (now.beat_of(self_) == nullptr && !lapsed_) {
      if (refused_) end(fx);
      return;
    }
    // Announced by an attempt whose answer was lost. There is no lease before the next beat.
    standing_ = Standing::announced;
    refused_ = false;
  }
  if (now.beat_of(self_) == nullptr || lapsed_) return end(fx);
  if (is_member() && now.roll != roll_ && !now.roll.comes_after(roll_.epoch)) return end(fx);
  if (!now.roll.members.empty()) founds_ = false;
  if (now.roll.epoch > roll_.epoch) learn(now.roll, fx);
  std::erase_if(overdue_, [&](const Beat& beat) {
    return now.sight_of(beat.life) != beat || (beat.version == 0 && !now.roll.has(beat.life));
  });
  if (stage_ != Stage::reading) return;
  pending_ = proposal_from(now, beyond);
  stage_ = pending_ ? Stage::committing : Stage::none;
  fx.proposal = pending_;
}

void Keeper::on_overdue(const Beat& beat) {
  if (beat.life == self_) return;
  std::erase_if(overdue_, [&](const Beat& other) { return other.life == beat.life; });
  overdue_.push_back(beat);
  std::sort(overdue_.begin(), overdue_.end(),
            [](const Beat& a, const Beat& b) { return a.life < b.life; });
}

void Keeper::renew_view() { renewing_ = is_member(); }

void Keeper::leave(Effects& fx) {
  fx.recall = !leaving_;
  leaving_ = true;
}

void Keeper::drained() {
  HAPAX_CHECK(leaving_);
  drained_ = true;
}

void Keeper::retire(Effects& fx) {
  HAPAX_CHECK(leaving_);
  end(fx);
}

void Keeper::propose(Effects& fx) {
  if (stage_ != Stage::none || standing_ == Standing::outside || standing_ == Standing::ended) {
    return;
  }
  stage_ = Stage::reading;
  fx.read = true;
}

void Keeper::on_proposed(Outcome outcome, Effects& fx) {
  if (stage_ != Stage::committing) return;
  HAPAX_CHECK(pending_.has_value());
  const Roll next = std::move(pending_->next);
  pending_.reset();
  stage_ = Stage::none;
  if (outcome == Outcome::committed) {
    learn(next, fx);
  } else {
    fx.read = true;  // Somebody else was first, or it happened and nobody told us.
  }
}

void Keeper::on_report(Life from, Epoch epoch, Effects& fx) {
  if (standing_ != Standing::changing || epoch != roll_.epoch || !roll_.has(from)) return;
  const auto at = std::lower_bound(reported_.begin(), reported_.end(), from);
  if (at != reported_.end() && *at == from) return;
  reported_.insert(at, from);
  begin_if_complete(fx);
}

Keeper::Handling Keeper::what_to_do_with_report(Epoch epoch) const {
  if (standing_ == Standing::ended || epoch < roll_.epoch) return Handling::drop;
  if (epoch > roll_.epoch) return Handling::keep;
  return standing_ == Standing::changing ? Handling::handle : Handling::drop;
}

Keeper::Handling Keeper::what_to_do_with_message(Epoch epoch) const {
  if (standing_ == Standing::ended || epoch < roll_.epoch) return Handling::drop;
  if (epoch > roll_.epoch) return Handling::keep;
  return standing_ == Standing::running ? Handling::handle : Handling::keep;
}

bool Keeper::has_reported(Life life) const {
  return std::binary_search(reported_.begin(), reported_.end(), life);
}

bool Keeper::is_due(const Register& now) const { return proposal_from(now).has_value(); }

// --- inside ---

// Its beat stood still, and is still the same. Whoever deletes the beat of a member does not end
// its lease: it is waited for as if the beat stood still.
bool Keeper::is_gone(const Register& now, Life life) const {
  if (life == self_) return leaving_ && drained_;
  return std::find(overdue_.begin(), overdue_.end(), now.sight_of(life)) != overdue_.end();
}

std::optional<Proposal> Keeper::proposal_from(const Register& now, Epoch beyond) const {
  if (now.beat_of(self_) == nullptr || (now.roll.members.empty() && !founds_)) return std::nullopt;
  const Epoch highest = std::max({now.roll.epoch, roll_.epoch, is_member() ? Epoch{} : beyond});
  Proposal proposal{now.version, now.roll.next(Epoch{number(highest) + 1}), {}};
  for (const Beat& beat : now.beats) {
    if (proposal.gone.size() < kMostGone && is_gone(now, beat.life)) proposal.gone.push_back(beat);
  }
  const auto goes = [&](Life life) {
    const Beat* there = now.beat_of(life);
    if (there == nullptr) return is_gone(now, life);
    return std::find(proposal.gone.begin(), proposal.gone.end(), *there) != proposal.gone.end();
  };
  for (const Life life : now.roll.members) {
    if (!goes(life)) proposal.next.members.push_back(life);
  }
  for (const Beat& beat : now.beats) {
    if (proposal.next.members.size() == Roll::kMostMembers) break;  // The others come next.
    if (!goes(beat.life) && !now.roll.has(beat.life)) proposal.next.members.push_back(beat.life);
  }
  const bool same = proposal.next.members == now.roll.members && proposal.gone.empty();
  // An engine that went back may have us in a view that is too low to begin.
  const bool is_too_low =
      standing_ == Standing::announced && now.roll.has(self_) && now.roll.epoch <= roll_.epoch;
  const bool is_renewed = is_member() && renewing_ && now.roll.epoch == roll_.epoch;
  if (same && !is_renewed && !is_too_low) return std::nullopt;
  return proposal;
}

void Keeper::learn(const Roll& roll, Effects& fx) {
  if (roll.epoch <= roll_.epoch) return;
  if (lapsed_) return end(fx);
  if (!roll.has(self_)) {
    // We are out: we left, or were given up on. A life that only waits to get in goes on waiting.
    if (is_member()) end(fx);
    return;
  }
  // Even if it stopped for an earlier view, which is skipped: what it held then it still holds.
  fx.stop = fx.stop || standing_ == Standing::running;
  standing_ = Standing::changing;
  renewing_ = false;
  roll_ = roll;
  reported_ = {self_};
  fx.report = true;
  begin_if_complete(fx);
}

void Keeper::begin_if_complete(Effects& fx) {
  if (reported_.size() != roll_.members.size()) return;
  standing_ = Standing::running;
  reported_.clear();
  fx.begin = true;
}

void Keeper::end(Effects& fx) {
  fx.lost = fx.lost || leased_;
  fx.ended = true;
  *this = Keeper{self_, roll_.epoch};
  standing_ = Standing::ended;
}

}  // namespace hapax
