// The contract of an election algorithm: a plain value like a mutual-exclusion algorithm, input in,
// effects out. It has no timer; what a time-out means in the lectures comes in as an input, from
// the driver:
//
//   suspect(peer)   the link to `peer` is gone: it crashed, or is cut off
//   restore(peer)   the link is there again: to the same member, or to a new life of it
//
// What a driver must ensure. Without it no election can be decided at all:
//
//   - A message is lost only with its link, and then both ends that live are told: suspect, and
//     restore if the link comes back. Nothing of an old link arrives after suspect, or on a new
//     link.
//   - A member that crashed or is cut off is eventually suspected, by each other at its own time.
//   - Told that one is down, a member that knows no leader campaigns: if (!leader()) campaign().
//   - A member that comes back starts from A{view} and campaigns.
//
// What holds, once the suspicions are right and no message is under way: if anybody ever
// campaigned, all live members that can reach each other have the same leader, and it is the
// highest of them.
//
// Each election has a term: one more than the highest its starter has heard of. Nobody goes back to
// the leader of an earlier term, so a late announcement does no harm.
//
// What does not hold: that there is one leader. In a partition each side elects its own, and the
// two may even have the same term, since neither side hears the other's. A leader that was cut off
// goes on believing in itself until its link is back. A term is no fence: a member that lost its
// memory starts again from zero. Only the epoch of an agreed view, which a minority cannot commit,
// decides between two.
#pragma once

#include <concepts>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "base/ids.h"
#include "base/record.h"
#include "core/effects.h"
#include "core/mutex_algorithm.h"
#include "core/view.h"

namespace hapax {

enum class Term : std::uint64_t {};  // The number of an election. 0: none so far.

constexpr std::uint64_t number(Term term) { return static_cast<std::uint64_t>(term); }

// What there is to say about an algorithm in one line.
struct ElectionInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view topology;  // all-to-all | ring
  std::string_view best;  // Messages with N members; for the bully N counts the fallen leader, too.
  std::string_view worst;
  Channels needs = Channels::unordered;
};

template <class A>
concept ElectionAlgorithm = std::copyable<A> && Record<A> && kAllRecords<typename A::Message> &&
    requires(A a, const A ca, NodeId peer, const typename A::Message& m,
             Effects<typename A::Message>& fx) {
  { A::kInfo } -> std::convertible_to<ElectionInfo>;
  A{View{}};               // A view starts without a leader, and with everybody there.
  a.campaign(fx);          // Somebody must lead. Nothing new while an election is open here.
  a.receive(peer, m, fx);  // Any time; what the protocol forbids is rejected, not asserted.
  a.suspect(peer, fx);     // REQUIRES: peer is another member. Being told twice changes nothing.
  a.restore(peer, fx);     // REQUIRES: peer is another member.
  { ca.leader() } -> std::same_as<std::optional<NodeId>>;  // Whom this member follows, if anybody.
  { ca.term() } -> std::same_as<Term>;                     // The highest term it has heard of.
  { ca.is_open() } -> std::same_as<bool>;  // It takes part in an election not yet over for it.
};

}  // namespace hapax

template <>
struct fmt::formatter<hapax::Term> : fmt::formatter<std::uint64_t> {
  template <class Context>
  auto format(hapax::Term term, Context& context) const {
    return fmt::formatter<std::uint64_t>::format(hapax::number(term), context);
  }
};
