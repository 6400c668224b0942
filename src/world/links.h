// Messages under way: one queue for each ordered pair of nodes. Who delivers what, and when, is up
// to the driver; a link itself neither loses nor reorders anything.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/record.h"

namespace hapax {

template <class Message>
class Links {
 public:
  struct Packet {
    NodeId from{};
    NodeId to{};
    Message message;
    HAPAX_RECORD(Packet, from, to, message)
  };

  void push(NodeId from, NodeId to, Message message) {
    packets_.push_back({from, to, std::move(message)});
  }

  // Takes the nth oldest message of a link, counted from 0; nothing if there are fewer.
  std::optional<Message> take(NodeId from, NodeId to, std::size_t nth = 0) {
    const auto at = find(from, to, nth);
    if (at == packets_.end()) return std::nullopt;
    Message message = std::move(at->message);
    packets_.erase(at);
    return message;
  }

  // The nth oldest message of a link, left where it is; null if there are fewer.
  const Message* peek(NodeId from, NodeId to, std::size_t nth = 0) const {
    for (const Packet& packet : packets_) {
      if (packet.from == from && packet.to == to && nth-- == 0) return &packet.message;
    }
    return nullptr;
  }

  bool empty() const { return packets_.empty(); }
  // All of them, in the order in which they were sent.
  const std::vector<Packet>& packets() const { return packets_; }

  HAPAX_RECORD(Links, packets_)

 private:
  auto find(NodeId from, NodeId to, std::size_t nth) {
    auto at = packets_.begin();
    for (; at != packets_.end(); ++at) {
      if (at->from == from && at->to == to && nth-- == 0) break;
    }
    return at;
  }

  std::vector<Packet> packets_;
};

}  // namespace hapax
