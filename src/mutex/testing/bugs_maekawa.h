// Planted bugs of Maekawa's algorithm with INQUIRE, FAILED and YIELD.
#pragma once

#include <string_view>
#include <variant>

#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "voting/maekawa.h"
#include "mutex/testing/mutant.h"
#include "voting/constituency.h"
#include "voting/voting_sets.h"

namespace hapax::bugs {

using testing::field;
using testing::hand_on_if;
using testing::NoBug;

// Calls f(bid) with the votes and refusals of a member that waits.
template <class F>
void with_bid(Maekawa& real, F&& f) {
  for_each_field(real, [&](std::string_view, auto& value) {
    if constexpr (requires { value->failed; }) {
      if (value) f(*value);
    }
  });
}

// Without Sanders' correction: the first among the waiting does not learn that somebody else now
// comes before it.
struct WithoutSanders : NoBug<Maekawa> {
  HAPAX_RECORD(WithoutSanders)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (!std::holds_alternative<Maekawa::Request>(message)) {
      return self.real.receive(from, message, fx);
    }
    Fx real;
    self.real.receive(from, message, real);
    hand_on_if(real, self, fx, [&](NodeId to, const Message& m) {
      return to == from || !std::holds_alternative<Maekawa::Failed>(m);
    });
  }
};

// Gives a vote back with all votes in hand.
struct YieldsWhileInside : NoBug<Maekawa> {
  HAPAX_RECORD(YieldsWhileInside)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    self.real.receive(from, message, fx);
    if (self.real.phase() == Phase::inside && std::holds_alternative<Maekawa::Inquire>(message)) {
      fx.send(from, Maekawa::Yield{});
    }
  }
};

// Gives a vote back after it left: to a voter whose vote is somebody else's by now.
struct YieldsAfterRelease : NoBug<Maekawa> {
  HAPAX_RECORD(YieldsAfterRelease)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    self.real.receive(from, message, fx);
    if (self.real.phase() == Phase::idle && std::holds_alternative<Maekawa::Inquire>(message)) {
      fx.send(from, Maekawa::Yield{});
    }
  }
};

// The other half of it: a voter that does not look whose vote it gets back, and votes for the next.
struct TakesAnyYield : YieldsAfterRelease {
  HAPAX_RECORD(TakesAnyYield)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const NodeId candidate = field<NodeId>(self.real, "candidate");
    if (std::holds_alternative<Maekawa::Yield>(message) && candidate != from) {
      return self.real.receive(candidate, Maekawa::Release{}, fx);
    }
    YieldsAfterRelease::receive(self, from, message, fx);
  }
};

// Whether a member that waits has the vote of `voter`.
inline bool has_vote(Maekawa& real, NodeId voter) {
  bool has = false;
  with_bid(real, [&](auto& bid) {
    const auto seat = field<Fixed<Constituency>>(real, "voters").value.seat_of(voter);
    has = seat && bid.votes.contains(*seat);
  });
  return has;
}

// Gives back a vote that it does not have yet: the inquiry was about its last request.
struct YieldsForAnOlderRequest : NoBug<Maekawa> {
  HAPAX_RECORD(YieldsForAnOlderRequest)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const bool lacks = self.real.phase() == Phase::waiting && !has_vote(self.real, from);
    self.real.receive(from, message, fx);
    if (lacks && std::holds_alternative<Maekawa::Inquire>(message)) {
      fx.send(from, Maekawa::Yield{});
    }
  }
};

// A voter inquires for each earlier request, not once per vote; and a candidate yields each time.
struct InquiresAgain : YieldsForAnOlderRequest {
  HAPAX_RECORD(InquiresAgain)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    bool& inquired = field<bool>(self.real, "inquired");
    const bool before = inquired;
    if (std::holds_alternative<Maekawa::Request>(message)) inquired = false;
    YieldsForAnOlderRequest::receive(self, from, message, fx);
    if (std::holds_alternative<Maekawa::Request>(message)) inquired = inquired || before;
  }
};

// A vote given back does not count as failed, so it keeps the next one that is asked for.
struct YieldIsNoFailure : NoBug<Maekawa> {
  HAPAX_RECORD(YieldIsNoFailure)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    VoterSeats before;
    with_bid(self.real, [&](auto& bid) { before = bid.votes; });
    self.real.receive(from, message, fx);
    with_bid(self.real, [&](auto& bid) {
      for (const VoterSeat seat : before) {
        if (!bid.votes.contains(seat)) bid.failed.erase(seat);
      }
    });
  }
};

// No bug, but patience: a refusal that the vote itself has overtaken is passed over.
struct IgnoresALateRefusal : NoBug<Maekawa> {
  HAPAX_RECORD(IgnoresALateRefusal)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    const bool late = self.real.phase() != Phase::waiting || has_vote(self.real, from);
    if (late && std::holds_alternative<Maekawa::Failed>(message)) return;
    self.real.receive(from, message, fx);
  }
};

// A vote that does not say the highest turn its voter knows of.
struct VotesWithoutTheTurn : NoBug<Maekawa> {
  HAPAX_RECORD(VotesWithoutTheTurn)

  void receive(Self self, NodeId from, const Message& message, Fx& fx) {
    if (std::holds_alternative<Maekawa::Locked>(message)) {
      return self.real.receive(from, Maekawa::Locked{}, fx);
    }
    self.real.receive(from, message, fx);
  }
};

}  // namespace hapax::bugs
