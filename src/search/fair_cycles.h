// Does everybody who waits enter? In a graph of states without dead ends, a process can wait for
// ever only by going round in a cycle. A cycle counts only if it is fair: a delivery or an exit
// that stays possible all along it must also happen on it (weak fairness). For each process: the
// strongly connected parts of the states in which it waits; if one of them allows a fair way round,
// the process may starve.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/states.h"

namespace hapax {

template <class Model>
class FairCycles {
 public:
  using Action = typename Model::Action;

  struct Starvation {
    std::uint32_t process;
    std::uint32_t state;  // The first one reached from which a fair way round leads back to it.
  };

  FairCycles(Model& model, const States& states) : model_(model), states_(states) {
    first_edge_.reserve(states.size() + 1);
    for (std::uint32_t at = 0; at < states.size(); ++at) {
      first_edge_.push_back(edges_.size());
      possible_.push_back(0);
      waits_.push_back(model.waits(states[at]));
      model.expand(states[at], *this);
    }
    first_edge_.push_back(edges_.size());
  }

  std::optional<Starvation> find(std::uint32_t processes) {
    for (std::uint32_t process = 0; process < processes; ++process) {
      if (find_for(process)) return Starvation{process, first_};
    }
    return std::nullopt;
  }

  // Called by the model.
  void step(const Action& action, const std::uint64_t* next) {
    const std::optional<std::uint32_t> fair = model_.fair_class(action);
    const std::uint64_t bit = fair ? std::uint64_t{1} << *fair : 0;
    possible_.back() |= bit;
    edges_.push_back({states_.find(next), bit});
  }
  void fail(const Action&, std::string_view, const std::string&) {}
  void enter(std::uint32_t) {}

 private:
  struct Edge {
    std::uint32_t to;
    std::uint64_t fair;  // The bit of its class; 0 if it need not happen.
  };
  struct Frame {
    std::uint32_t state;
    std::size_t edge;
  };

  bool waits(std::uint32_t process, std::uint32_t state) const {
    return (waits_[state] >> process & 1) != 0;
  }

  // Tarjan's algorithm, without recursion, over the states in which `process` waits. True if it
  // found a part with a fair way round; round_part_ are its states.
  bool find_for(std::uint32_t process) {
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

  // The states of the path from `state` on are a strongly connected part. Whether it has a fair way
  // round.
  bool close_part(std::uint32_t state, std::uint32_t part) {
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

  Model& model_;
  const States& states_;
  std::vector<std::size_t> first_edge_;
  std::vector<Edge> edges_;
  std::vector<std::uint64_t> possible_;  // By state: the fair classes that have a step there.
  std::vector<std::uint64_t> waits_;
  std::vector<std::uint32_t> order_, low_, part_of_, path_;
  std::uint32_t first_ = 0;  // Of the part found.
};

}  // namespace hapax
