// A socket for OpenSSL to read and write. OpenSSL's own kind would end the whole process by SIGPIPE
// when the other side is gone, which no library may do to its user.
#pragma once

#include <openssl/bio.h>

namespace hapax {

// The caller may give it away, to an SSL for example; the descriptor stays the caller's. Null if
// there is no memory.
BIO* make_quiet_bio(int fd);

}  // namespace hapax
