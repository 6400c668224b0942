// Who may do what at a daemon. There are three rights: to lock, to read (who holds and who waits,
// who leads, what was counted), and to administer (leave, evict, ask leaders to step down). The
// daemon's own user and root have all of them, always. For others there are roles, a line each:
//
//   alice = lock, read on orders/*     a user of this machine, by name or number; only these locks
//   client:billing = lock              whom a certificate calls so, over TLS
//   * = read                           everybody who gets in, by plain TCP, too
//
// A person has what all lines say that name it. If there are no lines, everybody may lock and read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/result.h"

namespace hapax {

enum class Right : std::uint8_t { lock, read, administer };
std::string_view name_of(Right right);

// Who is behind a connection, as far as that can be proved.
struct Caller {
  std::optional<uid_t> user{};  // Of a Unix socket.
  std::string certified{};      // By TLS.

  // alice (uid 1000); client billing; somebody over plain TCP
  std::string text() const;
};

class Roles {
 public:
  // An error that says which line is wrong and what to write.
  static Result<Roles> parse(std::span<const std::string> lines);

  // Whether the caller has the right to that lock; with an empty name, to any at all.
  bool may(const Caller& caller, Right right, std::string_view lock = {}) const;
  // The same for every lock there may be.
  bool may_everywhere(const Caller& caller, Right right) const;
  // Nothing if it may; else what was needed and what it has. `what` is a verb: "evict a member".
  std::optional<std::string> objection(const Caller& caller, Right right, std::string_view what,
                                       std::string_view lock = {}) const;

 private:
  struct Role {
    std::optional<uid_t> user;
    std::string certified;
    bool is_everybody = false;
    std::uint8_t rights = 0;            // A bit each.
    std::vector<std::string> patterns;  // None: all locks.

    bool is_of(const Caller& caller) const;
    bool covers(Right right, std::string_view lock) const;
    bool covers_all(Right right) const;
    std::string text() const;
  };

  static Result<Role> parse_role(const std::string& line);
  std::string rights_of(const Caller& caller) const;

  std::vector<Role> roles_;
};

}  // namespace hapax
