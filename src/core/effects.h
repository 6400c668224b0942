// What a step of an algorithm asks its driver to do. The algorithm writes, the driver reads and
// clears; a driver keeps one Effects and reuses it, so that a step allocates nothing in the steady
// state.
#pragma once

#include <cstdint>
#include <fmt/core.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"

namespace hapax {

// A peer broke the protocol. The checker fails, the simulator counts, the node hangs up.
enum class Reject : std::uint8_t {
  none,
  not_asked,
  not_granted,
  asked_twice,
  not_a_member,
  second_token,
  absurd_clock
};

constexpr std::string_view name_of(Reject reject) {
  switch (reject) {
    case Reject::none:
      return "none";
    case Reject::not_asked:
      return "reply to a question that was not asked";
    case Reject::not_granted:
      return "return of something that was not given";
    case Reject::asked_twice:
      return "second request before the first was served";
    case Reject::not_a_member:
      return "message that only another member may send";
    case Reject::second_token:
      return "second token";
    case Reject::absurd_clock:
      return "clock that nobody can have reached by counting";
  }
  return "?";
}

// Whom a send goes to: one member, all others, or those of a list.
enum class Reach : std::uint8_t { one, others, listed };

template <class MessageType>
class Effects {
 public:
  using Message = MessageType;

  // One send, to one receiver or, as a multicast, to several. Kept apart, so that a multicast can
  // be counted as one message and as many.
  struct Send {
    Message message;
    Reach reach;
    NodeId to{};              // reach == one
    std::uint32_t first = 0;  // reach == listed: listed_[first, first + count)
    std::uint32_t count = 0;
  };

  // --- written by the algorithm ---

  void send(NodeId to, Message message) { sends_.push_back({std::move(message), Reach::one, to}); }

  // To every member of the view but the sender.
  void send_to_others(Message message) { sends_.push_back({std::move(message), Reach::others}); }

  // To the members of `receivers`, in its order. REQUIRES: the sender is not among them.
  template <class Range>
  void multicast(Range&& receivers, Message message) {
    const auto first = static_cast<std::uint32_t>(listed_.size());
    for (const NodeId to : receivers) listed_.push_back(to);
    const auto count = static_cast<std::uint32_t>(listed_.size()) - first;
    if (count == 0) return;
    sends_.push_back({std::move(message), Reach::listed, NodeId{}, first, count});
  }

  // The critical section begins. The driver puts the view's epoch before the turn to make the
  // fence.
  void enter(Turn turn) {
    HAPAX_CHECK(!entered_.has_value());
    entered_ = turn;
  }

  void reject(Reject reason) { rejected_ = reason; }

  // The answer to `peer`, or its turn, has to wait.
  void defer(NodeId peer) { deferred_.push_back(peer); }

  // Why the step did what it did, for traces. Formats only for a driver that listens.
  template <class... Args>
  void because(fmt::format_string<Args...> format, Args&&... args) {
    if (explaining_) reasons_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  // --- read by the driver ---

  std::span<const Send> sends() const { return sends_; }
  std::span<Send> sends() { return sends_; }
  std::span<const NodeId> listed(const Send& send) const {
    return std::span{listed_}.subspan(send.first, send.count);
  }
  std::optional<Turn> entered() const { return entered_; }
  Reject rejected() const { return rejected_; }
  std::span<const std::string> reasons() const { return reasons_; }
  std::span<const NodeId> deferred() const { return deferred_; }

  // Calls f(to) for every receiver of `send`, in order.
  // REQUIRES: `self` took the step, in a view of `size` members.
  template <class F>
  void for_each_receiver(const Send& send, NodeId self, std::uint32_t size, F&& f) const {
    switch (send.reach) {
      case Reach::one:
        f(send.to);
        break;
      case Reach::others:
        for (std::uint32_t to = 0; to < size; ++to) {
          if (to != number(self)) f(NodeId{to});
        }
        break;
      case Reach::listed:
        for (const NodeId to : listed(send)) f(to);
        break;
    }
  }

  // Calls f(to, message) for every single message, in the order in which they were sent.
  template <class F>
  void for_each_message(NodeId self, std::uint32_t size, F&& f) const {
    for (const Send& send : sends_) {
      for_each_receiver(send, self, size, [&](NodeId to) { f(to, send.message); });
    }
  }

  // Takes over what a step left in `other`, each message as f(message) gives it, and clears it.
  // REQUIRES: clear() was called since the last step.
  template <class Other, class F>
  void take(Effects<Other>& other, F&& f) {
    HAPAX_CHECK(sends_.empty());
    for (const auto& send : other.sends_) {
      sends_.push_back({f(send.message), send.reach, send.to, send.first, send.count});
    }
    if (!other.listed_.empty()) listed_.swap(other.listed_);
    if (!other.deferred_.empty()) deferred_.swap(other.deferred_);
    if (!other.reasons_.empty()) reasons_.swap(other.reasons_);
    entered_ = other.entered_;
    rejected_ = other.rejected_;
    other.clear();
  }

  // REQUIRES: no reason is left from before.
  void explain(bool on) { explaining_ = on; }
  bool explains() const { return explaining_; }

  void clear() {
    sends_.clear();
    listed_.clear();
    deferred_.clear();
    if (explaining_) reasons_.clear();
    entered_.reset();
    rejected_ = Reject::none;
  }

 private:
  template <class>
  friend class Effects;

  std::vector<Send> sends_;
  std::vector<NodeId> listed_;  // Receivers of the multicasts in sends_.
  std::vector<NodeId> deferred_;
  std::vector<std::string> reasons_;
  std::optional<Turn> entered_;
  Reject rejected_ = Reject::none;
  bool explaining_ = false;
};

}  // namespace hapax
