#include "election/bully.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/match.h"

namespace hapax {

Bully::Bully(const View& view) : self_{view.self}, size_{view.size} {}

void Bully::campaign(Effects<Message>& fx) {
  if (is_open()) {
    fx.because("{} waits: its election of term {} is not over", self_.value, term_);
    return;
  }
  hold_election(next(term_), fx);
}

void Bully::receive(NodeId from, const Message& message, Effects<Message>& fx) {
  match(
      message, [&](const Election& m) { on_election(from, m.term, fx); },
      [&](const Ok&) { on_ok(from, fx); },
      [&](const Coordinator& m) { on_coordinator(from, m.term, fx); });
}

void Bully::suspect(NodeId peer, Effects<Message>& fx) {
  HAPAX_CHECK(peer != self_.value);
  if (!down_.insert(peer)) return;
  if (leader_ == peer) {
    fx.because("{} has no leader any more: {} is down", self_.value, peer);
    leader_.reset();
  }
  if (!asked_.contains(peer)) return;
  // It may have won this term already, and others may have claimed the lead before we could believe
  // it.
  fx.because("{} starts again: {} is down, which it had asked", self_.value, peer);
  hold_election(next(term_), fx);
}

void Bully::restore(NodeId peer, Effects<Message>& fx) {
  HAPAX_CHECK(peer != self_.value);
  if (!down_.erase(peer)) return;
  if (is_open() && self_.value < peer) {
    fx.because("{} asks {} as well: it is back and outranks {}", self_.value, peer, self_.value);
    asked_.insert(peer);
    fx.send(peer, Election{term_});
  } else if (leads() && self_.value < peer) {
    fx.because("{} contests its own lead: {} is back and outranks it", self_.value, peer);
    hold_election(next(term_), fx);
  } else if (leads()) {
    fx.because("{} tells {}, which is back, that it leads", self_.value, peer);
    fx.send(peer, Coordinator{term_});
  }
}

void Bully::on_election(NodeId from, Term term, Effects<Message>& fx) {
  if (self_.value <= from) {
    fx.because("{} refuses ELECTION of {}: it does not outrank it", self_.value, from);
    fx.reject(Reject::not_a_member);
    return;
  }
  fx.because("{} tells {} to sit back: it outranks it", self_.value, from);
  fx.send(from, Ok{term});
  if (term > term_) {
    hold_election(term, fx);  // An older election, if one is open, ends in this one.
  } else if (!is_open() && !leader_) {
    hold_election(next(term_), fx);
  } else {
    // The one that wins, or has won, term_ has told `from` or will: that spares us a second
    // election.
    fx.because("{} starts nothing new: term {} is settled or under way", self_.value, term_);
  }
}

void Bully::on_ok(NodeId from, Effects<Message>& fx) {
  if (from <= self_.value) {
    fx.because("{} refuses OK of {}: it does not outrank {}", self_.value, from, self_.value);
    fx.reject(Reject::not_a_member);
    return;
  }
  // There is no time-out to call off. If `from` falls before it has won, suspect() says so.
  fx.because("{} sits back: {} lives and takes over", self_.value, from);
}

void Bully::on_coordinator(NodeId from, Term term, Effects<Message>& fx) {
  if (from <= self_.value) {
    fx.because("{} refuses {} as a leader: it does not outrank {}", self_.value, from, self_.value);
    fx.reject(Reject::not_a_member);
  } else if (const NodeId top = highest_up(); top != from) {
    // If `top` lives it will claim the lead; if not, suspect() will say so, and we ask `from`
    // again.
    term_ = std::max(term_, term);
    fx.because("{} ignores {}: {} outranks it and is not known to be down", self_.value, from, top);
  } else if (term >= term_) {
    fx.because("{} follows {} in term {}", self_.value, from, term);
    term_ = term;
    leader_ = from;
    asked_.clear();
  } else if (is_open() || leader_ == from) {
    fx.because("{} ignores the end of term {}: term {} is later", self_.value, term, term_);
  } else {
    // It was cut off and its terms are behind ours. It has to win again, in a term new to us all.
    fx.because("{} calls an election: {} outranks its leader, but in old term {}", self_.value,
               from, term);
    hold_election(next(term_), fx);
  }
}

NodeId Bully::highest_up() const {
  NodeId top{size_ - 1};
  while (top != self_.value && down_.contains(top)) top = NodeId{number(top) - 1};
  return top;
}

void Bully::hold_election(Term term, Effects<Message>& fx) {
  term_ = term;
  leader_.reset();
  asked_.clear();
  for (NodeId peer = next(self_.value); number(peer) < size_; peer = next(peer)) {
    if (!down_.contains(peer)) asked_.insert(peer);
  }
  if (asked_.empty()) {
    take_over(fx);
    return;
  }
  fx.because("{} holds election {}: it asks the {} that outrank it", self_.value, term_,
             asked_.size());
  fx.multicast(asked_, Election{term_});
}

void Bully::take_over(Effects<Message>& fx) {
  leader_ = self_.value;
  fx.because("{} leads in term {}: nobody that lives outranks it", self_.value, term_);
  std::vector<NodeId> others;
  for (NodeId peer{}; peer < self_.value; peer = next(peer)) {
    if (!down_.contains(peer)) others.push_back(peer);
  }
  fx.multicast(others, Coordinator{term_});
}

}  // namespace hapax
