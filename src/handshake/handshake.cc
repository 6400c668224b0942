#include "handshake/handshake.h"

#include <array>
#include <ctime>
#include <fmt/format.h>
#include <memory>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/printable.h"

namespace hapax {
namespace {

using Kind = HandshakeTrouble::Kind;

// What did not pass, kept with its session.
struct Refused {
  std::string holder;
  std::string issuer;
  std::string ends;  // When it runs out, or ran out.
  std::string begins;
  int why = X509_V_OK;
};

void free_refused(void*, void* refused, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<Refused*>(refused);
}

int slot() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, free_refused);
  return index;
}

std::string common_name(X509_NAME* name) {
  std::array<char, 128> text{};
  const int length = X509_NAME_get_text_by_NID(name, NID_commonName, text.data(), text.size());
  return length > 0 ? printable({text.data(), static_cast<std::size_t>(length)}) : "without a name";
}

std::string day_of(const ASN1_TIME* time) {
  std::tm when{};
  if (ASN1_TIME_to_tm(time, &when) != 1) return "an unknown day";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", when.tm_year + 1900, when.tm_mon + 1,
                     when.tm_mday, when.tm_hour, when.tm_min);
}

int note(int is_good, X509_STORE_CTX* store) {
  if (is_good == 1) return 1;
  auto* session =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  X509* at = X509_STORE_CTX_get_current_cert(store);  // It, or one of its authorities.
  X509* its = X509_STORE_CTX_get0_cert(store);
  if (session == nullptr || at == nullptr || its == nullptr) return 0;
  auto refused = std::make_unique<Refused>(Refused{
      holder_of(its), common_name(X509_get_issuer_name(its)), day_of(X509_get0_notAfter(at)),
      day_of(X509_get0_notBefore(at)), X509_STORE_CTX_get_error(store)});
  delete static_cast<Refused*>(SSL_get_ex_data(session, slot()));
  if (SSL_set_ex_data(session, slot(), refused.get()) == 1) (void)refused.release();
  return 0;
}

std::string words_of(const Refused& refused) {
  const std::string which = "its certificate " + refused.holder;
  switch (refused.why) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format("{} ran out at {}: renew it, or look at the clocks", which, refused.ends);
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format("{} is good only from {} on: look at the clocks", which, refused.begins);
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return fmt::format(
          "{} is of another authority ({}) than ours: one of the two has the wrong "
          "ca.pem, or files of another group",
          which, refused.issuer);
    case X509_V_ERR_CERT_REVOKED:
      return which + " was revoked";
    default:
      return fmt::format("{}: {}", which, X509_verify_cert_error_string(refused.why));
  }
}

std::string our_certificate(SSL* session) {
  X509* ours = SSL_get_certificate(session);
  return ours == nullptr ? "our certificate" : "our certificate " + holder_of(ours);
}

// What the other side says of ours, which is one word.
std::string words_of_alert(SSL* session, int reason) {
  const std::string ours = our_certificate(session);
  switch (reason) {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
      return fmt::format(
          "it refuses {}, which is of another authority than its own: use one that "
          "`hapax certs` made with the daemon's ca.pem",
          ours);
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED: {
      X509* certificate = SSL_get_certificate(session);
      return fmt::format(
          "it refuses {}, which ran out{}: renew it, or look at the clocks", ours,
          certificate == nullptr ? "" : " at " + day_of(X509_get0_notAfter(certificate)));
    }
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
      return fmt::format("it refuses {}, which was revoked", ours);
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "it wants a certificate, and we have shown none: give --cert and --key";
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      return fmt::format("it refuses {}; its log says why", ours);
    default:
      return "";
  }
}

}  // namespace

void note_certificates(SSL_CTX* context) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, note);
}

std::string holder_of(X509* certificate) { return common_name(X509_get_subject_name(certificate)); }

HandshakeTrouble trouble_of(SSL* session, unsigned long code) {
  if (code == 0 || ERR_GET_LIB(code) != ERR_LIB_SSL) {
    return {Kind::other, "it hung up before TLS was agreed on"};
  }
  const int reason = ERR_GET_REASON(code);
  const auto* refused = static_cast<const Refused*>(SSL_get_ex_data(session, slot()));
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED && refused != nullptr) {
    return {Kind::we_refuse, words_of(*refused)};
  }
  if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) {
    return {Kind::we_refuse, "it has shown no certificate"};
  }
  if (std::string words = words_of_alert(session, reason); !words.empty()) {
    return {Kind::they_refuse, std::move(words)};
  }
  if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
      reason == SSL_R_PACKET_LENGTH_TOO_LONG || reason == SSL_R_BAD_RECORD_TYPE) {
    return {Kind::other, "it does not speak TLS"};
  }
  const char* text = ERR_reason_error_string(code);
  return {Kind::other, text == nullptr ? "TLS failed" : text};
}

}  // namespace hapax
