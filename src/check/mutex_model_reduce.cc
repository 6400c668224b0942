// The model of mutual exclusion where the order of steps makes no difference: a delivery that
// commutes with all that may happen to its receiver before it is the only step taken.
//
// It need not be invisible. A delivery lets somebody in but nobody out, so whoever enters by it is
// inside during all that it was put before: what breaks exclusion there still does, and an entry
// whose fence would have come in another order is now one beside somebody.
#include <algorithm>
#include <utility>
#include <vector>

#include "check/mutex_model.h"

namespace hapax {

// REQUIRES: no faults: a loss or a crash would take away what is to be delivered.
bool MutexModel::expand_first(const std::uint64_t* row, Steps& steps) {
  for (std::uint32_t to = 0; to < n_; ++to) {
    const std::uint32_t local = layout_.get(row, to);
    for (std::uint32_t from = 0; from < n_; ++from) {
      if (from == to) continue;
      const std::uint32_t at = link(from, to);
      const std::uint32_t content = layout_.get(row, at);
      for (const LinkContents::Take take : links_.takes(content)) {
        const std::uint32_t input = members_.receive(from, take.message);
        if (!reduction_->may_go_first(to, local, input)) continue;
        std::uint64_t* next = steps.draft(row);
        layout_.change(next, at, content, take.rest);
        finish<false>(next, steps, step_of(CheckStep::deliver, from, to, take.message), to, local,
                      input);
        if (is_too_narrow()) steps.find_too_narrow();
        return true;
      }
    }
  }
  return false;
}

std::uint32_t MutexModel::after(std::uint32_t i, std::uint32_t local, std::uint32_t input) {
  return members_.react(i, local, input).local;
}

Order MutexModel::order(std::uint32_t i, std::uint32_t local, std::uint32_t first,
                        std::uint32_t other) {
  if (!members_.is_possible(i, local, other)) return Order::is_given;
  // On a link with order what is to be delivered first stays the oldest.
  const bool is_of_the_link =
      other >= Reactions::kFirstReceive && members_.sender(other) == members_.sender(first);
  if (is_of_the_link && options_.channels == Channels::fifo) return Order::is_given;

  std::vector<std::pair<std::uint32_t, std::uint32_t>> sends[2];  // To whom, and what.
  std::vector<Turn> entries[2];
  std::uint32_t last[2] = {local, local};
  Reject rejected[2][2];  // By order, and by input.
  for (const std::uint32_t way : {0u, 1u}) {
    for (const std::uint32_t nth : {0u, 1u}) {
      const std::uint32_t input = nth == way ? first : other;
      if (!members_.is_possible(i, last[way], input)) return Order::matters;
      const Reactions::Reaction reaction = members_.react(i, last[way], input);
      const Reactions::Effect& effect = members_.effect(reaction);
      last[way] = reaction.local;
      rejected[way][input == first] = effect.rejected;
      if (effect.enters) entries[way].push_back(effect.turn);
      for (const auto& sent : members_.sends(effect)) {
        sends[way].emplace_back(sent.to, sent.message);
      }
    }
    std::sort(entries[way].begin(), entries[way].end());
    if (options_.channels == Channels::fifo) {
      std::stable_sort(sends[way].begin(), sends[way].end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    } else {
      std::sort(sends[way].begin(), sends[way].end());
    }
  }
  const bool is_same = last[0] == last[1] && sends[0] == sends[1] && entries[0] == entries[1] &&
                       rejected[0][0] == rejected[1][0] && rejected[0][1] == rejected[1][1];
  return is_same ? Order::is_free : Order::matters;
}

}  // namespace hapax
