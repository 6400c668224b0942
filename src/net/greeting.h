// Who may join the conversation: what a member says of itself when a connection begins, and when it
// objects to what the other says. Pure.
#pragma once

#include <cstdint>
#include <functional>
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
  std::string release{};  // What this process runs.
};

// In which version to call a member. A call names one; if that is refused, the next one names the
// one before. That is for the process that refused: one that comes in its place is asked anew.
class CallVersion {
 public:
  std::uint32_t now() const { return version_; }
  // It does not speak that version. False: nor any other of ours, and later we begin again.
  bool step_down();
  // That process speaks it. False: another one has come since we stepped down, and is to be called
  // in the version that is now().
  bool met(std::uint64_t incarnation);

 private:
  std::uint32_t version_ = kProtocolVersion;
  std::uint64_t incarnation_ = 0;  // That was met in an earlier version; 0: none.
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
// `certified` is whom the certificate was made out to; nothing without TLS. `called` is what people
// call a member: member 2, if empty.
std::optional<Objection> objection(const Identity& me, const Hello& hello,
                                   std::optional<Seat> dialled, std::optional<Seat> certified,
                                   const std::function<std::string(Seat)>& called = {});

}  // namespace hapax::net
