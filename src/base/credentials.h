// Users of this machine: who is at the other end of a Unix socket, and what people call them.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

#include "base/result.h"

namespace hapax {

struct Credentials {
  uid_t uid = 0;
  pid_t pid = 0;  // 0: of another container, perhaps.
};

// As the kernel knows them: of who connected, or of who listens. Nothing if it is no Unix socket.
std::optional<Credentials> credentials_of(int socket);

// Whether this user may be taken for one of us: the user of this process, or root.
bool is_one_of_us(uid_t user);

// alice (uid 1000)
std::string text_of_user(uid_t user);
// By name or by number.
Result<uid_t> user_named(const std::string& text);
Result<gid_t> group_named(const std::string& text);

}  // namespace hapax
