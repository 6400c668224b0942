// Who may join the conversation: what a member says of itself when a connection begins, and when it
// objects to what the other says. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "net/frame.h"
#include "net/link.h"

namespace hapax::net {

// What a member knows of itself.
struct Identity {
  NodeId self{};
  std::uint32_t size = 0;  // Of the group.
  Bytes group;
  Epoch epoch{};
  std::uint64_t incarnation = 0;
};

Hello make_hello(const Identity& me, NodeId to, const Link& link);

// The member that may be at the other end: the one we dialled or, if it dialled us, any higher one.
bool may_be(const Identity& me, NodeId other, std::optional<NodeId> dialled);

struct Objection {
  Drop why;
  std::string what;  // In words, with the numbers.
};
// `certified` is whom the certificate was made out to; nothing without TLS.
std::optional<Objection> objection(const Identity& me, const Hello& hello,
                                   std::optional<NodeId> dialled, std::optional<NodeId> certified);

}  // namespace hapax::net
