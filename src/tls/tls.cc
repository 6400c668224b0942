#include "tls/tls.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "handshake/handshake.h"

namespace hapax::net {
namespace {

constexpr std::string_view kUriPrefix = "hapax:";
constexpr std::string_view kNamePrefix = "member-";
constexpr std::string_view kClientPrefix = "client-";

// `member-7`, in the one way to write it. People count from 1.
std::optional<Seat> member_named(std::string_view name) {
  if (!name.starts_with(kNamePrefix)) return std::nullopt;
  name.remove_prefix(kNamePrefix.size());
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failed != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  if (name.front() == '0') return std::nullopt;
  return Seat{number - 1};
}

std::string_view text_of(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

// What follows `hapax:` in its alternative names. More than one: nobody can say which is meant.
std::vector<std::string> uri_names(X509* certificate) {
  std::vector<std::string> found;
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type != GEN_URI) continue;
    const std::string_view uri = text_of(name->d.uniformResourceIdentifier);
    if (!uri.starts_with(kUriPrefix)) continue;
    found.emplace_back(uri.substr(kUriPrefix.size()));
  }
  GENERAL_NAMES_free(names);
  return found;
}

X509* verified_certificate(SSL* session) {
  X509* certificate = SSL_get0_peer_certificate(session);
  return SSL_get_verify_result(session) == X509_V_OK ? certificate : nullptr;
}

std::chrono::system_clock::time_point end_of(const X509* certificate) {
  std::tm parts{};
  ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts);
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

std::string why() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unreadable" : reason;
}

}  // namespace

std::optional<Seat> member_of(X509* certificate) {
  const std::vector<std::string> names = uri_names(certificate);
  if (names.size() > 1) return std::nullopt;
  if (names.size() == 1) return member_named(names[0]);
  X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0) return std::nullopt;
  return member_named(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))));
}

std::optional<std::string> client_of(X509* certificate) {
  const std::vector<std::string> names = uri_names(certificate);
  if (names.size() != 1 || !names[0].starts_with(kClientPrefix)) return std::nullopt;
  std::string name = names[0].substr(kClientPrefix.size());
  if (!is_client_name(name)) return std::nullopt;
  return name;
}

std::optional<Seat> peer_of(SSL* session) {
  X509* certificate = verified_certificate(session);
  return certificate == nullptr ? std::nullopt : member_of(certificate);
}

std::optional<std::string> peer_client_of(SSL* session) {
  X509* certificate = verified_certificate(session);
  return certificate == nullptr ? std::nullopt : client_of(certificate);
}

bool is_client_name(std::string_view name) {
  constexpr std::size_t kLongest = 48;  // A common name has 64 characters, prefix included.
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= kLongest &&
         std::all_of(name.begin(), name.end(), is_plain);
}

TlsContext::TlsContext() : context_(SSL_CTX_new(TLS_method())) {
  if (context_ == nullptr) throw std::bad_alloc{};
}
TlsContext::~TlsContext() { SSL_CTX_free(context_); }

Result<std::shared_ptr<TlsContext>> make_tls_context(const TlsFiles& files) {
  auto context = std::make_shared<TlsContext>();
  SSL_CTX* raw = context->native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION);
  SSL_CTX_set_max_proto_version(raw, TLS1_3_VERSION);
  // Connections live long; nothing of a session is kept for the next one.
  SSL_CTX_set_num_tickets(raw, 0);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  note_certificates(raw);
  ERR_clear_error();
  if (SSL_CTX_load_verify_file(raw, files.authority.c_str()) != 1) {
    return error("cannot use the authority {}: {}", files.authority, why());
  }
  const std::filesystem::path revoked =
      std::filesystem::path{files.authority}.parent_path() / kRevokedFile;
  if (std::error_code failed; std::filesystem::exists(revoked, failed)) {
    X509_STORE* store = SSL_CTX_get_cert_store(raw);
    X509_LOOKUP* lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
    if (X509_load_crl_file(lookup, revoked.c_str(), X509_FILETYPE_PEM) < 1) {
      return error("cannot use the list of the revoked {}: {}", revoked.string(), why());
    }
    X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
  }
  if (SSL_CTX_use_certificate_chain_file(raw, files.certificate.c_str()) != 1) {
    return error("cannot use the certificate {}: {}", files.certificate, why());
  }
  if (SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return error("cannot use the key {}: {}", files.key, why());
  }
  if (SSL_CTX_check_private_key(raw) != 1) {
    return error("the key {} does not belong to the certificate {}", files.key, files.certificate);
  }
  return context;
}

Result<void> renew(TlsContext& context, const TlsFiles& files) {
  const auto fresh = make_tls_context(files);
  if (!fresh) return fresh.error();
  SSL_CTX* to = context.native_handle();
  SSL_CTX* from = (*fresh)->native_handle();
  X509* certificate = SSL_CTX_get0_certificate(from);
  if (member_of(certificate) != member_of(SSL_CTX_get0_certificate(to))) {
    return error("the certificate {} is made out to somebody else than the one before",
                 files.certificate);
  }
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(from, &chain);
  const bool is_taken =
      SSL_CTX_use_cert_and_key(to, certificate, SSL_CTX_get0_privatekey(from), chain, 1) == 1;
  HAPAX_CHECK(is_taken);  // The fresh one has taken them, too.
  SSL_CTX_set1_cert_store(to, SSL_CTX_get_cert_store(from));
  return {};
}

Expiry next_expiry(TlsContext& context, const TlsFiles& files) {
  const auto name_of = [](const std::string& file) {
    return std::filesystem::path{file}.filename().string();
  };
  SSL_CTX* raw = context.native_handle();
  Expiry next{name_of(files.certificate), end_of(SSL_CTX_get0_certificate(raw))};
  const STACK_OF(X509_OBJECT)* known = X509_STORE_get0_objects(SSL_CTX_get_cert_store(raw));
  for (int i = 0; i < sk_X509_OBJECT_num(known); ++i) {
    const X509* authority = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(known, i));
    if (authority == nullptr || end_of(authority) >= next.until) continue;  // Null: the revoked.
    next = {name_of(files.authority), end_of(authority)};
  }
  return next;
}

Result<Seat> member_in(const TlsFiles& files) {
  const auto context = make_tls_context(files);
  if (!context) return context.error();
  const auto member = member_of(SSL_CTX_get0_certificate((*context)->native_handle()));
  if (!member) return error("the certificate {} is not made out to a member", files.certificate);
  return *member;
}

}  // namespace hapax::net
