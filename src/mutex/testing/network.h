// N nodes of one algorithm in a test: reliable links, one step at a time, no time, no threads.
// After every step it checks what each algorithm promises (at most one inside, fences strictly
// grow, nobody rejects an honest peer), and takes each message and each state through the codec.
//
//   Network<Central> net{3};                       // #0 holds the idle permission
//   net.request(1);
//   net.drain();                                   // delivers all, in the order of sending
//   EXPECT_EQ(net.sent(), 2u);
//   EXPECT_EQ(net.phase(1), Phase::inside);
//
// Nodes are plain numbers here, so that a test reads like a trace. Same calls, same seed: same run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/prng.h"
#include "base/text.h"
#include "core/effects.h"
#include "core/fence.h"
#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "core/view.h"
#include "wire/codec.h"

namespace hapax::testing {

template <MutexAlgorithm A>
class Network {
 public:
  using Message = typename A::Message;
  using Options = typename OptionsOf<A>::Type;

  // A message on its way.
  struct Packet {
    NodeId from;
    NodeId to;
    Message message;
  };
  // A critical section that began.
  struct Entry {
    NodeId node;
    Fence fence;
  };

  explicit Network(std::uint32_t size, std::uint32_t holder = 0, bool held = false,
                   const Options& options = {})
      : options_(options) {
    for (std::uint32_t self = 0; self < size; ++self) {
      views_.push_back({Epoch{1}, size, NodeId{self}, NodeId{holder}, held});
      nodes_.push_back(make<A>(views_.back(), options_));
    }
    fx_.explain(true);
  }

  // --- steps of the nodes ---

  // The view begins at every node. Only a token that moves by itself needs it.
  void start() {
    for (std::uint32_t node = 0; node < size(); ++node) {
      act(node, [](A& a, Effects<Message>& fx) { hapax::start(a, fx); });
    }
  }
  void request(std::uint32_t node) {
    act(node, [](A& a, Effects<Message>& fx) { a.request(fx); });
  }
  void request(std::uint32_t node, Mode mode) {
    act(node, [&](A& a, Effects<Message>& fx) { a.request(mode, fx); });
  }
  void release(std::uint32_t node) {
    act(node, [](A& a, Effects<Message>& fx) { a.release(fx); });
  }

  // Any other step: f(algorithm, effects).
  template <class F>
  void act(std::uint32_t node, F&& f) {
    fx_.clear();
    const std::uint32_t before = held_by(nodes_[node]).units;
    f(nodes_[node], fx_);
    absorb(node, before);
  }

  // --- deliveries ---

  // Delivers the oldest message on the link, or a later one: the nth. False if there is none.
  bool deliver(std::uint32_t from, std::uint32_t to, std::size_t nth = 0) {
    const std::optional<std::size_t> at = find(from, to, nth);
    if (at) deliver_at(*at);
    return at.has_value();
  }

  // Loses the oldest message on the link. False if there is none.
  bool drop(std::uint32_t from, std::uint32_t to) {
    const std::optional<std::size_t> at = find(from, to, 0);
    if (at) packets_.erase(packets_.begin() + static_cast<std::ptrdiff_t>(*at));
    return at.has_value();
  }

  // Delivers until nothing is on its way. REQUIRES: the algorithm comes to rest.
  void drain() {
    drain_until([] { return false; });
  }

  // Delivers, oldest first, until `done` holds or nothing is on its way.
  void drain_until(const std::function<bool()>& done) {
    for (std::size_t step = 0; !packets_.empty() && !done(); ++step) {
      if (step == kPatience) {
        ADD_FAILURE() << A::kInfo.name << " does not come to rest";
        return;
      }
      deliver_at(0);
    }
  }

  // One message delay T passes: all that is on its way now arrives, but not what it causes.
  void tick() {
    for (std::size_t count = packets_.size(); count > 0; --count) deliver_at(0);
  }

  // How many message delays pass until `node` is inside.
  std::size_t ticks_until_inside(std::uint32_t node) {
    std::size_t ticks = 0;
    for (; phase(node) != Phase::inside; ++ticks) {
      if (ticks == kPatience || packets_.empty()) {
        ADD_FAILURE() << "#" << node << " never enters";
        break;
      }
      tick();
    }
    return ticks;
  }

  // Those inside leave, as often as it takes; all are served and all messages delivered.
  void settle() {
    for (drain(); inside(); drain()) release(number(*inside()));
  }

  // Every node enters `entries_each` times; `seed` draws which step comes next: a request, a
  // release or a delivery, of any message or, over FIFO channels, of the oldest on its link. Fails
  // if somebody is left waiting.
  void run_random(std::uint64_t seed, std::uint32_t entries_each,
                  Channels channels = A::kInfo.needs) {
    Prng prng{seed};
    std::vector<std::uint32_t> left(size(), entries_each);
    for (std::size_t step = 0; !finished(left); ++step) {
      const std::vector<Choice> choices = enabled(left, channels);
      if (choices.empty() || step == kPatience) {
        ADD_FAILURE() << A::kInfo.name << ": somebody waits for ever, seed " << seed << '\n'
                      << states();
        return;
      }
      take(choices[prng.below(choices.size())], left);
    }
  }

