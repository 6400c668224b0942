// Where sockets are by default: a folder in which nobody but us, and root, can put anything. In a
// folder that all may write to, whoever comes first could serve our programs in our place.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "net/address.h"

namespace hapax::net {

// The first of $XDG_RUNTIME_DIR, /run/user/UID, and /run/hapax for root or ~/.cache/hapax for
// others. The first two only if they are there, ours, and nobody else may write to them.
std::string usual_folder();

// A socket there that no other process, and nobody else in this one, listens on.
Address fresh_socket();

// Makes the folder if it is the usual one and not there yet; an error if others may write to it.
// Other folders are their owner's business.
Result<void> prepare_folder_of(const Address& socket);

// As parse_address(); and a name without a slash, as in `unix:one`, is a socket in the usual
// folder.
Result<Address> find_address(std::string_view text);

}  // namespace hapax::net
