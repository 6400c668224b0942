// What went wrong in a TLS handshake, in words that both ends can use: whose certificate, what is
// wrong with it, and what to do.
#pragma once

#include <openssl/types.h>
#include <string>

namespace hapax {

// Sessions of that context will remember which certificate of the other side did not pass.
void note_certificates(SSL_CTX* context);

struct HandshakeTrouble {
  enum class Kind {
    they_refuse,  // Our certificate is not good enough for the other side.
    we_refuse,    // Its certificate is not good enough for us.
    other,        // It hung up, or does not speak TLS.
  };
  Kind kind = Kind::other;
  std::string words;
};

// `code`: as ERR_get_error() has it; 0: the other side hung up. For a failed read, too: with TLS
// 1.3 whoever connects hears only then what the other side thinks of its certificate.
HandshakeTrouble trouble_of(SSL* session, unsigned long code);

// What a certificate was made out to, for people: client-alice.
std::string holder_of(X509* certificate);

}  // namespace hapax
