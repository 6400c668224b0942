#include "voting/voting_mutex.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"

namespace hapax {

VotingMutex::VotingMutex(const View& view, const Options& options, const VotingRule& own)
    : voters_{Constituency{view, options.voting_sets, own}},
      phase_(view.starts_inside() ? Phase::inside : Phase::idle) {
  // The voters of a member that starts inside have voted for it, with a request before all others.
  if (view.held && voters_.value.contains(view.holder, view.self)) {
    voted_ = true;
    candidate_ = view.holder;
  }
}

std::string VotingMutex::standing() const {
  const auto seats = [this](const VoterSeats& some) { return voters_.value.voters_text(some); };
  return fields_text(*this, [&seats](const Box<Bid>& bid) {
    return bid ? fmt::format("BID({})", fields_text(*bid, seats)) : to_text(bid);
  });
}

bool VotingMutex::is_sound() const {
  if (!bid_) return phase_ != Phase::waiting;
  const auto are_seats = [this](const VoterSeats& seats) {
    return std::all_of(seats.begin(), seats.end(), [this](VoterSeat seat) {
      return static_cast<std::uint32_t>(seat) < voters_.value.size();
    });
  };
  return phase_ == Phase::waiting && are_seats(bid_->votes) && are_seats(bid_->failed) &&
         are_seats(bid_->pending);
}

void VotingMutex::say(NodeId to, const Message& message, Effects<Message>& fx) {
  if (to == self()) {
    receive(to, message, fx);
  } else {
    fx.send(to, message);
  }
}

void VotingMutex::request(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::idle);
  clock_ = next(clock_);
  phase_ = Phase::waiting;
  bid_.fill({});
  const Request message{clock_};
  fx.because("{} asks its voters with {}", self(), Stamp{clock_, self()});
  fx.multicast(voters_.value.others(), message);
  if (voters_.value.includes_self()) receive(self(), message, fx);
}

void VotingMutex::release(Effects<Message>& fx) {
  HAPAX_CHECK(phase_ == Phase::inside);
  phase_ = Phase::idle;
  const Release message{clock_};
  fx.because("{} leaves and gives its votes back", self());
  fx.multicast(voters_.value.others(), message);
  if (voters_.value.includes_self()) receive(self(), message, fx);
}

void VotingMutex::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message,
      [&](const Request& m) {
        on_request({m.clock, from}, fx);
      },
      [&](const Locked& m) { on_locked(from, m.clock, fx); },
      [&](const Failed&) { on_failed(from, fx); }, [&](const Inquire&) { on_inquire(from, fx); },
      [&](const Yield&) { on_yield(from, fx); },
      [&](const Release& m) { on_release(from, m.clock, fx); });
}

// --- requester ---

void VotingMutex::on_locked(NodeId voter, Clock clock, Effects<Message>& fx) {
  if (!is_plausible(clock, 1)) return fx.reject(Reject::absurd_clock);
  const auto seat = voters_.value.seat_of(voter);
  if (phase_ != Phase::waiting || !seat || !bid_->votes.insert(*seat)) {
    return fx.reject(Reject::not_asked);
  }
  clock_ = std::max(clock_, clock);
  bid_->failed.erase(*seat);
  if (bid_->votes.size() < voters_.value.size()) return;
  phase_ = Phase::inside;
  bid_.reset();
  clock_ = next(clock_);
  fx.because("{} enters: it has every vote of its set", self());
  fx.enter(Turn{number(clock_)});
}

void VotingMutex::on_failed(NodeId voter, Effects<Message>& fx) {
  const auto seat = voters_.value.seat_of(voter);
  // A voter never tells its own candidate that another comes first; it inquires.
  if (phase_ != Phase::waiting || !seat || bid_->votes.contains(*seat)) {
    return fx.reject(Reject::not_asked);
  }
  bid_->failed.insert(*seat);
  // We cannot win for now: those who asked for their vote back get it.
  const VoterSeats pending = std::exchange(bid_->pending, {});
  for (const VoterSeat asked : pending) yield(asked, fx);
}

void VotingMutex::on_inquire(NodeId voter, Effects<Message>& fx) {
  const auto seat = voters_.value.seat_of(voter);
  if (!seat) return fx.reject(Reject::not_asked);
  if (phase_ != Phase::waiting || !bid_->votes.contains(*seat)) {
    // It crossed our RELEASE or our YIELD; giving the vote back now would give back a later one.
    fx.because("{} ignores an inquiry of {}: too late", self(), voter);
  } else if (!bid_->failed.empty()) {
    yield(*seat, fx);
  } else {
    fx.because("{} keeps the vote of {} for now: it may still win", self(), voter);
    bid_->pending.insert(*seat);
  }
}

// A vote given back counts as failed: with it gone we cannot win before it returns.
void VotingMutex::yield(VoterSeat seat, Effects<Message>& fx) {
  bid_->votes.erase(seat);
  bid_->failed.insert(seat);
  const NodeId voter = voters_.value.voter(seat);
  fx.because("{} yields the vote of {}: it cannot win now", self(), voter);
  say(voter, Yield{}, fx);
}

// --- voter ---

void VotingMutex::on_request(Stamp theirs, Effects<Message>& fx) {
  if (!is_plausible(theirs.clock, 1)) return fx.reject(Reject::absurd_clock);
  clock_ = std::max(clock_, theirs.clock);
  if (!voted_) {
    enqueue(theirs);
    return vote_for_first(fx);
  }
  const bool none_waits = queue_.empty();
  const Stamp first = none_waits ? Stamp{} : queue_.front();
  enqueue(theirs);
  if (theirs < candidate() && (none_waits || theirs < first)) {
    // Sanders' correction: the one that was first among the waiting has been overtaken and must
    // learn that it cannot win, or it may sit on other votes for ever.
    const bool overtaken = !none_waits && first < candidate();
    const bool inquire = !std::exchange(inquired_, true);
    const NodeId voted_for = candidate_;
    if (overtaken) {
      fx.because("{} tells {}: {} comes before it", self(), first.node, theirs);
      say(first.node, Failed{}, fx);
    }
    if (inquire) {
      fx.because("{} asks {} for its vote back: {} precedes it", self(), voted_for, theirs);
      say(voted_for, Inquire{}, fx);
    }
  } else {
    fx.because("{} tells {} to wait: {} has its vote", self(), theirs.node, candidate_);
    say(theirs.node, Failed{}, fx);
  }
}

void VotingMutex::on_yield(NodeId from, Effects<Message>& fx) {
  if (!candidate_is(from) || !inquired_) return fx.reject(Reject::not_granted);
  enqueue(candidate());
  vote_for_first(fx);
}

void VotingMutex::on_release(NodeId from, Clock clock, Effects<Message>& fx) {
  if (!candidate_is(from)) return fx.reject(Reject::not_granted);
  if (!is_plausible(clock, 1)) return fx.reject(Reject::absurd_clock);
  clock_ = std::max(clock_, clock);
  vote_for_first(fx);
}

void VotingMutex::enqueue(Stamp stamp) {
  queue_.insert(std::upper_bound(queue_.begin(), queue_.end(), stamp), stamp);
}

void VotingMutex::vote_for_first(Effects<Message>& fx) {
  inquired_ = false;
  voted_ = !queue_.empty();
  const Stamp first = voted_ ? queue_.front() : Stamp{};
  candidate_clock_ = first.clock;
  candidate_ = first.node;
  if (!voted_) return;
  queue_.erase(queue_.begin());
  fx.because("{} votes for {}", self(), first);
  say(first.node, Locked{clock_}, fx);
}

}  // namespace hapax
