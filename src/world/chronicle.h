// What happened while a trace was played, as plain values: what diagrams and logs are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "core/fence.h"

namespace hapax {

// Which message it is, counted from 1 in the order of sending; a copy has a number of its own.
enum class MessageId : std::uint32_t {};
constexpr std::uint32_t number(MessageId id) { return static_cast<std::uint32_t>(id); }

struct Happening {
  enum class Kind : std::uint8_t {
    told,       // From outside; `text` says what: suspect, campaign, start, clock, …
    request,    // The process wants to enter.
    leave,      // The critical section ends.
    receive,    // A message comes in, from `peer`.
    note,       // Why the step does what it does.
    defer,      // `peer` is kept waiting.
    send,       // A message goes out, to `peer`.
    reject,     // The node refuses what it received.
    enter,      // The critical section begins, with `fence`.
    leader,     // The node follows `peer` from now on, or nobody.
    violation,  // Of what must hold; `peer` is inside, or leads, too.
    crash,      // The node does nothing any more.
    lost,       // A message from `peer` does not reach the node.
    copied,     // A message from `peer` to the node will come twice; the copy is of `original`.
    storage,    // The account is read or written by the node, or set up by nobody.
    network,    // A partition, or its end.
    comment     // What the trace tells its reader.
  };

  std::uint32_t step = 0;  // Those of one step have the same number.
  Kind kind{};
  std::optional<NodeId> node{};
  std::optional<NodeId> peer{};
  MessageId message{};   // receive, send, lost, copied
  MessageId original{};  // copied
  bool refused = false;  // storage: the gate did not let it pass.
  std::optional<Fence> fence{};
  std::optional<Clock> clock{};  // The node's Lamport clock after the step, if it has one.
  std::string text{};            // Of the message, the reason, the comment; nodes by their names.
};

constexpr std::string_view name_of(Happening::Kind kind) {
  constexpr std::string_view kNames[] = {
      "told",   "request",   "leave", "receive", "note",   "defer",   "send",    "reject", "enter",
      "leader", "violation", "crash", "lost",    "copied", "storage", "network", "comment"};
  return kNames[static_cast<std::size_t>(kind)];
}

// Invariants: steps never decrease; a message is sent or copied before it is received or lost.
struct Chronicle {
  std::string algorithm;
  std::vector<std::string> names;
  std::vector<Happening> happenings;
};

}  // namespace hapax
