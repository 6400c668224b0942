#include "net/greeting.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace hapax::net {
namespace {

std::string shown(const Bytes& text) {
  return printable({reinterpret_cast<const char*>(text.data()), text.size()});
}

}  // namespace

bool CallVersion::step_down() {
  incarnation_ = 0;
  const bool is_left = version_ > kOldestVersion;
  version_ = is_left ? version_ - 1 : kProtocolVersion;
  return is_left;
}

bool CallVersion::met(std::uint64_t incarnation) {
  if (version_ == kProtocolVersion) return true;
  if (incarnation_ == 0) incarnation_ = incarnation;
  if (incarnation_ == incarnation) return true;
  *this = {};
  return false;
}

Hello make_hello(const Identity& me, Seat to, const Link& link) {
  Hello hello;
  hello.group = me.group;
  hello.settings = me.settings;
  hello.from = me.self;
  hello.incarnation = me.incarnation;
  hello.to = to;
  hello.seen = link.seen();
  hello.received = link.received();
  hello.release = me.release;
  return hello;
}

std::string words_of(const Bye& bye) { return shown(bye.text); }

bool may_be(const Identity& me, Seat other, std::optional<Seat> dialled) {
  if (dialled) return other == *dialled;
  return me.self < other && number(other) < me.size;
}

std::optional<Objection> objection(const Identity& me, const Hello& hello,
                                   std::optional<Seat> dialled, std::optional<Seat> certified,
                                   const std::function<std::string(Seat)>& called) {
  if (hello.version < kOldestVersion || hello.version > kProtocolVersion) {
    const auto name = [&](Seat seat) {
      return called ? called(seat) : fmt::format("member {}", number(seat) + 1);
    };
    const bool is_next = hello.version == kProtocolVersion + 1;
    return Objection{Drop::wrong_version,
                     fmt::format("{} speaks versions {} and {}, {} speaks {}: {}", name(me.self),
                                 kProtocolVersion, kOldestVersion, name(hello.from), hello.version,
                                 is_next ? "it will call again in the one before"
                                         : "upgrade through the release between")};
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
