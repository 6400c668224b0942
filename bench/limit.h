// The speed limit: the same events with nothing around them. Sixteen-byte events in the slots of a
// timing wheel; counters in place of sets; no fences, no checks, no choice of latency or load. What
// a simulator adds is measured against this, in the same run.
#pragma once

#include <cstdint>
#include <vector>

namespace hapax::limit {

struct Event {
  std::uint32_t from;
  std::uint32_t to;
  std::uint64_t word;  // The clock, and in the lowest bits the kind of message.
};

// A wheel of time steps; a message takes kDelay of them.
class Wheel {
 public:
  void push(const Event& event) { slots_[(now_ + kDelay) % kSlots].push_back(event); }

  // Calls f for every event until none is left.
  template <class F>
  void run(F&& f) {
    for (std::uint32_t empty = 0; empty < kSlots; ++now_) {
      std::vector<Event>& slot = slots_[now_ % kSlots];
      empty = slot.empty() ? empty + 1 : 0;
      for (const Event& event : slot) f(event);
      slot.clear();
    }
  }

 private:
  static constexpr std::uint32_t kSlots = 16;
  static constexpr std::uint32_t kDelay = 8;

  std::vector<Event> slots_[kSlots];
  std::uint32_t now_ = 0;
};

// One requester of n at a time asks all others, who reply. Returns the number of events.
inline std::uint64_t ricart_agrawala(std::uint32_t n, std::uint32_t entries) {
  struct Node {
    std::uint64_t clock = 0;
    std::uint64_t asked = 0;
    std::uint32_t replies = 0;
    bool waiting = false;
  };
  std::vector<Node> nodes(n);
  Wheel wheel;
  std::uint64_t events = 0;
  for (std::uint32_t e = 0; e < entries; ++e) {
    const std::uint32_t self = static_cast<std::uint32_t>(std::uint64_t{e} * 7919 % n);
    nodes[self].asked = ++nodes[self].clock;
    nodes[self].waiting = true;
    nodes[self].replies = 0;
    for (std::uint32_t to = 0; to < n; ++to) {
      if (to != self) wheel.push({self, to, nodes[self].asked << 1});
    }
    wheel.run([&](const Event& event) {
      Node& node = nodes[event.to];
      const std::uint64_t clock = event.word >> 1;
      node.clock = clock > node.clock ? clock : node.clock;
      if ((event.word & 1) == 0) {
        if (!node.waiting) wheel.push({event.to, event.from, clock << 1 | 1});
      } else if (++node.replies == n - 1) {
        node.waiting = false;
      }
      ++events;
    });
  }
  return events;
}

// One requester at a time asks its row and column, who lock, and releases them. Returns the events.
inline std::uint64_t maekawa(std::uint32_t n, std::uint32_t columns, std::uint32_t entries) {
  struct Node {
    std::uint64_t clock = 0;
    std::uint64_t candidate = 0;
    std::uint32_t votes = 0;
    std::uint32_t pad[11] = {};  // To the 64 bytes that a member has.
  };
  static_assert(sizeof(Node) == 64);
  std::vector<Node> nodes(n);
  Wheel wheel;
  enum : std::uint64_t { kRequest, kLocked, kRelease };
  std::uint64_t events = 0;
  for (std::uint32_t e = 0; e < entries; ++e) {
    const std::uint32_t self = static_cast<std::uint32_t>(std::uint64_t{e} * 104729 % n);
    const std::uint32_t row = self / columns;
    const std::uint32_t column = self % columns;
    const auto multicast = [&](std::uint64_t kind) {
      const std::uint64_t word = nodes[self].clock << 2 | kind;
      for (std::uint32_t i = 0; i < columns; ++i) {
        if (i != column) wheel.push({self, row * columns + i, word});
        if (i != row) wheel.push({self, i * columns + column, word});
      }
    };
    ++nodes[self].clock;
    nodes[self].votes = 1;
    multicast(kRequest);
    const std::uint32_t votes = 2 * columns - 1;
    wheel.run([&](const Event& event) {
      Node& node = nodes[event.to];
      const std::uint64_t clock = event.word >> 2;
      node.clock = clock > node.clock ? clock : node.clock;
      if ((event.word & 3) == kRequest) {
        node.candidate = clock << 32 | event.from;
        wheel.push({event.to, event.from, node.clock << 2 | kLocked});
      } else if ((event.word & 3) == kRelease) {
        node.candidate = 0;
      } else if (++node.votes == votes) {
        ++node.clock;
        multicast(kRelease);
      }
      ++events;
    });
  }
  return events;
}

}  // namespace hapax::limit
