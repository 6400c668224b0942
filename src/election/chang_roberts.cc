#include "election/chang_roberts.h"

#include "base/check.h"
#include "base/match.h"

namespace hapax {

ChangRoberts::ChangRoberts(const View& view, const Options& options)
    : self_{view.self}, size_{view.size}, direction_{options.direction} {}

void ChangRoberts::campaign(Effects<Message>& fx) {
  if (is_open()) {
    fx.because("{} waits: election {} is not over", self_.value, term_);
    return;
  }
  start(fx);
}

void ChangRoberts::receive(NodeId, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Election& m) { on_election(m, fx); },
      [&](const Coordinator& m) { on_coordinator(m, fx); });
}

void ChangRoberts::suspect(NodeId peer, Effects<Message>& fx) {
  HAPAX_CHECK(peer != self_.value);
  const bool was_next = next_in_ring() == peer;
  if (!down_.insert(peer)) return;
  if (leader_ == peer) {
    fx.because("{} has no leader any more: {} is down", self_.value, peer);
    leader_.reset();
  }
  if (is_open()) {
    // The message that matters carries no list, so nobody can tell whether `peer` had it. All that
    // start again do so in the same term, and that is one election.
    fx.because("{} starts again: {} is down and may have had the message", self_.value, peer);
    start(fx);
  } else if (was_next && leader_ && next_in_ring()) {
    fx.because("{} skips {}, which may not have passed the news on", self_.value, peer);
    fx.send(*next_in_ring(), Coordinator{term_, *leader_});
  }
}

void ChangRoberts::restore(NodeId peer, Effects<Message>& fx) {
  HAPAX_CHECK(peer != self_.value);
  if (!down_.erase(peer)) return;
  if (next_in_ring() == peer) {
    // What passed self went past `peer`. Only one member sees the gap close: no crowd of starters.
    fx.because("{} calls an election: {} is back in the ring, next to it", self_.value, peer);
    start(fx);
  } else if (is_open() && !leader_) {
    // It may be the one that dropped self's id, or the one whose lead self could not believe in.
    fx.because("{} starts again: {} is back, and it has no leader yet", self_.value, peer);
    start(fx);
  }
}

void ChangRoberts::on_election(const Election& m, Effects<Message>& fx) {
  if (number(m.candidate) >= size_) {
    fx.because("{} refuses a candidate that is no member", self_.value);
    fx.reject(Reject::not_a_member);
  } else if (m.term < term_ && stage_ == Stage::idle) {
    // It was cut off, or came back without memory: its elections would be dropped for ever.
    fx.because("{} starts one itself: {} lives in old term {}", self_.value, m.candidate, m.term);
    start(fx);
  } else if (down_.contains(m.candidate)) {
    // Passed on, it would go round for ever. Those that did so before they knew will start again.
    fx.because("{} drops candidate {}: it is down", self_.value, m.candidate);
  } else if (m.term < term_ || (m.term == term_ && stage_ != Stage::electing)) {
    fx.because("{} drops candidate {}: term {} is over", self_.value, m.candidate, m.term);
  } else {
    if (m.term > term_) {
      term_ = m.term;
      leader_.reset();
      stage_ = Stage::electing;
      stood_ = false;
    }
    weigh(m, fx);
  }
}

void ChangRoberts::weigh(const Election& m, Effects<Message>& fx) {
  const auto to = next_in_ring();
  if (m.candidate == self_.value && stood_) {
    win(fx);
  } else if (m.candidate <= self_.value) {
    // Its own id that it did not send was sent before it lost its memory: worth no more than a
    // lower one.
    if (stood_) {
      fx.because("{} drops candidate {}: it stands itself and is higher", self_.value, m.candidate);
    } else {
      fx.because("{} stands in place of candidate {}: it is higher", self_.value, m.candidate);
      stand(fx);
    }
  } else if (to) {
    fx.because("{} passes candidate {} on to {}: it is higher", self_.value, m.candidate, *to);
    fx.send(*to, m);
  }
}

void ChangRoberts::on_coordinator(const Coordinator& m, Effects<Message>& fx) {
  if (number(m.leader) >= size_) {
    fx.because("{} refuses a COORDINATOR that names no member", self_.value);
    fx.reject(Reject::not_a_member);
    return;
  }
  const bool settled = m.term == term_ && stage_ == Stage::idle && leader_ >= m.leader;
  if (m.term < term_ || settled) {
    fx.because("{} drops {} as leader of term {}: it knows, or knows better", self_.value, m.leader,
               m.term);
    return;
  }
  term_ = m.term;
  if (down_.contains(m.leader)) {
    // Those that let its id pass before they knew will start again.
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
  stood_ = false;
  if (m.leader == self_.value) {
    fx.because("{} is done: all know that it leads", self_.value);
  } else if (const auto to = next_in_ring()) {
    fx.because("{} follows {} and passes it on to {}", self_.value, m.leader, *to);
    fx.send(*to, m);
  }
}

void ChangRoberts::start(Effects<Message>& fx) {
  term_ = next(term_);
  leader_.reset();
  stage_ = Stage::electing;
  stand(fx);
}

void ChangRoberts::stand(Effects<Message>& fx) {
  stood_ = true;
  if (const auto to = next_in_ring()) {
    fx.because("{} stands in election {}: its id goes to {}", self_.value, term_, *to);
    fx.send(*to, Election{term_, self_});
  } else {
    win(fx);
  }
}

void ChangRoberts::win(Effects<Message>& fx) {
  leader_ = self_.value;
  stage_ = Stage::announcing;
  if (const auto to = next_in_ring()) {
    fx.because("{} leads in term {}: its id came back, so none is higher", self_.value, term_);
    fx.send(*to, Coordinator{term_, self_});
  } else {
    fx.because("{} leads in term {}: it is alone", self_.value, term_);
    stage_ = Stage::idle;
    stood_ = false;
  }
}

}  // namespace hapax
