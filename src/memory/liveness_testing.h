// For the tests of this room: whether a run of a model can go on for ever without what was
// promised, on the graph that explorer_testing.h builds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/mutex_algorithm.h"
#include "memory/explorer_testing.h"

namespace hapax::testing {

// Strongly connected components (Tarjan, with its stack on the heap) of the states that `keep`
// keeps.
template <class Model>
class Components {
 public:
  template <class Keep>
  Components(const Graph<Model>& graph, const Keep& keep)
      : graph_(graph), order_(graph.size(), kNew), low_(graph.size()), kept_(graph.size()) {
    for (std::uint32_t i = 0; i < graph.size(); ++i) kept_[i] = keep(graph.model(i)) ? 1 : 0;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      if (kept_[i] != 0 && order_[i] == kNew) visit(i);
    }
  }

  // Members of each component in which a run can stay for ever.
  const std::vector<std::vector<std::uint32_t>>& cyclic() const { return cyclic_; }

 private:
  static constexpr std::uint32_t kNew = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kClosed = kNew - 1;

  void open(std::uint32_t i) {
    order_[i] = low_[i] = clock_++;
    open_.push_back(i);
    path_.push_back({i, 0});
  }

  void visit(std::uint32_t root) {
    open(root);
    while (!path_.empty()) {
      auto& [i, at] = path_.back();
      if (at < graph_.edges[i].size()) {
        const std::uint32_t to = graph_.edges[i][at++].to;
        if (kept_[to] == 0 || order_[to] == kClosed) continue;
        if (order_[to] == kNew) {
          open(to);
        } else {
          low_[i] = std::min(low_[i], order_[to]);
        }
      } else {
        const std::uint32_t done = i;
        path_.pop_back();
        if (!path_.empty())
          low_[path_.back().first] = std::min(low_[path_.back().first], low_[done]);
        if (low_[done] == order_[done]) close(done);
      }
    }
  }

  void close(std::uint32_t root) {
    const auto first = std::find(open_.begin(), open_.end(), root);
    std::vector<std::uint32_t> members(first, open_.end());
    open_.erase(first, open_.end());
    for (const std::uint32_t i : members) order_[i] = kClosed;
    const auto is_loop = [&](const Edge& edge) { return edge.to == root; };
    if (members.size() > 1 || std::ranges::any_of(graph_.edges[root], is_loop)) {
      cyclic_.push_back(std::move(members));
    }
  }

  const Graph<Model>& graph_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint8_t> kept_;
  std::vector<std::uint32_t> open_;
  std::vector<std::pair<std::uint32_t, std::size_t>> path_;
  std::uint32_t clock_ = 0;
  std::vector<std::vector<std::uint32_t>> cyclic_;
};

// Whether `p` gets its due in a run that visits all `members` again and again: it moves, or it is
// somewhere without an obligation to move (idle, or not enabled).
template <class Model>
bool is_fair_to(std::uint32_t p, const Graph<Model>& graph,
                const std::vector<std::uint32_t>& members) {
  const auto is_member = [&](std::uint32_t i) {
    return std::binary_search(members.begin(), members.end(), i);
  };
  return std::ranges::any_of(members, [&](std::uint32_t i) {
    const auto& edges = graph.edges[i];
    const bool must_move = graph.model(i).phase(NodeId{p}) != Phase::idle &&
                           std::ranges::any_of(edges, [&](Edge e) { return e.actor == p; });
    return !must_move ||
           std::ranges::any_of(edges, [&](Edge e) { return e.actor == p && is_member(e.to); });
  });
}

// Whether a run can stay for ever among the states that `keep` keeps although no process is denied
// its steps. That is how a liveness claim fails.
template <class Model, class Keep>
bool can_stay(const Graph<Model>& graph, const Keep& keep) {
  const Components<Model> components{graph, keep};
  for (std::vector<std::uint32_t> members : components.cyclic()) {
    std::ranges::sort(members);
    std::uint32_t fair = 0;
    const std::uint32_t size = graph.model(0).size();
    for (std::uint32_t p = 0; p < size; ++p) fair += is_fair_to(p, graph, members) ? 1u : 0u;
    if (fair == size) return true;
  }
  return false;
}

// A run in which somebody is under way and nobody ever gets inside.
template <class Model>
bool can_livelock(const Graph<Model>& graph) {
  return can_stay(graph, [](const Model& model) {
    return how_many(model, Phase::waiting) > 0 && how_many(model, Phase::inside) == 0;
  });
}

// A run in which `victim` is under way for ever and never gets inside.
template <class Model>
bool can_starve(const Graph<Model>& graph, NodeId victim) {
  return can_stay(graph, [&](const Model& m) { return m.phase(victim) == Phase::waiting; });
}

}  // namespace hapax::testing
