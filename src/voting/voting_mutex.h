// Winning every vote of a voting set, with a way out of deadlock: INQUIRE, FAILED and YIELD, as in
// M. Maekawa, ACM TOCS 3(2), 1985, with the correction of B. Sanders, "The information structure of
// distributed mutual exclusion algorithms", ACM TOCS 5(3), 1987. A voter votes for one at a time;
// when an earlier request comes, it asks its candidate to give the vote back, and a candidate that
// cannot win just now does. What the algorithms on top of it choose is who votes for whom: any
// rule by which every two sets meet.
//
// Needs reliable FIFO channels: an INQUIRE must not overtake the vote that it is about. 3(K-1)
// messages an entry without conflict, up to 6(K-1) with.
#pragma once

#include <algorithm>
#include <variant>

#include "base/box.h"
#include "base/ids.h"
#include "base/record.h"
#include "base/slim_vector.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/mutex_choices.h"
#include "core/stamp.h"
#include "core/view.h"
#include "voting/constituency.h"

namespace hapax {

class VotingMutex {
 public:
  struct Request {
    Clock clock{};
    HAPAX_RECORD(Request, clock)
  };
  // The vote, with the highest turn its voter knows of.
  struct Locked {
    Clock clock{};
    HAPAX_RECORD(Locked, clock)
  };
  struct Failed {
    HAPAX_RECORD(Failed)
  };
  struct Inquire {
    HAPAX_RECORD(Inquire)
  };
  struct Yield {
    HAPAX_RECORD(Yield)
  };
  struct Release {
    Clock clock{};
    HAPAX_RECORD(Release, clock)
  };
  using Message = std::variant<Request, Locked, Failed, Inquire, Yield, Release>;
  using Options = MutexChoices;

  void request(Effects<Message>& fx);
  void release(Effects<Message>& fx);
  void receive(NodeId from, const Message& message, Effects<Message>& fx);
  Phase phase() const { return phase_; }
  Clock clock() const { return clock_; }
  void raise_clock(Clock floor) { clock_ = std::max(clock_, floor); }

  // Its state in words, votes by the names of who gave them.
  std::string standing() const;

  // Whether all holds that is relied on without a look. Always, but for what a stranger wrote.
  bool is_sound() const;

  HAPAX_RECORD(VotingMutex, voters_, clock_, bid_, queue_, candidate_clock_, candidate_, phase_,
               voted_, inquired_)

 protected:
  // `own` is the rule where no sets were chosen.
  VotingMutex(const View& view, const Options& options, const VotingRule& own);

 private:
  // The requester's side, present only while it waits. Invariant: votes and failed do not meet.
  struct Bid {
    VoterSeats votes;    // Who votes for us.
    VoterSeats failed;   // Who told us that an earlier request comes first, or got its vote back.
    VoterSeats pending;  // Subset of votes: who asked for its vote back and has no answer yet.
    HAPAX_RECORD(Bid, votes, failed, pending)
  };

  // Requester.
  void on_locked(NodeId voter, Clock clock, Effects<Message>& fx);
  void on_failed(NodeId voter, Effects<Message>& fx);
  void on_inquire(NodeId voter, Effects<Message>& fx);
  void yield(VoterSeat seat, Effects<Message>& fx);

  // Voter.
  void on_request(Stamp theirs, Effects<Message>& fx);
  void on_yield(NodeId from, Effects<Message>& fx);
  void on_release(NodeId from, Clock clock, Effects<Message>& fx);
  void enqueue(Stamp stamp);
  void vote_for_first(Effects<Message>& fx);

  // Sends, or takes the step at once if it is to ourselves: a message to oneself is not a message.
  // So whoever calls it must have finished with its own state.
  void say(NodeId to, const Message& message, Effects<Message>& fx);
  NodeId self() const { return voters_.value.self(); }
  Stamp candidate() const { return {candidate_clock_, candidate_}; }
  bool candidate_is(NodeId node) const { return voted_ && candidate_ == node; }

  Fixed<Constituency> voters_;
  // Orders requests and numbers turns. Invariant: no smaller than any turn of a critical section
  // that a vote of ours was part of; two voting sets meet, so the next one's turn, drawn above, is
  // larger.
  Clock clock_{};
  Box<Bid> bid_;  // Invariant: present just while waiting.
  // As voter: requests that wait for the vote, sorted.
  SlimVector<Stamp> queue_;
  Clock candidate_clock_{};  // As voter: the request that has the vote. Meaningful while voted_ …
  NodeId candidate_{};       // … and whose it is.
  Phase phase_ = Phase::idle;
  bool voted_ = false;
  bool inquired_ = false;  // The candidate was asked for the vote back; once per vote is enough.
};

// A million of them idle is the case that has to stay cheap.
static_assert(sizeof(VotingMutex) <= 64);

}  // namespace hapax
