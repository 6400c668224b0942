// Members of a mutual-exclusion algorithm, the links between them and the faults that may still
// strike, as one value: enabled() says what can happen next, apply() makes it happen. Plain and
// slow, and so the reference for whatever explores the same worlds faster.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/id_set.h"
#include "base/ids.h"
#include "base/record.h"
#include "core/instance.h"
#include "core/view.h"

namespace hapax::testing {

// What can happen in a world.
struct WorldStep {
  enum class Kind : std::uint8_t { request, release, deliver, duplicate, lose, crash };
  Kind kind{};
  NodeId node{};          // Who asks, leaves, crashes; or the sender.
  NodeId to{};            // deliver, duplicate, lose: the receiver …
  std::uint32_t nth = 0;  // … and which message of the link, counted from 0 in order of sending.
};

class PlainWorld {
 public:
  using Message = std::vector<std::uint8_t>;
  using Kind = WorldStep::Kind;

  // How much may still happen.
  struct Budget {
    std::uint32_t entries = 1;  // Of each member.
    std::uint32_t duplicates = 0;
    std::uint32_t losses = 0;
    std::uint32_t crashes = 0;
    HAPAX_RECORD(Budget, entries, duplicates, losses, crashes)
  };

  // The members of a view, started. `view.self` does not matter.
  PlainWorld(const Operations& algorithm, View view, const MutexChoices& choices, Channels channels,
             const Budget& budget);

  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  const Budget& budget() const { return budget_; }
  std::uint32_t entries_left(NodeId node) const { return left_[number(node)]; }
  const Instance& member(NodeId node) const { return members_[number(node)]; }
  bool has_crashed(NodeId node) const { return crashed_.contains(node); }
  const std::vector<Message>& under_way(NodeId from, NodeId to) const {
    return links_[std::size_t{number(from)} * size() + number(to)];
  }

  std::vector<WorldStep> enabled() const;
  // REQUIRES: `step` is enabled.
  void apply(const WorldStep& step);

 private:
  std::vector<Message>& link_of(NodeId from, NodeId to) {
    return links_[std::size_t{number(from)} * size() + number(to)];
  }
  Message take(const WorldStep& step);
  void dispatch(NodeId from, const InstanceEffects& fx);

  Channels channels_;
  std::vector<Instance> members_;
  std::vector<std::uint32_t> left_;          // How often each may still ask.
  std::vector<std::vector<Message>> links_;  // By sender and receiver, in the order of sending.
  NodeSet crashed_;
  Budget budget_;
};

inline PlainWorld::PlainWorld(const Operations& algorithm, View view, const MutexChoices& choices,
                              Channels channels, const Budget& budget)
    : channels_{channels},
      left_(view.size, budget.entries),
      links_(std::size_t{view.size} * view.size),
      budget_(budget) {
  for (std::uint32_t i = 0; i < view.size; ++i) {
    view.self = NodeId{i};
    members_.emplace_back(algorithm, view, choices);
  }
  for (std::uint32_t i = 0; i < view.size; ++i) {
    InstanceEffects fx;
    members_[i].start(fx);
    dispatch(NodeId{i}, fx);
  }
}

inline std::vector<WorldStep> PlainWorld::enabled() const {
  std::vector<WorldStep> steps;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const NodeId node{i};
    if (crashed_.contains(node)) continue;
    if (members_[i].phase() == Phase::idle && left_[i] > 0) steps.push_back({Kind::request, node});
    if (members_[i].phase() == Phase::inside) steps.push_back({Kind::release, node});
    if (budget_.crashes > 0) steps.push_back({Kind::crash, node});
  }
  for (std::uint32_t l = 0; l < links_.size(); ++l) {
    const NodeId from{l / size()};
    const NodeId to{l % size()};
    const auto reach = static_cast<std::uint32_t>(channels_ == Channels::fifo
                                                      ? std::min<std::size_t>(1, links_[l].size())
                                                      : links_[l].size());
    for (std::uint32_t nth = 0; nth < reach; ++nth) {
      if (!crashed_.contains(to)) steps.push_back({Kind::deliver, from, to, nth});
      if (budget_.losses > 0) steps.push_back({Kind::lose, from, to, nth});
      if (budget_.duplicates > 0) steps.push_back({Kind::duplicate, from, to, nth});
    }
  }
  return steps;
}

inline void PlainWorld::apply(const WorldStep& step) {
  InstanceEffects fx;
  NodeId actor = step.node;
  switch (step.kind) {
    case Kind::request:
      HAPAX_CHECK(left_[number(actor)] > 0);
      --left_[number(actor)];
      members_[number(actor)].request(fx);
      break;
    case Kind::release:
      members_[number(actor)].release(fx);
      break;
    case Kind::deliver: {
      const Message message = take(step);
      actor = step.to;
      const bool understood = members_[number(actor)].receive(step.node, message, fx);
      HAPAX_CHECK(understood);
      break;
    }
    case Kind::lose:
      HAPAX_CHECK(budget_.losses > 0);
      --budget_.losses;
      take(step);
      break;
    case Kind::duplicate: {
      HAPAX_CHECK(budget_.duplicates > 0);
      --budget_.duplicates;
      std::vector<Message>& link = link_of(step.node, step.to);
      link.push_back(Message{link.at(step.nth)});
      break;
    }
    case Kind::crash:
      HAPAX_CHECK(budget_.crashes > 0);
      --budget_.crashes;
      crashed_.insert(actor);
      break;
  }
  dispatch(actor, fx);
}

inline PlainWorld::Message PlainWorld::take(const WorldStep& step) {
  std::vector<Message>& link = link_of(step.node, step.to);
  HAPAX_CHECK(step.nth < link.size());
  Message message = std::move(link[step.nth]);
  link.erase(link.begin() + static_cast<std::ptrdiff_t>(step.nth));
  return message;
}

inline void PlainWorld::dispatch(NodeId from, const InstanceEffects& fx) {
  for (const auto& send : fx.sends()) {
    const auto bytes = fx.bytes(send);
    fx.for_each_receiver(send, from, size(), [&](NodeId to) {
      link_of(from, to).emplace_back(bytes.begin(), bytes.end());
    });
  }
}

}  // namespace hapax::testing
