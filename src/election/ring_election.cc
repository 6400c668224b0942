#include "election/ring_election.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/match.h"

namespace hapax {

RingElection::RingElection(const View& view) : self_{view.self}, size_{view.size} {}

void RingElection::campaign(Effects<Message>& fx) {
  if (is_open()) {
    fx.because("{} waits: election {} is not over", self_.value, ballot_);
    return;
  }
  start(fx);
}

void RingElection::receive(NodeId, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Election& m) { on_election(m, fx); },
      [&](const Coordinator& m) { on_coordinator(m, fx); });
}

void RingElection::suspect(NodeId peer, Effects<Message>& fx) {
  HAPAX_CHECK(peer != self_.value);
  const bool was_next = next_in_ring() == peer;
  if (!down_.insert(peer)) return;
  if (leader_ == peer) {
    fx.because("{} has no leader any more: {} is down", self_.value, peer);
    leader_.reset();
  }
  if (is_open() && (is_starter() || was_next || down_.contains(ballot_.starter))) {
    // What it held is lost; a new ballot makes up for all that may still be under way.
    fx.because("{} starts again: {} is down and may have had the message", self_.value, peer);
    start(fx);
  } else if (was_next && leader_ && next_in_ring()) {
    fx.because("{} skips {}, which may not have passed the news on", self_.value, peer);
    fx.send(*next_in_ring(), Coordinator{ballot_, *leader_});
  }
}

void RingElection::restore(NodeId peer, Effects<Message>& fx) {
  HAPAX_CHECK(peer != self_.value);
  if (!down_.erase(peer)) return;
  if (next_in_ring() == peer) {
    // What passed self went past `peer`. Only one member sees the gap close: no crowd of starters.
    fx.because("{} calls an election: {} is back in the ring, next to it", self_.value, peer);
    start(fx);
  } else if (is_open() && !leader_) {
    // It may be the one whose lead self could not believe in.
    fx.because("{} starts again: {} is back, and it has no leader yet", self_.value, peer);
    start(fx);
  }
}

void RingElection::on_election(const Election& m, Effects<Message>& fx) {
  const bool members_only =
      std::all_of(m.ids.begin(), m.ids.end(), [&](NodeId id) { return number(id) < size_; });
  if (m.ids.empty() || m.ids.front() != m.ballot.starter || !members_only) {
    fx.because("{} refuses an ELECTION that does not start with its starter", self_.value);
    fx.reject(Reject::not_a_member);
  } else if (m.ballot > ballot_) {
    join(m, fx);
  } else if (is_ours(m.ballot) && stage_ == Stage::electing) {
    decide(m.ids, fx);
  } else if (m.ballot.term < ballot_.term && stage_ == Stage::idle) {
    // It was cut off, or came back without memory: its elections would be dropped for ever.
    fx.because("{} starts one itself: {} lives in old term {}", self_.value, m.ballot.starter,
               m.ballot.term);
    start(fx);
  } else {
    fx.because("{} drops election {}: it keeps to {}", self_.value, m.ballot, ballot_);
  }
}

void RingElection::on_coordinator(const Coordinator& m, Effects<Message>& fx) {
  if (number(m.leader) >= size_ || number(m.ballot.starter) >= size_) {
    fx.because("{} refuses a COORDINATOR that names no member", self_.value);
    fx.reject(Reject::not_a_member);
    return;
  }
  const bool has_it = m.ballot == ballot_ && stage_ == Stage::idle && leader_ == m.leader;
  if (m.ballot < ballot_ || has_it) {
    fx.because("{} drops the result of {}: it has it, or a later one", self_.value, m.ballot);
    return;
  }
  ballot_ = m.ballot;
  if (down_.contains(m.leader)) {
    // The member that decided so will hear of it and start again.
    fx.because("{} does not follow {}: it is down", self_.value, m.leader);
    leader_.reset();
    stage_ = Stage::electing;
    return;
  }
  if (m.leader < self_.value) {
    fx.because("{} starts again: {} was elected without it", self_.value, m.leader);
    start(fx);
    return;
  }
  leader_ = m.leader;
  stage_ = Stage::idle;
  if (is_ours(m.ballot)) {
    fx.because("{} is done: all know that {} leads", self_.value, m.leader);
  } else if (const auto to = next_in_ring()) {
    fx.because("{} follows {} and passes it on to {}", self_.value, m.leader, *to);
    fx.send(*to, m);
  }
}

void RingElection::join(const Election& m, Effects<Message>& fx) {
  ballot_ = m.ballot;
  leader_.reset();
  stage_ = Stage::electing;
  const auto to = next_in_ring();
  if (is_ours(m.ballot) || !to) {
    fx.because("{} starts again: {} was its own, before it lost its memory", self_.value, m.ballot);
    start(fx);
    return;
  }
  // Even if its starter is down: those that passed it on before they knew will start again.
  fx.because("{} adds itself to election {} and passes it on to {}", self_.value, m.ballot, *to);
  Election longer = m;
  longer.ids.push_back(self_);
  fx.send(*to, std::move(longer));
}

void RingElection::decide(const std::vector<NodeId>& ids, Effects<Message>& fx) {
  NodeId highest = self_;
  for (const NodeId id : ids) highest = std::max(highest, id);
  if (down_.contains(highest)) {
    // Others reach it and self does not: self cannot believe in that leader.
    fx.because("{} does not announce {}: it is down", self_.value, highest);
    return;
  }
  leader_ = highest;
  stage_ = Stage::announcing;
  const auto to = next_in_ring();
  if (!to) {
    stage_ = Stage::idle;
    return;
  }
  fx.because("{} announces {}: the highest of the {} that were passed", self_.value, highest,
             ids.size());
  fx.send(*to, Coordinator{ballot_, highest});
}

void RingElection::start(Effects<Message>& fx) {
  ballot_ = {next(ballot_.term), self_};
  leader_.reset();
  stage_ = Stage::electing;
  if (const auto to = next_in_ring()) {
    fx.because("{} starts election {}: its own id goes to {}", self_.value, ballot_, *to);
    fx.send(*to, Election{ballot_, {self_}});
  } else {
    fx.because("{} leads in term {}: it is alone", self_.value, ballot_.term);
    decide({self_}, fx);
  }
}

bool RingElection::is_ours(const Ballot& ballot) const {
  return ballot == ballot_ && ballot.starter == self_.value;
}

}  // namespace hapax
