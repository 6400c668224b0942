// Who may join the conversation: what a member says of itself when a connection begins, and when it
// objects to what the other says. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/seat.h"
#include "net/frame.h"
#include "net/link.h"

namespace hapax::net {

// What a member knows of itself.
struct Identity {
  Seat self{};
  std::uint32_t size = 0;  // Of the group.
  Bytes group;
  Bytes settings;
  std::uint64_t incarnation = 0;
};

Hello make_hello(const Identity& me, Seat to, const Link& link);

// The member that may be at the other end: the one we dialled or, if it dialled us, any higher one.
bool may_be(const Identity& me, Seat other, std::optional<Seat> dialled);

// What a goodbye says, fit to be shown.
std::string words_of(const Bye& bye);

struct Objection {
  Drop why;
  std::string what;  // In words, with the numbers.
};
// `certified` is whom the certificate was made out to; nothing without TLS.
std::optional<Objection> objection(const Identity& me, const Hello& hello,
                                   std::optional<Seat> dialled, std::optional<Seat> certified);

}  // namespace hapax::net
