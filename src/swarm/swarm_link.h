// The product's link, as the swarm runs it. What a test wants to see break, it overrides.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "net/link.h"

namespace hapax {

class SwarmLink {
 public:
  SwarmLink(std::uint64_t incarnation, const net::LinkLimits& limits) : link(incarnation, limits) {}
  virtual ~SwarmLink() = default;

  virtual net::Link::Meeting meet(const net::Hello& hello) {
    return link.meet(hello.incarnation, hello.seen, hello.received);
  }
  virtual std::optional<std::uint64_t> receive(const net::Data& data, const net::Frame& frame) {
    return link.receive(data, frame.count, frame.messages.size());
  }

  net::Link link;
};

using MakeLink =
    std::function<std::unique_ptr<SwarmLink>(std::uint64_t incarnation, const net::LinkLimits&)>;

}  // namespace hapax