  // --- what happened ---

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  const A& node(std::uint32_t node) const { return nodes_[node]; }
  const View& view(std::uint32_t node) const { return views_[node]; }
  Phase phase(std::uint32_t node) const { return nodes_[node].phase(); }
  const std::vector<Packet>& packets() const { return packets_; }
  const std::vector<Entry>& entries() const { return entries_; }
  // The reasons of the last step.
  std::vector<std::string> reasons() const { return {fx_.reasons().begin(), fx_.reasons().end()}; }

  // Messages sent since the start or since the last forget_sent(); a multicast counts as many.
  std::size_t sent() const { return sent_; }
  void forget_sent() { sent_ = 0; }

  // Who entered, in order.
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> order;
    for (const Entry& entry : entries_) order.push_back(number(entry.node));
    return order;
  }

  // Who is inside, if anybody is.
  std::optional<NodeId> inside() const {
    for (const View& view : views_) {
      if (phase(number(view.self)) == Phase::inside) return view.self;
    }
    return std::nullopt;
  }

  std::string states() const {
    std::string text;
    for (const A& node : nodes_) text += to_text(node) + '\n';
    for (const Packet& packet : packets_) {
      text += fmt::format("{}->{} {}\n", packet.from, packet.to, to_text(packet.message));
    }
    return text;
  }

 private:
  static constexpr std::size_t kPatience = 100'000;

  struct Choice {
    enum class Kind : std::uint8_t { request, release, deliver };
    Kind kind;
    std::size_t which;  // A node, or a place in packets_.
  };

  void deliver_at(std::size_t at) {
    const Packet packet = std::move(packets_[at]);
    packets_.erase(packets_.begin() + static_cast<std::ptrdiff_t>(at));
    const std::optional<Message> message = decode<Message>(encode(packet.message));
    ASSERT_TRUE(message.has_value()) << to_text(packet.message);
    EXPECT_TRUE(*message == packet.message) << to_text(packet.message);
    act(number(packet.to),
        [&](A& a, Effects<Message>& fx) { a.receive(packet.from, *message, fx); });
  }

  static Holding held_by(const A& node) {
    if constexpr (SharedAlgorithm<A>) return node.holding();
    return {Mode::exclusive, node.phase() == Phase::inside ? 1u : 0u};
  }
  std::uint32_t capacity() const {
    if constexpr (SharedAlgorithm<A>) return nodes_[0].capacity();
    return 1;
  }

  void absorb(std::uint32_t node, std::uint32_t before) {
    fx_.for_each_message(NodeId{node}, size(), [&](NodeId to, const Message& message) {
      EXPECT_NE(number(to), node) << "a message to itself: " << to_text(message);
      ASSERT_LT(number(to), size()) << to_text(message);
      packets_.push_back({NodeId{node}, to, message});
      ++sent_;
    });
    EXPECT_EQ(fx_.rejected(), Reject::none) << name_of(fx_.rejected()) << '\n' << states();
    // Where a member may use several units, giving one back may let it draw another.
    const bool entered =
        held_by(nodes_[node]).units > before || (SharedAlgorithm<A> && fx_.entered() && before > 0);
    EXPECT_EQ(entered, fx_.entered().has_value()) << "an entry is announced, once\n" << states();
    if (fx_.entered()) note_entry({NodeId{node}, {views_[node].epoch, *fx_.entered()}});
    check_codec(node);
  }

  void note_entry(const Entry& entry) {
    std::vector<Holding> all;
    for (const A& node : nodes_) all.push_back(held_by(node));
    EXPECT_GE(all[number(entry.node)].units, 1u) << states();
    EXPECT_TRUE(may_be_held_together(all, capacity())) << A::kInfo.name << ": too many inside\n"
                                                       << states();
    const bool alone = excludes_all(all[number(entry.node)].mode, capacity());
    if (const Fence before = alone ? last_ : last_alone_; alone || capacity() == kAnyNumber) {
      EXPECT_TRUE(before < entry.fence)
          << fmt::format("fence {} after {}\n", entry.fence, before) << states();
    }
    last_ = std::max(last_, entry.fence);
    if (alone) last_alone_ = entry.fence;
    entries_.push_back(entry);
  }

  void check_codec(std::uint32_t node) {
    const Bytes bytes = encode(nodes_[node]);
    A copy = make<A>(views_[node], options_);
    Decoder decoder{bytes};
    EXPECT_TRUE(decoder.read(copy) && decoder.at_end()) << to_text(nodes_[node]);
    EXPECT_TRUE(copy == nodes_[node]) << to_text(nodes_[node]);
  }

