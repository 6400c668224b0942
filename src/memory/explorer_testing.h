// For the tests of this room: every state a shared-memory model can reach, breadth first, and what
// can be said about the whole graph. The model checker proper is another room's; this one is here
// so that the models are tested next to their code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/mutex_algorithm.h"
#include "wire/codec.h"

namespace hapax::testing {

inline constexpr std::uint32_t kForever = std::numeric_limits<std::uint32_t>::max();

struct Limits {
  std::uint32_t size = 2;
  std::uint32_t entries = 1;  // Of each process; kForever for no limit.
  bool tries = false;         // Let a process choose between request() and try_request().
};

// A model and how often each process may still ask.
template <class Model>
struct World {
  Model model;
  std::vector<std::uint32_t> left;
  HAPAX_RECORD(World, model, left)
};

struct Edge {
  std::uint32_t to;
  std::uint32_t actor;  // A process; the number of processes for a move of the memory itself.
};

template <class Model>
struct Graph {
  std::vector<World<Model>>
      worlds;  // In the order of discovery, so the first violation is one of the nearest.
  std::vector<std::uint32_t> depth;
  std::vector<std::vector<Edge>> edges;

  std::size_t size() const { return worlds.size(); }
  const Model& model(std::size_t i) const { return worlds[i].model; }
};

template <class Model>
class Explorer {
 public:
  static Graph<Model> explore(Model start, const Limits& limits) {
    Explorer explorer{limits};
    std::vector<std::uint32_t> left(start.size(), limits.entries);
    explorer.discover({std::move(start), std::move(left)}, 0);
    for (std::uint32_t i = 0; i < explorer.graph_.size(); ++i) {
      HAPAX_CHECK(i < kMostStates);  // A model that never ends must not eat the machine.
      explorer.expand(i);
    }
    return std::move(explorer.graph_);
  }

 private:
  static constexpr std::uint32_t kMostStates = 1'000'000;

  explicit Explorer(const Limits& limits) : limits_(limits) {}

  std::uint32_t discover(World<Model> world, std::uint32_t depth) {
    const auto next_index = static_cast<std::uint32_t>(graph_.size());
    const auto [place, is_new] = index_.try_emplace(key_of(world), next_index);
    if (is_new) {
      graph_.worlds.push_back(std::move(world));
      graph_.depth.push_back(depth);
      graph_.edges.emplace_back();
    }
    return place->second;
  }

  void expand(std::uint32_t from) {
    const World<Model> world = graph_.worlds[from];  // A copy: discover() may move the vector.
    const std::uint32_t size = world.model.size();
    const auto add = [&](World<Model> next, std::uint32_t actor) {
      const std::uint32_t to = discover(std::move(next), graph_.depth[from] + 1);
      graph_.edges[from].push_back({to, actor});
    };
    for (std::uint32_t p = 0; p < size; ++p) add_moves_of(p, world, add);
    if constexpr (requires { world.model.memory_moves(); }) {
      for (Model& model : world.model.memory_moves()) add({std::move(model), world.left}, size);
    }
  }

  template <class Add>
  void add_moves_of(std::uint32_t p, const World<Model>& world, const Add& add) const {
    const NodeId process{p};
    World<Model> next = world;
    if (world.model.enabled(process)) {
      next.model.step(process);
      add(std::move(next), p);
    } else if (world.model.phase(process) == Phase::inside) {
      next.model.release(process);
      add(std::move(next), p);
    } else if (world.model.phase(process) == Phase::idle && world.left[p] > 0) {
      if (limits_.entries != kForever) --next.left[p];
      if constexpr (requires { next.model.try_request(process); }) {
        if (limits_.tries) {
          World<Model> trying = next;
          trying.model.try_request(process);
          add(std::move(trying), p);
        }
      }
      next.model.request(process);
      add(std::move(next), p);
    }
  }

  static std::string key_of(const World<Model>& world) {
    const Bytes bytes = encode(world);
    return {bytes.begin(), bytes.end()};
  }

  Limits limits_;
  Graph<Model> graph_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

template <class Model>
Graph<Model> explore(const Limits& limits) {
  return Explorer<Model>::explore(Model{limits.size}, limits);
}

template <class Model>
std::uint32_t how_many(const Model& model, Phase phase) {
  std::uint32_t count = 0;
  for (std::uint32_t p = 0; p < model.size(); ++p)
    count += model.phase(NodeId{p}) == phase ? 1u : 0u;
  return count;
}

// The number of steps to the nearest state that `is_bad`; nothing if there is none.
template <class Model, class IsBad>
std::optional<std::uint32_t> nearest(const Graph<Model>& graph, const IsBad& is_bad) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (is_bad(graph.model(i))) return graph.depth[i];
  }
  return std::nullopt;
}

template <class Model>
std::optional<std::uint32_t> nearest_with_two_inside(const Graph<Model>& graph) {
  return nearest(graph, [](const Model& model) { return how_many(model, Phase::inside) > 1; });
}

// States where nothing can happen any more although somebody is not done.
template <class Model>
std::size_t dead_ends(const Graph<Model>& graph) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const bool is_done = how_many(graph.model(i), Phase::idle) == graph.model(i).size();
    if (graph.edges[i].empty() && !is_done) ++count;
  }
  return count;
}

// The part of a model that only its processes see, the last of its fields.
template <class Model>
auto& locals_of(Model& model) {
  auto all = fields(model);
  return std::get<std::tuple_size_v<decltype(all)> - 1>(all);
}

// Counts the steps that process 0 takes within one try.
template <class Model>
class CountedTry {
 public:
  explicit CountedTry(std::uint32_t size) : model_(size) {}

  std::uint32_t size() const { return model_.size(); }
  void request(NodeId process) { model_.request(process); }
  void try_request(NodeId process) {
    if (process == NodeId{0}) steps_ = 0;
    model_.try_request(process);
  }
  void release(NodeId process) { model_.release(process); }
  bool enabled(NodeId process) const { return model_.enabled(process); }
  Phase phase(NodeId process) const { return model_.phase(process); }
  std::uint32_t steps() const { return steps_; }

  void step(NodeId process) {
    if (process == NodeId{0}) steps_ = is_trying() ? steps_ + 1 : 0;
    model_.step(process);
  }

  // A try that must wait for somebody would be a try that is not enabled.
  bool is_stuck() const { return is_trying() && !model_.enabled(NodeId{0}); }

  HAPAX_RECORD(CountedTry, model_, steps_)

 private:
  bool is_trying() const { return locals_of(model_)[0].trying; }

  Model model_;
  std::uint32_t steps_ = 0;
};

// The most steps of its own that a try can take, however the others interfere.
template <class Model>
std::uint32_t longest_try(const Limits& limits) {
  const auto graph = explore<CountedTry<Model>>(limits);
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    EXPECT_FALSE(graph.model(i).is_stuck());
    longest = std::max(longest, graph.model(i).steps());
  }
  return longest;
}

}  // namespace hapax::testing
