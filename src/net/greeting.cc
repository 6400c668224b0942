#include "net/greeting.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace hapax::net {
namespace {

std::string shown(const Bytes& text) {
  return printable({reinterpret_cast<const char*>(text.data()), text.size()});
}

}  // namespace

Hello make_hello(const Identity& me, Seat to, const Link& link) {
  Hello hello;
  hello.group = me.group;
  hello.settings = me.settings;
  hello.from = me.self;
  hello.incarnation = me.incarnation;
  hello.to = to;
  hello.seen = link.seen();
  hello.received = link.received();
  return hello;
}

std::string words_of(const Bye& bye) { return shown(bye.text); }

bool may_be(const Identity& me, Seat other, std::optional<Seat> dialled) {
  if (dialled) return other == *dialled;
  return me.self < other && number(other) < me.size;
}

std::optional<Objection> objection(const Identity& me, const Hello& hello,
                                   std::optional<Seat> dialled, std::optional<Seat> certified) {
  if (hello.version != kProtocolVersion) {
    return Objection{Drop::wrong_version, fmt::format("it speaks version {} and we {}",
                                                      hello.version, kProtocolVersion)};
  }
  if (hello.group != me.group) return Objection{Drop::wrong_group, "it is of another group"};
  // Before who it is: in another list it may be somebody else.
  if (hello.settings != me.settings) {
    return Objection{
        Drop::other_settings,
        fmt::format("member {} was started with {}; member {} with {}", number(hello.from) + 1,
                    shown(hello.settings), number(me.self) + 1, shown(me.settings))};
  }
  if (!may_be(me, hello.from, dialled) || hello.to != me.self) {
    return Objection{Drop::stranger, fmt::format("says it is member {} and calls member {}",
                                                 number(hello.from) + 1, number(hello.to) + 1)};
  }
  if (certified && *certified != hello.from) {
    return Objection{Drop::stranger,
                     fmt::format("says it is member {} with the certificate of member {}",
                                 number(hello.from) + 1, number(*certified) + 1)};
  }
  return std::nullopt;
}

}  // namespace hapax::net