  std::optional<std::size_t> find(std::uint32_t from, std::uint32_t to, std::size_t nth) const {
    for (std::size_t at = 0; at < packets_.size(); ++at) {
      const Packet& packet = packets_[at];
      if (number(packet.from) != from || number(packet.to) != to) continue;
      if (nth == 0) return at;
      --nth;
    }
    return std::nullopt;
  }

  std::vector<Choice> enabled(const std::vector<std::uint32_t>& left, Channels channels) const {
    std::vector<Choice> choices;
    for (std::uint32_t node = 0; node < size(); ++node) {
      if (phase(node) == Phase::inside) choices.push_back({Choice::Kind::release, node});
      if (phase(node) == Phase::idle && left[node] > 0) {
        choices.push_back({Choice::Kind::request, node});
      }
    }
    for (std::size_t at = 0; at < packets_.size(); ++at) {
      const std::size_t oldest = *find(number(packets_[at].from), number(packets_[at].to), 0);
      if (channels == Channels::unordered || oldest == at) {
        choices.push_back({Choice::Kind::deliver, at});
      }
    }
    return choices;
  }

  void take(const Choice& choice, std::vector<std::uint32_t>& left) {
    const auto node = static_cast<std::uint32_t>(choice.which);
    switch (choice.kind) {
      case Choice::Kind::request:
        --left[node];
        request(node);
        break;
      case Choice::Kind::release:
        release(node);
        break;
      case Choice::Kind::deliver:
        deliver_at(choice.which);
        break;
    }
  }

  // Nobody has anything left to do and, unless the algorithm never rests, nothing is on its way.
  bool finished(const std::vector<std::uint32_t>& left) const {
    for (std::uint32_t node = 0; node < size(); ++node) {
      if (left[node] > 0 || phase(node) != Phase::idle) return false;
    }
    return packets_.empty() || A::kInfo.never_rests;
  }

  Options options_;
  std::vector<View> views_;
  std::vector<A> nodes_;
  std::vector<Packet> packets_;  // In the order of sending, over all links.
  std::vector<Entry> entries_;
  Fence last_;        // The highest of all entries …
  Fence last_alone_;  // … and of those that excluded all others.
  std::size_t sent_ = 0;
  Effects<Message> fx_;
};

// Calls f(size, holder, held) for every way a view of up to `largest` members can start.
template <class F>
void for_each_start(std::uint32_t largest, F&& f) {
  for (std::uint32_t size = 1; size <= largest; ++size) {
    for (std::uint32_t holder = 0; holder < size; ++holder) {
      for (const bool held : {false, true}) {
        SCOPED_TRACE(fmt::format("N={} holder={} held={}", size, holder, held));
        f(size, holder, held);
      }
    }
  }
}

// As the view says, its holder is inside or nobody is; those who ask enter once it has left.
template <MutexAlgorithm A>
void expect_starts_from_every_view(const typename OptionsOf<A>::Type& options = {}) {
  for_each_start(4, [&](std::uint32_t size, std::uint32_t holder, bool held) {
    for (std::uint32_t asker = 0; asker < size; ++asker) {
      if (held && asker == holder) continue;
      Network<A> net{size, holder, held, options};
      EXPECT_EQ(net.inside(), held ? std::optional{NodeId{holder}} : std::nullopt);
      net.start();
      net.request(asker);
      const auto entered = [&] { return !net.entries().empty(); };
      if (held) {
        for (int i = 0; i < 10; ++i) net.tick();
        EXPECT_FALSE(entered());
        net.release(holder);
      }
      net.drain_until(entered);
      EXPECT_EQ(net.order(), std::vector{asker});
    }
  });
}

// How `a` reacts to a message that no honest peer sends. A refusal leaves no trace.
template <MutexAlgorithm A>
Reject verdict(const A& a, std::uint32_t from, const typename A::Message& message) {
  A after = a;
  Effects<typename A::Message> fx;
  after.receive(NodeId{from}, message, fx);
  if (fx.rejected() != Reject::none) {
    EXPECT_TRUE(after == a) << to_text(after);
    EXPECT_TRUE(fx.sends().empty());
  }
  return fx.rejected();
}

// From every start with N = 1 … 6, over the channels the algorithm asks for (FIFO ones are among
// the unordered ones): each node enters three times, every request is served.
template <MutexAlgorithm A>
void expect_all_served(std::uint64_t seeds = 3, const typename OptionsOf<A>::Type& options = {}) {
  for_each_start(6, [&](std::uint32_t size, std::uint32_t holder, bool held) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      for (const Channels channels : {A::kInfo.needs, Channels::fifo}) {
        if (::testing::Test::HasFailure()) return;
        SCOPED_TRACE(fmt::format("seed={}", seed));
        Network<A> net{size, holder, held, options};
        net.start();
        net.run_random(seed, 3, channels);
        EXPECT_EQ(net.entries().size(), 3 * size);
      }
    }
  });
}

}  // namespace hapax::testing
