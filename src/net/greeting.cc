#include "net/greeting.h"

#include <fmt/format.h>

namespace hapax::net {

Hello make_hello(const Identity& me, NodeId to, const Link& link) {
  Hello hello;
  hello.group = me.group;
  hello.epoch = me.epoch;
  hello.from = me.self;
  hello.incarnation = me.incarnation;
  hello.to = to;
  hello.seen = link.seen();
  hello.received = link.received();
  return hello;
}

bool may_be(const Identity& me, NodeId other, std::optional<NodeId> dialled) {
  if (dialled) return other == *dialled;
  return me.self < other && number(other) < me.size;
}

std::optional<Objection> objection(const Identity& me, const Hello& hello,
                                   std::optional<NodeId> dialled, std::optional<NodeId> certified) {
  if (hello.version != kProtocolVersion) {
    return Objection{Drop::wrong_version, fmt::format("it speaks version {} and we {}",
                                                      hello.version, kProtocolVersion)};
  }
  if (hello.group != me.group) return Objection{Drop::wrong_group, "it is of another group"};
  if (!may_be(me, hello.from, dialled) || hello.to != me.self) {
    return Objection{Drop::stranger,
                     fmt::format("says it is {} and calls {}", hello.from, hello.to)};
  }
  if (certified && *certified != hello.from) {
    return Objection{Drop::stranger, fmt::format("says it is {} with the certificate of {}",
                                                 hello.from, *certified)};
  }
  if (hello.epoch != me.epoch) {
    return Objection{Drop::wrong_epoch,
                     fmt::format("it is in epoch {} and we in {}", hello.epoch, me.epoch)};
  }
  return std::nullopt;
}

}  // namespace hapax::net
