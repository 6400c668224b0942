#include "voting/maekawa_basic.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "voting/voting_theory.h"

namespace hapax {

MaekawaBasic::MaekawaBasic(const View& view, const Options& options)
    : voters_{Constituency{view, options.voting_sets, kGridRule}},
      phase_(view.starts_inside() ? Phase::inside : Phase::idle) {
  if (view.held && voters_.value.contains(view.holder, view.self)) {
    voted_ = true;
    candidate_ = view.holder;
  }
}

std::string MaekawaBasic::standing() const {
  return fields_text(*this,
                     [this](const VoterSeats& seats) { return voters_.value.voters_text(seats); });
}

void MaekawaBasic::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  phase_ = Phase::waiting;
  fx.because("{} asks its voters", self());
  fx.multicast(voters_.value.others(), Request{});
  if (voters_.value.includes_self()) on_request(self(), fx);
}

void MaekawaBasic::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  fx.because("{} leaves and gives its votes back", self());
  fx.multicast(voters_.value.others(), Release{turn_});
  if (voters_.value.includes_self()) on_release(self(), turn_, fx);
}

void MaekawaBasic::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Request&) { on_request(from, fx); },
      [&](const Reply& m) { on_reply(from, m.turn, fx); },
      [&](const Release& m) { on_release(from, m.turn, fx); });
}

void MaekawaBasic::on_request(NodeId from, Effects<Message>& fx) {
  if (!voted_) return vote_for(from, fx);
  fx.because("{} queues {}: it has voted for {}", self(), from, candidate_);
  fx.defer(from);
  queue_.push_back(from);
}

void MaekawaBasic::on_reply(NodeId voter, Turn turn, Effects<Message>& fx) {
  const auto seat = voters_.value.seat_of(voter);
  if (phase_ != Phase::waiting || !seat || !votes_.insert(*seat)) {
    return fx.reject(Reject::not_asked);
  }
  turn_ = std::max(turn_, turn);
  if (votes_.size() < voters_.value.size()) return;
  votes_.clear();
  phase_ = Phase::inside;
  turn_ = next(turn_);
  fx.because("{} enters: it has every vote of its set", self());
  fx.enter(turn_);
}

void MaekawaBasic::on_release(NodeId from, Turn turn, Effects<Message>& fx) {
  if (!voted_ || candidate_ != from) return fx.reject(Reject::not_granted);
  turn_ = std::max(turn_, turn);
  voted_ = false;
  candidate_ = {};
  if (queue_.empty()) return;
  const NodeId first = queue_.front();
  queue_.erase(queue_.begin());
  vote_for(first, fx);
}

void MaekawaBasic::vote_for(NodeId node, Effects<Message>& fx) {
  voted_ = true;
  candidate_ = node;
  fx.because("{} votes for {}", self(), node);
  if (node == self()) {
    on_reply(node, turn_, fx);
  } else {
    fx.send(node, Reply{turn_});
  }
}

// --- what it costs ---

Theory MaekawaBasic::theory(const TheoryInput& in) {
  const VotingRule& rule = VotingRule::in_use(in.choices.voting_sets, kGridRule);
  Theory theory = theory_of_voting(rule, in.n);
  theory.may_deadlock = true;
  return theory;
}

}  // namespace hapax
