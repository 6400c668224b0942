// Who leads those members that can reach each other now: an election that is told of every link
// that breaks and comes back. For people. It is no fence and decides nothing: in a partition each
// side has its leader, and the news of a cut link takes time.
//
// Election algorithms assume that a link, once broken, delivers nothing from before. The mesh does
// better than that: it resends. So each end numbers the lives of its link, tells the other its
// number as a life begins, and puts the other's number on what it sends; what bears an old number
// is dropped. A peer counts as back when its number has arrived.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "campaigns/election_payload.h"
#include "campaigns/elector.h"
#include "locks/lock_table.h"
#include "locks/outbox.h"

namespace hapax {

class Leadership {
 public:
  // Nobody is reached at first, so we lead.
  Leadership(const Membership& membership, ElectionId election);

  // The link to `peer` is there, or is gone. REQUIRES: another member.
  void up(NodeId peer, Outbox& out);
  void down(NodeId peer, Outbox& out);
  // Bytes from the network are hostile: what is wrong with them is a complaint, and changes
  // nothing. REQUIRES: is_election(bytes), `from` is another member.
  void receive(NodeId from, std::span<const std::uint8_t> bytes, Outbox& out);

  // None while an election is under way.
  std::optional<NodeId> leader() const { return elector_.leader(); }
  Term term() const { return elector_.term(); }

 private:
  struct Peer {
    bool is_up = false;
    std::uint64_t life = 0;               // Ours: how often the link has come up.
    std::optional<std::uint64_t> theirs;  // None: it is not back yet. Invariant: none unless up.
  };

  void lose(NodeId peer);
  void on_life(NodeId from, std::span<const std::uint8_t> body, Outbox& out);
  void on_call(NodeId from, std::span<const std::uint8_t> body, Outbox& out);
  void carry_out(Outbox& out);

  Membership membership_;
  Elector elector_;
  std::vector<Peer> peers_;          // By member.
  std::vector<Elector::Mail> mail_;  // Empty between calls.
};

}  // namespace hapax
