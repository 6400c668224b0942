// TLS 1.3 between members, both sides with a certificate of the group's own authority. A peer is
// who its certificate says, and nobody else: a URI `hapax:member-7` among its alternative names or,
// without one, the common name `member-7`; that is Seat{6}, for people count from 1. A client's
// says `hapax:client-NAME`; nobody is both.
#pragma once

#include <chrono>
#include <memory>
#include <openssl/types.h>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/seat.h"

namespace hapax::net {

// PEM files, as `hapax certs` writes them.
struct TlsFiles {
  std::string authority;    // Certificate of the group's authority.
  std::string certificate;  // Our own …
  std::string key;          // … and its private key.
};

// Beside the authority's: whom it no longer vouches for. May be missing.
inline constexpr const char* kRevokedFile = "crl.pem";

// What connections of one side have in common: OpenSSL's SSL_CTX.
class TlsContext {
 public:
  TlsContext();  // Throws std::bad_alloc.
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  SSL_CTX* native_handle() { return context_; }

 private:
  SSL_CTX* const context_;
};

// A context for dialling as well as for accepting. The error names the file.
Result<std::shared_ptr<TlsContext>> make_tls_context(const TlsFiles& files);

// Takes what the files have now, for connections that are made from here on; those that are open
// stay as they are. The same name as before, or an error that changes nothing.
Result<void> renew(TlsContext& context, const TlsFiles& files);

// Our certificate, or the authority's, whichever ends first: without either nobody believes us.
struct Expiry {
  std::string file;  // Its name, without the folder.
  std::chrono::system_clock::time_point until;
};
Expiry next_expiry(TlsContext& context, const TlsFiles& files);

// The member that a certificate was made out to; nothing if none.
std::optional<Seat> member_of(X509* certificate);

// The member that these files make us; an error that names the file.
Result<Seat> member_in(const TlsFiles& files);

// The client that a certificate was made out to; nothing if none.
std::optional<std::string> client_of(X509* certificate);

// Who is at the other end, after a handshake that verified its certificate.
std::optional<Seat> peer_of(SSL* session);
std::optional<std::string> peer_client_of(SSL* session);

// What a client may be called: 1 … 48 letters, digits, dots, dashes, underscores.
bool is_client_name(std::string_view name);

}  // namespace hapax::net
