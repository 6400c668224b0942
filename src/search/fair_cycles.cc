#include "search/fair_cycles.h"

#include <algorithm>

namespace hapax {
namespace {

struct Frame {
  std::uint32_t state;
  std::size_t edge;
};

}  // namespace

FairCycles::FairCycles(SearchModel& model, const States& states) : states_(states) {
  first_edge_.reserve(states.size() + 1);
  Steps steps;
  for (std::uint32_t at = 0; at < states.size(); ++at) {
    first_edge_.push_back(edges_.size());
    possible_.push_back(0);
    waits_.push_back(model.waits(states[at]));
    steps.clear(states.width());
    model.expand(states[at], steps);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const std::optional<std::uint32_t> fair = model.fair_class(steps[s]);
      const std::uint64_t bit = fair ? std::uint64_t{1} << *fair : 0;
      possible_.back() |= bit;
      edges_.push_back({states_.find(steps.row(s)), bit});
    }
  }
  first_edge_.push_back(edges_.size());
}

std::optional<FairCycles::Starvation> FairCycles::find(std::uint32_t processes) {
  for (std::uint32_t process = 0; process < processes; ++process) {
    if (find_for(process)) return Starvation{process, first_};
  }
  return std::nullopt;
}

// Tarjan's algorithm, without recursion, over the states in which `process` waits. True if it
// found a part with a fair way round.
bool FairCycles::find_for(std::uint32_t process) {
  const std::uint32_t n = states_.size();
  order_.assign(n, 0);
  low_.assign(n, 0);
  part_of_.assign(n, 0);
  std::uint32_t clock = 0;
  std::uint32_t parts = 0;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (order_[root] != 0 || !waits(process, root)) continue;
    std::vector<Frame> frames{{root, first_edge_[root]}};
    order_[root] = low_[root] = ++clock;
    path_.push_back(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const std::uint32_t state = frame.state;
      if (frame.edge < first_edge_[state + 1]) {
        const std::uint32_t to = edges_[frame.edge++].to;
        if (!waits(process, to)) continue;
        if (order_[to] == 0) {
          order_[to] = low_[to] = ++clock;
          path_.push_back(to);
          frames.push_back({to, first_edge_[to]});
        } else if (part_of_[to] == 0) {
          low_[state] = std::min(low_[state], order_[to]);
        }
        continue;
      }
      frames.pop_back();
      if (!frames.empty()) {
        low_[frames.back().state] = std::min(low_[frames.back().state], low_[state]);
      }
      if (low_[state] == order_[state] && close_part(state, ++parts)) return true;
    }
  }
  return false;
}

// The states of the path from `state` on are a strongly connected part. Whether it has a fair
// cycle.
bool FairCycles::close_part(std::uint32_t state, std::uint32_t part) {
  const auto begin = std::find(path_.rbegin(), path_.rend(), state).base() - 1;
  for (auto at = begin; at != path_.end(); ++at) part_of_[*at] = part;
  std::uint64_t always = ~std::uint64_t{0};
  std::uint64_t taken = 0;
  bool has_edge = false;
  for (auto at = begin; at != path_.end(); ++at) {
    always &= possible_[*at];
    for (std::size_t e = first_edge_[*at]; e < first_edge_[*at + 1]; ++e) {
      if (part_of_[edges_[e].to] != part) continue;
      has_edge = true;
      taken |= edges_[e].fair;
    }
  }
  const bool is_fair = has_edge && (always & ~taken) == 0;
  if (is_fair) first_ = *std::min_element(begin, path_.end());
  path_.erase(begin, path_.end());
  return is_fair;
}

}  // namespace hapax
